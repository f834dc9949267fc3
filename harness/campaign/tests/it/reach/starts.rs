// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases whose programs are the same except that one cell starts earlier or later.

use std::collections::{BTreeMap, BTreeSet};

use drra_generate::{Profile, generate};
use drra_isa::{CellId, Opcode, instructions::loop_};

use super::watch;
use crate::GEOMETRY;

/// For each cell, the cycle of its first instruction other than WAIT and HALT, less the number of program words, and
/// that instruction. The end address of a LOOP is left out, because it depends on the WAITs before it.
fn starts(profile: &Profile, seed: u64) -> BTreeMap<CellId, (i64, u32)> {
    let case = generate(profile, seed, &GEOMETRY).case;
    let mut found = BTreeMap::new();
    let mut cycles: BTreeMap<CellId, i64> = BTreeMap::new();
    watch(&case, &mut |now, _, cell| {
        let sequencer = now.sequencer(cell);
        let cycle = cycles.entry(cell).or_default();
        *cycle += 1;
        let mut word = sequencer.imem(sequencer.pc().into());
        let kind = Opcode::of(u64::from(word), false);
        if kind == Some(Opcode::Loop) {
            loop_::ENDPC.set(std::slice::from_mut(&mut word), 0);
        }
        if sequencer.running() && !matches!(kind, Some(Opcode::Wait | Opcode::Halt)) {
            found.entry(cell).or_insert((*cycle, word));
        }
    });
    // WAITs at the start of a program lengthen the load phase of all cells.
    let words = case.stimulus.entries().iter().filter(|e| e.prog.is_some()).count() as i64;
    found.into_iter().map(|(cell, (cycle, word))| (cell, (cycle - words, word))).collect()
}

/// One cell starts up to four cycles earlier or later relative to all other cells, with the same instruction. Every
/// distance occurs.
#[test]
fn the_start_of_one_cell_moves() {
    let mut still = Profile::shipped("smoke").unwrap();
    (still.cells, still.dynamic) = ([3, 6], 0.0);
    let moved = Profile { moved_start: 1.0, ..still.clone() };
    let mut distances = BTreeSet::new();
    for seed in 0..120 {
        let (before, after) = (starts(&still, seed), starts(&moved, seed));
        let shift = |(cell, (cycle, word)): (&CellId, &(i64, u32))| {
            let (was, same) = before[cell];
            assert_eq!(*word, same, "seed {seed}, {cell:?}");
            cycle - was
        };
        assert_eq!(before.len(), after.len(), "seed {seed}");
        let shifts: Vec<i64> = after.iter().map(shift).collect();
        let mut kinds: BTreeMap<i64, usize> = BTreeMap::new();
        shifts.iter().for_each(|shift| *kinds.entry(*shift).or_default() += 1);
        let kinds: Vec<(i64, usize)> = kinds.into_iter().collect();
        match kinds[..] {
            // Either all cells with such an instruction moved, or none of them did.
            [] | [_] => {}
            [(a, 1), (b, _)] if shifts.len() > 2 => _ = distances.insert(a - b),
            [(b, _), (a, 1)] if shifts.len() > 2 => _ = distances.insert(a - b),
            [_, _] => {}
            _ => panic!("seed {seed}: {kinds:?}"),
        }
    }
    assert_eq!(distances, (-4..=4).filter(|d| *d != 0).collect());
}
