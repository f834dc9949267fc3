// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes cases to files.

use std::collections::BTreeMap;

use drra_fabric::ports::{Block, IdleLines, ProgWord, RfInit, SramInit};
use drra_isa::{BlockWords, Blocks, CellId, MemoryImage, Revision, TileId, Word};

use super::{
    CaseFile, HexBlock, StoredBuffer, StoredCell, StoredIdlePorts, StoredInitPort, StoredMemory,
    StoredPortCycle, StoredProgramPort, VERSION,
};
use crate::{Case, StimulusEntry, stimulus};

/// A case as a file: cells as assembly text, or the stimulus if the case has a port-level stimulus.
pub fn to_json(case: &Case) -> String {
    let mut file = CaseFile {
        version: VERSION,
        name: case.name.clone(),
        fabric: case.geometry,
        isa: Revision::R4.name().to_owned(),
        seed: case.seed,
        idle_ports: case.idle_ports,
        origin: case.origin.clone(),
        io_cells: case.io_cells.iter().map(|cell| [cell.row(), cell.col()]).collect(),
        cells: None,
        sram: Vec::new(),
        rf: Vec::new(),
        stimulus: None,
        input_buffers: buffers(case),
        compare_from: case.compare_from,
        cycles: case.cycles,
        expect: case.expect.clone(),
    };
    if case.ports {
        file.stimulus = Some(case.stimulus.entries().iter().map(entry).collect());
    } else {
        file.cells = Some(cells(case));
        let MemoryImage { sram, rf } = &case.memory;
        let tile = |(t, blocks): (&TileId, &Blocks)| memory(t.image_row(), t.col(), blocks);
        file.sram = sram.iter().map(tile).collect();
        file.rf = rf.iter().map(|(cell, blocks)| memory(cell.row(), cell.col(), blocks)).collect();
    }
    serde_json::to_string_pretty(&file).expect("plain data") + "\n"
}

fn cells(case: &Case) -> Vec<StoredCell> {
    let text = |at: CellId, words: &[Word]| -> String {
        let lines = drra_isa::disassemble(Revision::R4.isa(), words, case.io_cells.contains(&at));
        lines.into_iter().map(|l| l.text + "\n").collect()
    };
    let cells = case.program.cells();
    cells
        .map(|(at, words)| StoredCell { row: at.row(), col: at.col(), text: text(at, words) })
        .collect()
}

fn buffers(case: &Case) -> Vec<StoredBuffer> {
    let mut buffers: BTreeMap<usize, BTreeMap<u32, HexBlock>> = BTreeMap::new();
    for (col, address, block) in &case.input_buffers {
        buffers.entry(col.col()).or_default().insert(*address, HexBlock::of(block));
    }
    buffers.into_iter().map(|(col, blocks)| StoredBuffer { col, blocks }).collect()
}

fn memory(row: usize, col: usize, blocks: &Blocks) -> StoredMemory {
    let block = |(address, words): (&usize, &BlockWords)| {
        (*address as u32, HexBlock::of(&stimulus::block(words)))
    };
    StoredMemory { row, col, blocks: blocks.iter().map(block).collect() }
}

fn entry(e: &StimulusEntry) -> StoredPortCycle {
    let init = |row, col, address, data: Block| {
        let data = HexBlock::of(&data);
        StoredInitPort { row, col, address, data }
    };
    let prog = |p: ProgWord| StoredProgramPort {
        word: p.instr,
        imm: p.imm,
        row_sel: p.row_sel,
        col_sel: p.col_sel,
    };
    StoredPortCycle {
        cycle: e.cycle,
        prog: e.prog.map(prog),
        // Files number tile rows from 0.
        sram_init: e.sram_init.map(|i| init(i.row - 1, i.col, i.addr, i.data)),
        rf_init: e.rf_init.map(|i| init(i.row, i.col, i.block, i.data)),
        // Ports whose lines are 0 are omitted.
        idle: e.idle.map(|IdleLines { prog: p, sram_init: s, rf_init: f }| StoredIdlePorts {
            prog: (p != ProgWord::default()).then(|| prog(p)),
            sram_init: (s != SramInit::default()).then(|| init(s.row, s.col, s.addr, s.data)),
            rf_init: (f != RfInit::default()).then(|| init(f.row, f.col, f.block, f.data)),
        }),
    }
}
