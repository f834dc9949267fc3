// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two runs side by side. Their cycles are counted from the first decode of each, so that a program that
//! takes longer to load is not late.

use std::collections::BTreeMap;

use drra_isa::{Unit, ports::Block};

use super::{recording::Recording, track::Track};

/// Two runs: of two versions of a program, or of two schedules.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The runs, A and B.
    pub runs: [&'a Recording; 2],
}

/// A write into a memory after the first decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The cell or tile.
    pub unit: Unit,
    /// Word of the register file, or row of the tile's memory.
    pub address: usize,
    /// What is written.
    pub value: Stored,
}

/// What a write stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A word of a register file.
    Word(u16),
    /// A row of a tile's memory.
    Row(Block),
}

/// The first cycle in which two runs write differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// The cycle whose registers have the writes, counted from the first decode as 0.
    pub after: u64,
    /// The same cycle in each run.
    pub cycles: [u64; 2],
    /// What only this run writes there.
    pub only: [Vec<Write>; 2],
}

/// Writes by their cycle after the first decode.
type Aligned = BTreeMap<u64, Vec<Write>>;

impl Comparison<'_> {
    /// The first cycle in which memory writes differ.
    pub fn first_difference(&self) -> Option<FirstDifference> {
        let sides = self.runs.map(writes);
        let cycles = sides[0].keys().chain(sides[1].keys());
        let none = Vec::new();
        let of = |side: &'_ Aligned, cycle| side.get(cycle).cloned().unwrap_or_default();
        let first = cycles
            .filter(|cycle| {
                sides[0].get(cycle).unwrap_or(&none) != sides[1].get(cycle).unwrap_or(&none)
            })
            .min()?;
        let [a, b] = [of(&sides[0], first), of(&sides[1], first)];
        let without = |all: &[Write], other: &[Write]| {
            all.iter().filter(|w| !other.contains(w)).cloned().collect()
        };
        Some(FirstDifference {
            after: *first,
            cycles: self.runs.map(|run| run.begin() + first),
            only: [without(&a, &b), without(&b, &a)],
        })
    }

    /// Words of register files and rows of tiles that differ at the end of the runs.
    pub fn different_at_the_end(&self) -> Vec<(Unit, usize)> {
        let [a, b] = self.runs.map(last_contents);
        let places = a.keys().chain(b.keys());
        let mut different: Vec<(Unit, usize)> =
            places.filter(|place| value(&a, place) != value(&b, place)).copied().collect();
        different.sort();
        different.dedup();
        different
    }
}

/// A place that was never written holds 0.
fn value(contents: &BTreeMap<(Unit, usize), Stored>, place: &(Unit, usize)) -> Option<Stored> {
    let zero = |stored: &Stored| match stored {
        Stored::Word(word) => *word == 0,
        Stored::Row(block) => block.iter().all(|quad| *quad == 0),
    };
    contents.get(place).copied().filter(|stored| !zero(stored))
}

/// Memories of a recording: unit, address, contents over the cycles.
fn memories(run: &Recording) -> impl Iterator<Item = (Unit, usize, &Track)> {
    let words = run.cells().flat_map(|(cell, tracks)| {
        tracks.words.iter().enumerate().map(move |(word, track)| (cell.into(), word, track))
    });
    let rows = run.tiles().flat_map(|(tile, tracks)| {
        tracks.rows.iter().map(move |(row, track)| (tile.into(), usize::from(*row), track))
    });
    words.chain(rows)
}

fn stored(run: &Recording, unit: Unit, value: i64) -> Stored {
    match unit {
        Unit::Tile(_) => Stored::Row(run.blocks[value as usize]),
        _ => Stored::Word(value as u16),
    }
}

fn writes(run: &Recording) -> Aligned {
    let begin = run.begin();
    let mut writes = Aligned::new();
    for (unit, address, track) in memories(run) {
        for &(cycle, value) in track.changes() {
            if let Some(after) = cycle.checked_sub(begin).filter(|after| *after > 0) {
                let value = stored(run, unit, value);
                writes.entry(after).or_default().push(Write { unit, address, value });
            }
        }
    }
    writes
}

fn last_contents(run: &Recording) -> BTreeMap<(Unit, usize), Stored> {
    let last = |(unit, address, track): (Unit, usize, &Track)| {
        Some(((unit, address), stored(run, unit, track.at(run.to)?)))
    };
    memories(run).filter_map(last).collect()
}
