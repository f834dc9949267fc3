// SPDX-License-Identifier: MIT OR Apache-2.0
//! `stimulus.txt` and `buffers.txt`, which the test benches read.

use std::{collections::BTreeSet, fmt::Write};

use drra_case::{Case, StimulusEntry};
use drra_fabric::ports::{Block, InputPort};
use drra_isa::Geometry;

use super::{ExportOptions, FlagTiming, WordOrder, arrange::ArrangedCase};

/// A column of the stimulus: its name, the number of digits, and a value.
type StimulusColumn = (&'static str, usize, Block);

/// The ports in the order of their columns, with their values in a cycle; `flag` is the value on the flag port.
fn columns(case: &Case, entry: Option<&StimulusEntry>, flag: bool) -> Vec<StimulusColumn> {
    let digits = |bits: usize| bits.div_ceil(4);
    let column = |(port, value): (InputPort, Block)| {
        let value = if port == InputPort::ProgImm { [flag.into(), 0, 0, 0] } else { value };
        (port.name(), digits(port.width(&case.geometry) as usize), value)
    };
    let straps =
        (InputPort::IoCell.name(), digits(case.geometry.cells()), [case.straps(), 0, 0, 0]);
    let entry = entry.copied().unwrap_or_default();
    std::iter::once(straps).chain(entry.ports().map(column)).collect()
}

/// The stimulus of a run of this many cycles.
pub(super) fn stimulus(arranged: &ArrangedCase, cycles: u64, options: &ExportOptions) -> String {
    let case = &arranged.case;
    let mut text = head(arranged, cycles, options);
    let names = columns(case, None, false).into_iter();
    let names = names.map(|column| format!("{:>width$}", column.0, width = width(&column)));
    // The comment sign replaces a blank, because the name of the first column is shorter than the column.
    let _ =
        writeln!(text, "#{:>8} {:>9} {}", "cycle", "count", names.collect::<Vec<_>>().join(" "));
    let entries = arranged.case.stimulus.entries();
    let used: BTreeSet<u64> =
        entries.iter().map(|entry| entry.cycle).chain(arranged.flags.iter().copied()).collect();
    let mut rest = entries.iter().peekable();
    let mut next = 0;
    // The state after the last edge is sampled before the following edge, so the run takes one more cycle.
    for cycle in used.into_iter().filter(|cycle| *cycle <= cycles) {
        if cycle > next {
            line(&mut text, (next, cycle - next), &columns(case, None, false));
        }
        let entry = rest.next_if(|entry| entry.cycle == cycle);
        line(&mut text, (cycle, 1), &columns(case, entry, arranged.flags.contains(&cycle)));
        next = cycle + 1;
    }
    if next <= cycles {
        line(&mut text, (next, cycles + 1 - next), &columns(case, None, false));
    }
    text
}

/// The header comment for people who read the file.
fn head(arranged: &ArrangedCase, cycles: u64, options: &ExportOptions) -> String {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = arranged.case.geometry;
    let order = match options.order {
        WordOrder::RowMajor => "cells as in the case",
        WordOrder::Diagonal => "cells in ascending r+c",
    };
    let flag = match options.flag {
        FlagTiming::Word => "flag with its word".to_owned(),
        FlagTiming::Delayed => {
            format!("flag r+c cycles after its word, {} cycles inserted", arranged.inserted_cycles)
        }
    };
    let name = arranged.case.name.escape_debug();
    format!(
        "# DRRA stimulus, format 1. Fabric: columns {columns}, tile rows {tile_rows}, register file words {rf_words}, blocks per tile {sram_blocks}
# Case {name}: {cycles} cycles after reset, {} of them idle at the start; {order}; {flag}
# Each line gives the values of the input ports for `count` cycles, starting with `cycle`. Cycle 0 is the
# first one after the release of reset. Inputs change at the falling edge of the clock; the rising edge ends the cycle.
# cycle and count are decimal, everything else is hexadecimal. The value of a port whose valid is 0 has no
# meaning and is driven as given here. io_cell is constant and is set before reset is released. The last
# cycle has no edge of its own in the case: it makes the state after the last edge visible.
",
        options.idle_cycles
    )
}

/// Width of a column in characters.
fn width((name, digits, _): &StimulusColumn) -> usize {
    name.len().max(*digits)
}

/// One line: first cycle, number of cycles, then the values of the ports.
fn line(text: &mut String, (cycle, count): (u64, u64), columns: &[StimulusColumn]) {
    let _ = write!(text, "{cycle:>9} {count:>9}");
    for column in columns {
        let (_, digits, value) = column;
        let _ = write!(text, " {:>width$}", hex(value, *digits), width = width(column));
    }
    text.push('\n');
}

/// A value with the given number of hexadecimal digits.
fn hex(value: &Block, digits: usize) -> String {
    let all = format!("{:016x}{:016x}{:016x}{:016x}", value[3], value[2], value[1], value[0]);
    all[all.len() - digits..].to_owned()
}

/// Contents of the input buffers.
pub(super) fn buffers(case: &Case) -> String {
    let mut text = "\
# DRRA input buffers, format 1. Each line is a block: column (decimal), address and data (hexadecimal). If two
# lines have the same column and address, the later one counts; blocks without a line are 0.
"
    .to_owned();
    for (column, address, block) in &case.input_buffers {
        let _ = writeln!(text, "{:>2} {address:07x} {}", column.col(), hex(block, 64));
    }
    text
}
