// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places the stimulus of a case on the time axis of a test bench: idle cycles before it, cells loaded in the requested
//! order, and flags in the cycles in which the fabric samples them.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::{Case, Divergence, Stimulus, StimulusEntry};
use drra_fabric::ports::ProgWord;
use drra_isa::Geometry;

use super::{ExportOptions, FlagTiming, WordOrder};
use crate::stimulus::selected;

/// A valid word that selects no cell: it continues a load (chapter 5, 5.2).
const NOBODY: ProgWord = ProgWord { instr: 0, imm: false, row_sel: 0, col_sel: 0 };

/// A case on the time axis of a test bench.
#[derive(Clone, Debug)]
pub(super) struct ArrangedCase {
    /// The case as the golden model runs it, with every flag next to its word.
    pub(super) case: Case,
    /// Cycles in which the flag port is 1.
    pub(super) flags: BTreeSet<u64>,
    /// Cycles inserted to keep flags apart.
    pub(super) inserted_cycles: u64,
}

/// Places a case on the time axis of a test bench. Inputs after the end of the run are left out.
pub(super) fn arrange(case: &Case, options: &ExportOptions) -> ArrangedCase {
    let geometry = &case.geometry;
    let end = case.cycles.unwrap_or(u64::MAX);
    let seen = case.stimulus.entries().iter().filter(|entry| entry.cycle < end);
    let later = |entry: &StimulusEntry| StimulusEntry {
        cycle: entry.cycle + options.idle_cycles,
        ..*entry
    };
    let mut entries: Vec<StimulusEntry> = seen.map(later).collect();
    let reordered = options.order == WordOrder::Diagonal && sort_loads(&mut entries, geometry);
    let before = entries.len();
    let (flags, inserted_cycles) = match options.flag {
        FlagTiming::Word => {
            let flagged = entries.iter().filter(|entry| match (entry.prog, entry.idle) {
                (Some(word), _) => word.imm,
                (None, idle) => idle.is_some_and(|idle| idle.prog.imm),
            });
            (flagged.map(|entry| entry.cycle).collect(), 0)
        }
        FlagTiming::Delayed => {
            // While the word port is unused, the flag port shows the flags of words in flight.
            for idle in entries.iter_mut().filter_map(|entry| entry.idle.as_mut()) {
                idle.prog.imm = false;
            }
            delay_flags(&mut entries, geometry)
        }
    };
    let moved = reordered || inserted_cycles > 0 || entries.len() != before;
    let shift = options.idle_cycles + inserted_cycles;
    let mut case = Case {
        ports: true,
        stimulus: Stimulus::new(entries),
        cycles: case.cycles.map(|cycles| cycles + shift),
        ..case.clone()
    };
    // The first cycle of a failure is no longer valid once inputs have moved relative to each other.
    let expect = case.expect.take().filter(|_| !moved);
    case.expect = expect.map(|e| Divergence { cycle: e.cycle + options.idle_cycles, ..e });
    ArrangedCase { case, flags, inserted_cycles }
}

/// Sorts the words of every load by the largest distance of their cells, unless the load selects a cell in several
/// ways. Returns true if any word moved.
fn sort_loads(entries: &mut [StimulusEntry], geometry: &Geometry) -> bool {
    let mut moved = false;
    let loads =
        entries.chunk_by_mut(|a, b| a.prog.is_some() && b.prog.is_some() && b.cycle == a.cycle + 1);
    for load in loads.filter(|load| load.len() > 1) {
        let before: Vec<ProgWord> = load.iter().filter_map(|entry| entry.prog).collect();
        if !one_way_to_each_cell(&before, geometry) {
            continue;
        }
        let mut words = before.clone();
        words.sort_by_key(|word| distances(word, geometry).last().copied());
        moved |= words != before;
        for (entry, word) in load.iter_mut().zip(words) {
            entry.prog = Some(word);
        }
    }
    moved
}

/// True if no cell is selected by two words with different selections: only then do the words of each cell keep their
/// order when all words are sorted.
fn one_way_to_each_cell(words: &[ProgWord], geometry: &Geometry) -> bool {
    let selections: BTreeSet<(u8, u32)> =
        words.iter().map(|word| (word.row_sel, word.col_sel)).collect();
    let cells = selections.iter().flat_map(|&(row_sel, col_sel)| {
        let word = ProgWord { row_sel, col_sel, ..NOBODY };
        selected(&word, geometry)
    });
    let mut seen = BTreeSet::new();
    cells.into_iter().all(|cell| seen.insert(cell))
}

/// The distances r+c of the cells that a word selects, ascending.
fn distances(word: &ProgWord, geometry: &Geometry) -> BTreeSet<u64> {
    selected(word, geometry).map(|cell| (cell.row() + cell.col()) as u64).collect()
}

/// Finds the cycles in which the flag port must be 1 so that every flag reaches a cell together with its word. Where
/// two different flags would collide, the later word and everything after it are delayed; meanwhile, words that select
/// no cell continue the load. Returns these cycles and the number of inserted cycles.
fn delay_flags(entries: &mut Vec<StimulusEntry>, geometry: &Geometry) -> (BTreeSet<u64>, u64) {
    let mut flags: BTreeMap<u64, bool> = BTreeMap::new();
    let mut inserted = 0;
    let mut arranged: Vec<StimulusEntry> = Vec::with_capacity(entries.len());
    let mut loading_until = None;
    for entry in entries.iter() {
        let mut cycle = entry.cycle + inserted;
        if let Some(word) = entry.prog {
            let of_load = loading_until == Some(cycle);
            let distances = distances(&word, geometry);
            let meets = |cycle: u64| {
                distances.iter().any(|d| flags.get(&(cycle + d)).is_some_and(|f| *f != word.imm))
            };
            while meets(cycle) {
                if of_load {
                    arranged.push(StimulusEntry {
                        cycle,
                        prog: Some(NOBODY),
                        ..StimulusEntry::default()
                    });
                }
                cycle += 1;
                inserted += 1;
            }
            flags.extend(distances.iter().map(|d| (cycle + d, word.imm)));
            loading_until = Some(cycle + 1);
        }
        arranged.push(StimulusEntry { cycle, ..*entry });
    }
    *entries = arranged;
    (flags.into_iter().filter_map(|(cycle, flag)| flag.then_some(cycle)).collect(), inserted)
}
