// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the files exported for other simulators.

mod benches;
mod dumps;
mod format;
mod lock_step;
mod manifest;
mod options;
mod reader;
mod replay;

use drra_case::{Case, Stimulus, StimulusEntry, programs};
use drra_fabric::ports::{Block, ProgWord, RfInit, SramInit};
use drra_isa::{CellId, ColumnId, Geometry};
use drra_recorded::export::{CaseExport, ExportOptions, export};

/// A fabric whose ports have different widths from the ports of the default fabric.
const SMALL: Geometry = Geometry { columns: 3, tile_rows: 1, rf_words: 32, sram_blocks: 16 };

/// A bundled program on the default fabric.
fn bundled(name: &str) -> Case {
    let program = programs::ALL.iter().find(|program| program.name() == name).unwrap();
    program.case(&Geometry::default()).unwrap()
}

/// A block in which the position of every digit can be recognised.
fn block(seed: u64) -> Block {
    [0x0123_4567_89ab_cdef ^ seed, seed, !seed, 0xfedc_ba98_7654_3210]
}

/// A word for one cell.
fn word(instr: u32, imm: bool, (row, col): (usize, usize)) -> ProgWord {
    ProgWord { instr, imm, row_sel: 1 << row, col_sel: 1 << col }
}

/// A case in which the three groups of ports are used separately and together, with straps and buffers.
fn at_the_ports(geometry: &Geometry) -> Case {
    let last = geometry.columns - 1;
    let sram = |seed, addr| SramInit { row: 1, col: last, addr, data: block(seed), valid: true };
    let rf = |seed, number| RfInit { row: 1, col: last, block: number, data: block(seed) };
    let at = |cycle| StimulusEntry { cycle, ..StimulusEntry::default() };
    let entries = vec![
        StimulusEntry { sram_init: Some(sram(1, 0)), ..at(0) },
        StimulusEntry { sram_init: Some(sram(2, geometry.sram_blocks - 1)), ..at(3) },
        StimulusEntry { rf_init: Some(rf(3, geometry.rf_blocks() - 1)), ..at(4) },
        StimulusEntry { prog: Some(word(0x7ff_ffff, true, (0, 0))), ..at(9) },
        StimulusEntry {
            prog: Some(word(0x123_4567, false, (1, last))),
            sram_init: Some(sram(4, 1)),
            rf_init: Some(rf(5, 0)),
            ..at(10)
        },
    ];
    Case {
        name: "at the ports".to_owned(),
        geometry: *geometry,
        ports: true,
        stimulus: Stimulus::new(entries),
        io_cells: [CellId::FIRST, CellId::new(1, last).unwrap()].into(),
        input_buffers: [(0, 4, 6), (last, 6, 7), (last, 0x1ff_ffff, 8)]
            .map(|(col, addr, seed)| (ColumnId::new(col).unwrap(), addr, block(seed)))
            .to_vec(),
        cycles: Some(40),
        ..Case::default()
    }
}

#[track_caller]
fn exported(case: &Case, options: &ExportOptions) -> CaseExport {
    export(case, options).unwrap()
}

/// Text of a file of a case.
#[track_caller]
fn file<'a>(exported: &'a CaseExport, name: &str) -> &'a str {
    &exported.files.iter().find(|file| file.name == name).unwrap().text
}
