// SPDX-License-Identifier: MIT OR Apache-2.0
//! Costs of loops, tables of events, and differences between runs. Expected values are counted by hand: chapter 2, 5.2
//! (a WAIT lasts one cycle longer than its field specifies) and 11, chapter 3, section 6, and chapter 4, 4.2.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{Assembler, CellId, TileId, Unit};
use drra_view::{CellStatistics, CycleWindow, RecordedRun, count, differences, record};

use crate::view::{VEC_ADD, case};

const NESTED: &str = include_str!("../../../../tests/programs/nested_loops.sasm");

fn recorded(text: &str) -> RecordedRun {
    record(&case(text), None, CycleWindow { from: None, to: Some(u64::MAX) })
}

#[track_caller]
fn of_one_cell(text: &str, cycles: Option<u64>) -> CellStatistics {
    let lines = Assembler::default().assemble(text).unwrap().lines;
    let mut statistics = count(&case(text), cycles).locate(&lines);
    assert_eq!(statistics.cells.len(), 1);
    statistics.cells.remove(0)
}

/// An iteration takes 1 + 5 + 2 cycles, and r0 emits its addresses in as many cycles.
#[test]
fn the_unit_in_use_longest_limits_a_loop() {
    for (addresses, limit) in [(6, "WAIT"), (7, "r0")] {
        let text = format!(
            "CELL <0,0>\nLOOP loopid=0, endpc=last, iter=5\nREFI port_no=r0, l1_iter={}\n\
             WAIT cycle=4\nlast: WAIT cycle=1\nHALT\n",
            addresses - 1
        );
        let cell = of_one_cell(&text, None);
        let [of] = cell.loops.as_slice() else { panic!("{:?}", cell.loops) };
        assert_eq!((of.addresses, of.limit.as_str()), ([1, 3], limit));
        assert_eq!(of.iterations, BTreeMap::from([(8, 5)]));
        let busy = ["decode", "WAIT", "r0", "DPU"].map(|unit| of.busy[unit]);
        assert_eq!(busy, [5, 5 * 7, 5 * addresses, 0]);
        assert_eq!(cell.waits, BTreeMap::from([(2, 5 * 5), (3, 5 * 2)]));
        assert_eq!((cell.lines[&1], cell.lines[&3]), (3, 5));
    }
}

/// The outer body is a LOOP, four passes of two instructions, and an instruction. The texts show the same.
#[test]
fn loops_in_loops() {
    let loops = of_one_cell(NESTED, None).loops;
    let found: Vec<_> = loops.iter().map(|l| (l.addresses, l.iterations.clone())).collect();
    let expected = [([1, 4], [(10, 3)].into()), ([2, 3], [(2, 12)].into())];
    assert_eq!(found, expected);
    let text = count(&case(NESTED), None).text();
    let row = text.lines().find(|line| line.contains("2-3")).unwrap().replace('│', " ");
    let row: Vec<_> = row.split_whitespace().collect();
    assert_eq!(row, "cell[0][0] 2-3 --- 12 2/2/2 decode 100 % 0 %".split(' ').collect::<Vec<_>>());
}

/// A WAIT of 3 cycles and a JUMP repeat every 4 cycles; a pass counts when the next one is decoded.
#[test]
fn a_jump_backward_makes_a_loop() {
    let text = "CELL <0,0>\nagain: WAIT cycle=2\nJUMP pc=again\nHALT\n";
    let first = count(&case(text), Some(20)).span.unwrap().first_decode;
    for (cycles, iterations) in [(8, 1), (9, 2), (12, 2)] {
        let [of] = &of_one_cell(text, Some(first + cycles)).loops[..] else { panic!("one loop") };
        assert_eq!((of.addresses, &of.iterations), ([0, 1], &[(4, iterations)].into()), "{cycles}");
    }
}

/// Chapter 2, 11.1: the first pair is read in cycle 50, and its sum is stored in the next one. A WAIT holds the program
/// in cycles 45 to 47, and a block leaves the tile in the cycle after it was read.
#[test]
fn a_line_for_each_unit_and_cycle() {
    let run = recorded(VEC_ADD);
    let units = [CellId::new(0, 0).unwrap().into(), TileId::new(1, 0).unwrap().into()];
    let lines = |units: &[Unit], cycle: u64| -> Vec<String> {
        let table = run.trace_table(&BTreeSet::from_iter(units.iter().copied()));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = table.lines().map(words);
        lines.filter(|line| line.starts_with(&format!("{cycle} "))).collect()
    };
    let sum = "51 cell[0][0] r0[1]=1 r1[17]=17 add 1 17 out0=16 out1=0 w0[32]=16";
    assert_eq!(lines(&units, 51), [sum]);
    assert_eq!(lines(&units, 46), [""; 0]);
    assert_eq!(lines(&units, 47), ["47 tile[1][0] row[0]"]);
    assert_eq!(lines(&units, 48)[1], "48 tile[1][0] to S=0 1 2 3 4 5 6 7 8 9 10 ...");
    assert_eq!(lines(&units[..1], 47), [""; 0]);
    assert_eq!(lines(&units, 66), ["66 cell[0][0] out0=46 out1=0 w0[47]=46 26 HALT"]);
}

/// The differences below the headline.
fn found(old: &str, new: &str) -> Vec<String> {
    differences(&recorded(old), &recorded(new)).split_off(1)
}

#[test]
fn a_shift_in_time_is_no_difference() {
    assert_eq!(found(VEC_ADD, VEC_ADD), [""; 0]);
    let longer = VEC_ADD.replace("done:", "WAIT cycle=2\ndone:");
    let [only] = &found(VEC_ADD, &longer)[..] else { panic!("one difference") };
    assert!(only.starts_with("+ cell[0][0] 26 WAIT cycle=2: cycle "), "{only}");
    // The second REFI waits for a flag while the first pattern runs, in both programs for a different time.
    let text = |more: &str| {
        format!(
            "CELL <0,0>\nREFI port_no=r0, l1_iter=9\nWAIT cycle=2\n{more}REFI.D port_no=r0, init_addr=20\n\
             WAIT.D cycle=9\nWAIT cycle=3\nHALT\n"
        )
    };
    assert_eq!(found(&text(""), &text("RACCU\n")).len(), 1);
}

/// The mode is in force one cycle later, so the sum of the first pair is missing. The WAIT of a register lasts longer.
#[test]
fn effects_of_a_difference() {
    let found_in = found(VEC_ADD, &VEC_ADD.replace("WAIT cycle=3", "WAIT cycle=4"));
    let shows = |lines: &[String], end: &str| lines.iter().any(|line| line.ends_with(end));
    for end in [
        ", DPU: 16 of 16 differ, first add 0 16 in cycle 50 | add 1 17 in cycle 51",
        ", w0: 1 of 16 differ, first w0[32]=16 in cycle 51 | w0[32]=0 in cycle 51",
        "- cell[0][0] 23 WAIT cycle=3: cycle 44",
    ] {
        assert!(shows(&found_in, end), "{end}: {found_in:#?}");
    }
    let text = |n| {
        format!(
            "CELL <0,0>\nRACCU mode=add, operand1={n}, operand2=1, result=0\nWAIT cycle_sd=d, cycle=0\nHALT\n"
        )
    };
    let lines = found(&text(1), &text(4));
    assert!(shows(&lines, ", duration: 3 | 6 cycles"), "{lines:#?}");
}
