// SPDX-License-Identifier: MIT OR Apache-2.0
//! On the golden model, the stimulus has the same effect as the case, a number of cycles later.

use drra_case::{Case, IdlePorts, Stimulus, StimulusEntry};
use drra_fabric::ports::{IdleLines, ProgWord, RfInit, SramInit};
use drra_isa::{CellId, Geometry, TileId};
use drra_lockstep::GoldenRun;
use drra_recorded::export::ExportOptions;

use super::{
    SMALL, at_the_ports, bundled, exported, file,
    reader::{self, Row, number},
};

/// Period of the only counter that runs without a program: `dpu.acc_cnt` (chapter 4).
const FREE_RUNNING: u64 = 256;

/// The inputs of a row.
fn entry(cycle: usize, row: &Row) -> StimulusEntry {
    let of = |port| number(row, port) as usize;
    let on = |port| number(row, port) == 1;
    let prog = ProgWord {
        instr: of("prog_instr") as u32,
        imm: on("prog_imm"),
        row_sel: of("prog_row_sel") as u8,
        col_sel: of("prog_col_sel") as u32,
    };
    let sram_init = SramInit {
        row: of("sram_init_row"),
        col: of("sram_init_col"),
        addr: of("sram_init_addr"),
        data: reader::block(row, "sram_init_data"),
        valid: on("sram_init_valid"),
    };
    let rf_init = RfInit {
        row: of("rf_init_row"),
        col: of("rf_init_col"),
        block: of("rf_init_block"),
        data: reader::block(row, "rf_init_data"),
    };
    StimulusEntry {
        cycle: cycle as u64,
        prog: on("prog_valid").then_some(prog),
        sram_init: on("sram_init_valid").then_some(sram_init),
        rf_init: on("rf_init_valid").then_some(rf_init),
        idle: Some(IdleLines { prog, sram_init, rf_init }),
    }
}

/// In every cycle of the case from 1 on, all registers and memories have the values that they have under the exported
/// stimulus `idle_cycles` cycles later.
#[track_caller]
fn check(case: &Case, geometry: &Geometry) {
    let options = ExportOptions { idle_cycles: FREE_RUNNING, ..ExportOptions::default() };
    let exported = exported(case, &options);
    let rows = reader::rows(file(&exported, "stimulus.txt"));
    let entries = rows.iter().enumerate().map(|(cycle, row)| entry(cycle, row)).collect();
    let driven = Case { stimulus: Stimulus::new(entries), ..case.clone() };
    // The case for the golden model has the same inputs.
    let stored = drra_case::parse(file(&exported, "case.json")).unwrap();
    let used = |case: &Case| -> Vec<StimulusEntry> {
        let used = case.stimulus.entries().iter().filter(|entry| entry.uses_a_port());
        used.map(|entry| StimulusEntry { idle: None, ..*entry }).collect()
    };
    assert_eq!(used(&stored), used(&driven));
    let later = |entry: StimulusEntry| StimulusEntry { cycle: entry.cycle + FREE_RUNNING, ..entry };
    assert_eq!(used(&driven), used(case).into_iter().map(later).collect::<Vec<_>>());
    assert_eq!(stored.cycles, Some(rows.len() as u64 - 1));
    assert_eq!((&stored.io_cells, &stored.name), (&case.io_cells, &case.name));
    assert_eq!(stored.input_buffers, case.input_buffers);
    let strap = |c: &CellId| 1 << (c.row() * geometry.columns + c.col());
    let straps: u64 = case.io_cells.iter().map(strap).sum();
    assert!(rows.iter().all(|row| number(row, "io_cell") == straps));

    let mut before = GoldenRun::new(case);
    let mut after = GoldenRun::new(&driven);
    (0..FREE_RUNNING).for_each(|_| after.step());
    // The tiles of row 1 get their direction at the first edge after reset (chapter 6, `seg_s`).
    before.step();
    after.step();
    let units: Vec<_> = before.fabric.layout().units().collect();
    for cycle in 1..rows.len() as u64 - FREE_RUNNING {
        before.fabric.pack();
        after.fabric.pack();
        for unit in &units {
            assert_eq!(
                before.fabric.image(*unit),
                after.fabric.image(*unit),
                "cycle {cycle}, {unit:?}"
            );
        }
        for tile in TileId::all(geometry) {
            assert_eq!(before.fabric.sram(tile), after.fabric.sram(tile), "cycle {cycle}");
        }
        before.step();
        after.step();
    }
}

#[test]
fn the_stimulus_does_what_the_case_does() {
    for name in ["vec_add", "block_hops", "pending", "branch_status"] {
        check(&bundled(name), &Geometry::default());
    }
    check(&at_the_ports(&SMALL), &SMALL);
}

/// Random bits on unused ports are part of the stimulus.
#[test]
fn lines_of_ports_that_are_not_used() {
    let geometry = Geometry::default();
    let case = Case { idle_ports: IdlePorts::Random, seed: 5, ..bundled("pending") };
    let exported = exported(&case, &ExportOptions::default());
    let lines = reader::rows(file(&exported, "stimulus.txt"));
    let unused = |row: &&Row| number(row, "prog_valid") == 0 && number(row, "prog_instr") != 0;
    assert!(lines.iter().filter(unused).count() > 5);
    check(&case, &geometry);
}
