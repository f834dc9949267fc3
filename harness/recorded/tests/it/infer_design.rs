// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design with its own names, recorded here from the golden model: modules are permuted, and registers are renamed,
//! one-hot encoded, packed into vectors, split into fields, inverted, late and early.

use drra_case::{Case, programs};
use drra_isa::{CellId, Geometry, MemoryImage, ProgramImage, TileId};
use drra_lockstep::GoldenRun;
use drra_recorded::{Waveform, infer::RecordedCase};

use crate::support::{Folder, Sample, digits, vcd};

/// Number of clock edges in reset.
pub(crate) const RESET: usize = 2;
/// Programs that change all registers that must be found.
pub(crate) const PROGRAMS: [&str; 4] = ["vec_add", "nested_loops", "dpu_chain", "row_priority"];

/// Names, and what they are called in a strange design.
const STRANGE: &str = r##"ck|\ck{0} ;go|\go"#1 ;word|\27'word[w] ;fetch|\fe#3{tch}.u#0 ;words|*;counter|\count-er\;
packed|memory(1+1)"##;

pub(crate) fn geometry() -> Geometry {
    Geometry { columns: 4, tile_rows: 1, sram_blocks: 16, ..Geometry::default() }
}

/// The signals that are shown.
#[derive(Clone, Copy)]
pub(crate) struct ShownSignals {
    pub(crate) ports: bool,
    /// True if each program counter has a second signal with the same values, in a separate module.
    pub(crate) copy: bool,
    /// True if the registers of `fetch` appear as in a netlist, with one signal for each bit.
    pub(crate) netlist: bool,
    /// True if names contain characters with a meaning in maps.
    pub(crate) strange: bool,
}

pub(crate) const ALL: ShownSignals =
    ShownSignals { ports: true, copy: false, netlist: false, strange: false };

/// The signals of a cell in a cycle.
fn cell(run: &GoldenRun<'_>, cell: CellId, shown: ShownSignals, sample: &mut Sample) {
    let (r, c) = (cell.row(), cell.col());
    let value = |path: &str, width| {
        let location = format!("cell[{r}][{c}].{path}").parse().unwrap();
        digits(&run.fabric.value(location).unwrap(), width)
    };
    // Rows are in reverse order, columns are in a different order, and the first column has a different module.
    let place = [2, 0, 3, 1][c];
    let kind = if c == 0 { "corner" } else { "inner" };
    let at = format!("row_{}.col[{place}].{kind}", 1 - r);
    let mut add = |name: &str, digits: String| {
        if !shown.netlist || !name.starts_with("fetch.") {
            sample.insert(format!("{at}.{name}"), digits);
            return;
        }
        for (n, bit) in digits.chars().rev().enumerate() {
            sample.insert(format!("{at}.{name}_reg[{n}].Q"), bit.to_string());
        }
    };
    add("fetch.counter", value("seq.pc", 6));
    let state = u32::from_str_radix(&value("seq.state", 2), 2).unwrap();
    add("fetch.one_hot", digits(&[4 >> state], 3));
    let wait = value("seq.wait_count", 15);
    add("fetch.wait_high", wait[..5].to_owned());
    add("fetch.wait_low", wait[5..].to_owned());
    add("fetch.packed", format!("{}{}10", value("seq.l1_delay", 6), value("seq.init_addr", 6)));
    let iterations = value("seq.l1_iter", 6);
    add(
        "fetch.iterations_n",
        iterations.chars().map(|d| if d == '0' { '1' } else { '0' }).collect(),
    );
    for word in 0..64 {
        add(&format!("words.w{}", 63 - word), value(&format!("rf.mem[{word}]"), 16));
    }
    for (name, key) in [
        ("wr_a", "w0"),
        ("wr_b", "w1"),
        ("wr_c", "wb"),
        ("rd_a", "r0"),
        ("rd_b", "r1"),
        ("rd_c", "rb"),
    ] {
        add(&format!("{name}.address"), value(&format!("rf.agu[{key}].addr_reg"), 6));
    }
    for (name, path, width) in [("acc", "dpu.acc[0]", 16), ("mode", "dpu.mode_reg", 5)] {
        add(&format!("unit.{name}"), value(path, width));
    }
    if shown.copy {
        add("twin.counter", value("seq.pc", 6));
    }
}

/// The write port of a tile's memory in a cycle, at whose end a block may have been written. While the port is not
/// enabled, address and data have other values.
fn write_port(run: &GoldenRun<'_>, tile: TileId, cycle: u64, sample: &mut Sample) {
    let row = run.fabric.written_row(tile);
    let (address, block) = match row {
        Some(row) => (row as u64, run.fabric.sram(tile)[row]),
        None => (cycle % 16, [cycle; 4]),
    };
    for (name, words, width) in [
        ("write_not", vec![u64::from(row.is_none())], 1),
        ("at", vec![address], 4),
        ("data", block.to_vec(), 256),
    ] {
        sample.insert(format!("bank_{}.{name}", 3 - tile.col()), digits(&words, width));
    }
}

