// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random bits on port lines that a cycle does not use.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::{Buffers, Case, IdlePorts, Stimulus, StimulusEntry};
use drra_fabric::ports::{IdleLines, Inputs, ProgWord, RfInit, SramInit};
use drra_isa::{Geometry, MemoryImage, ProgramImage};

/// A case that uses no port, with random bits on all of them.
fn case(seed: u64) -> Case {
    let geometry = Geometry { columns: 3, tile_rows: 2, rf_words: 32, sram_blocks: 16 };
    let case = Case::new("", &geometry, ProgramImage::default(), MemoryImage::default());
    Case { seed, idle_ports: IdlePorts::Random, ..case }
}

/// The lines in the first cycles of a case.
fn lines(seed: u64, cycles: usize) -> Vec<Option<IdleLines>> {
    let case = case(seed);
    let mut player = case.player();
    (0..cycles).map(|_| player.next(&[]).idle).collect()
}

/// Every line of the ports takes both values, and no bits lie outside the ports. The bits depend on seed and cycle.
#[test]
fn every_line_is_driven_both_ways() {
    let mut ones = IdleLines::default();
    for IdleLines { prog, sram_init: s, rf_init: f } in lines(7, 4000).into_iter().flatten() {
        ones.prog.instr |= prog.instr;
        ones.prog.imm |= prog.imm;
        ones.prog.row_sel |= prog.row_sel;
        ones.prog.col_sel |= prog.col_sel;
        ones.sram_init.row |= s.row;
        ones.sram_init.col |= s.col;
        ones.sram_init.addr |= s.addr;
        ones.rf_init.row |= f.row;
        ones.rf_init.col |= f.col;
        ones.rf_init.block |= f.block;
        for k in 0..4 {
            ones.sram_init.data[k] |= s.data[k];
            ones.rf_init.data[k] |= f.data[k];
        }
    }
    let all = [u64::MAX; 4];
    let prog = ProgWord { instr: 0x7ff_ffff, imm: true, row_sel: 3, col_sel: 7 };
    let sram_init = SramInit { row: 3, col: 3, addr: 15, data: all, valid: false };
    let rf_init = RfInit { row: 1, col: 3, block: 1, data: all };
    assert_eq!(ones, IdleLines { prog, sram_init, rf_init });
    assert_eq!(lines(7, 64), lines(7, 64));
    assert_ne!(lines(7, 64), lines(8, 64));
    assert!(lines(7, 64).contains(&None), "no cycle with all lines 0");
}

/// A cycle on its own has the same inputs as in a run.
#[test]
fn a_cycle_alone_has_the_inputs_of_a_run() {
    let stimulus = Stimulus::new(vec![StimulusEntry {
        cycle: 9,
        prog: Some(ProgWord { instr: 5, imm: true, row_sel: 1, col_sel: 4 }),
        ..StimulusEntry::default()
    }]);
    let case = Case { stimulus, ..case(7) };
    let (mut player, mut buffers) = (case.player(), Buffers::new(&case));
    for cycle in 0..200 {
        let (entry, inputs) = (case.entry(cycle), player.next(&[]));
        assert_eq!((entry.prog, entry.idle), (inputs.prog, inputs.idle), "{cycle}");
        assert_eq!(case.idle_answer(cycle), buffers.answers()[0]);
        buffers.step([], []);
    }
    let values: Vec<u64> = case.entry(9).ports().map(|(_, value)| value[0]).collect();
    assert_eq!(values[..5], [1, 5, 1, 1, 4]);
}

/// In columns without a request, every bit of the answers of the input buffers takes both values, too.
#[test]
fn every_answer_is_driven_both_ways() {
    let mut buffers = Buffers::new(&case(7));
    let (mut ones, mut quiet) = ([0; 4], false);
    for _ in 0..4000 {
        for answer in buffers.answers() {
            quiet |= *answer == [0; 4];
            ones = std::array::from_fn(|k| ones[k] | answer[k]);
        }
        buffers.step([], []);
    }
    assert_eq!((ones, quiet), ([u64::MAX; 4], true));
}

/// Every port is in use during reset. Every register file and tile is addressed, most often the tile at the port.
#[test]
fn ports_are_in_use_in_reset() {
    let of = |seed| case(seed).in_reset();
    let (mut files, mut tiles) = (BTreeSet::new(), BTreeMap::new());
    for seed in 0..400 {
        let Inputs { prog: Some(_), sram_init: Some(s), rf_init: Some(f), .. } = of(seed) else {
            panic!("seed {seed}: a port is not in use");
        };
        *tiles.entry((s.row, s.col)).or_insert(0) += 1;
        files.insert((f.row, f.col));
    }
    for col in 0..3 {
        assert!(files.contains(&(0, col)) && files.contains(&(1, col)));
        assert!(tiles.contains_key(&(1, col)) && tiles.contains_key(&(2, col)));
    }
    assert!((180..260).contains(&tiles[&(1, 0)]), "{tiles:?}");
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}