/// The values at all edges.
fn recorded(case: &Case, shown: ShownSignals) -> Vec<Sample> {
    let cycles = drra_lockstep::run_golden(case, None).cycles;
    let mut run = GoldenRun::new(case);
    let mut all = Vec::new();
    for cycle in 0..cycles {
        run.fabric.pack();
        let mut sample = Sample::new();
        CellId::all(&geometry()).for_each(|id| cell(&run, id, shown, &mut sample));
        for column in 0..geometry().columns {
            let location = format!("col[{column}].io_wdata").parse().unwrap();
            let block = digits(&run.fabric.value(location).unwrap(), 256);
            sample.insert(format!("bus[{column}].block"), block);
        }
        let entry = case.stimulus.entries().iter().find(|e| e.cycle == cycle);
        let entry = entry.copied().unwrap_or_default();
        let (word, init) = (entry.prog.unwrap_or_default(), entry.sram_init.unwrap_or_default());
        let ports = [
            ("go", u64::from(entry.prog.is_some()), 1),
            ("word", word.instr.into(), 27),
            ("flag", word.imm.into(), 1),
            ("rows", word.row_sel.into(), 2),
            ("cols", word.col_sel.into(), 4),
            ("fill", u64::from(entry.sram_init.is_some()), 1),
            ("fill_row", init.row as u64, 1),
            ("fill_col", init.col as u64, 2),
            ("fill_at", init.addr as u64, 4),
            // The same values under a shorter name.
            ("also", init.addr as u64, 4),
        ];
        if shown.ports {
            sample.extend(
                ports.map(|(name, value, width)| (name.to_owned(), digits(&[value], width))),
            );
            sample.insert("fill_data".to_owned(), digits(&init.data, 256));
        }
        run.step();
        for tile in TileId::all(&geometry()) {
            write_port(&run, tile, cycle, &mut sample);
        }
        all.push(sample);
    }
    // In reset, nothing is driven and nothing is written.
    let mut first = all[0].clone();
    first.iter_mut().filter(|(name, _)| !name.contains('.')).for_each(|(_, value)| {
        *value = "0".repeat(value.len());
    });
    let enables = first.iter_mut().filter(|(name, _)| name.ends_with(".write_not"));
    enables.for_each(|(_, value)| "1".clone_into(value));
    let mut edges = vec![first; RESET];
    edges.extend(all);
    for (edge, sample) in edges.iter_mut().enumerate() {
        sample.insert("nreset".to_owned(), digits(&[u64::from(edge >= RESET)], 1));
    }
    // In each cell, one register is one cycle late, and another is one cycle early.
    let names: Vec<String> = edges[0].keys().cloned().collect();
    for name in names {
        let values: Vec<String> = edges.iter().map(|sample| sample[&name].clone()).collect();
        let from = |edge: usize| match () {
            () if name.ends_with("unit.acc") => edge.saturating_sub(1),
            () if name.ends_with("unit.mode") => (edge + 1).min(values.len() - 1),
            () => edge,
        };
        for (edge, sample) in edges.iter_mut().enumerate() {
            sample.insert(name.clone(), values[from(edge)].clone());
        }
    }
    edges
}

/// The program of the first cell in all cells, with the flag of its last word inverted.
fn in_all_cells(case: &Case) -> Case {
    let mut words = case.program.cells().next().unwrap().1.to_vec();
    words.last_mut().unwrap().immediate ^= true;
    let mut program = ProgramImage::default();
    for cell in CellId::all(&geometry()) {
        words.iter().for_each(|word| program.push(cell, *word));
    }
    // The port of the register files is not shown.
    let memory = MemoryImage { sram: case.memory.sram.clone(), ..MemoryImage::default() };
    Case::new(&case.name, &case.geometry, program, memory)
}

pub(crate) fn runs(shown: ShownSignals, programs: &[&str]) -> (Vec<Folder>, Vec<RecordedCase>) {
    let of = |name: &&str| {
        let program = programs::ALL.iter().find(|p| p.path.contains(*name)).unwrap();
        let case = in_all_cells(&program.case(&geometry()).unwrap());
        let folder = Folder::new();
        let mut text = vcd("sim", "ck", &recorded(&case, shown));
        let strange = STRANGE.split(';').filter_map(|names| names.trim_start().split_once('|'));
        for (name, other) in strange.filter(|_| shown.strange) {
            text = text.replace(&format!(" {name} $end"), &format!(" {other} $end"));
        }
        let waveform = folder.write(text);
        (folder, RecordedCase { case, waveform: Waveform::open(&waveform).unwrap() })
    };
    programs.iter().map(of).unzip()
}
