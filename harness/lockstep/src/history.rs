// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of one side over successive cycles, stored as changes.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use drra_fabric::{
    Layout, Register,
    ports::{Block, ZERO_BLOCK},
};
use drra_isa::{TileId, Unit};

use crate::{
    difference::{StateSource, undefined},
    value::Value,
};

/// The registers of one side from a cycle on, and the tile memories.
#[derive(Clone, Debug)]
pub struct StateHistory {
    layout: Arc<Layout>,
    /// First recorded cycle, and number of recorded cycles.
    first: u64,
    cycles: u64,
    /// The images of all units, one after another, as of the last cycle, and the position of each image.
    starts: Vec<usize>,
    words: WordChanges,
    unknown: WordChanges,
    /// For each unit: true if one of its bits was unknown in some cycle.
    has_unknown: Vec<bool>,
    /// The memory rows as of the last cycle, and their changes. An initial 0 is not a change.
    srams: Vec<Vec<Block>>,
    rows: BTreeMap<(TileId, usize), Vec<(u64, Block)>>,
}

/// Words with their changes; a change consists of the cycle and the new value. All words are 0 at first.
#[derive(Clone, Debug)]
struct WordChanges {
    now: Vec<u64>,
    changes: Vec<Vec<(u64, u64)>>,
}

impl WordChanges {
    fn new(words: usize) -> Self {
        Self { now: vec![0; words], changes: vec![Vec::new(); words] }
    }

    fn set(&mut self, word: usize, cycle: u64, value: u64) {
        if self.now[word] != value {
            self.now[word] = value;
            self.changes[word].push((cycle, value));
        }
    }

    fn at(&self, word: usize, cycle: u64) -> u64 {
        last_before(&self.changes[word], cycle).copied().unwrap_or_default()
    }
}

/// The last change at or before a cycle.
fn last_before<T>(changes: &[(u64, T)], cycle: u64) -> Option<&T> {
    let after = changes.partition_point(|(at, _)| *at <= cycle);
    Some(&changes[after.checked_sub(1)?].1)
}

impl StateHistory {
    /// An empty recording; `first` is the first cycle that will be recorded.
    pub fn new(layout: &Arc<Layout>, first: u64) -> Self {
        let geometry = layout.geometry();
        let (mut starts, mut words) = (Vec::new(), 0);
        for unit in layout.units() {
            starts.push(words);
            words += layout.words(unit.kind());
        }
        Self {
            layout: Arc::clone(layout),
            first,
            cycles: 0,
            has_unknown: vec![false; starts.len()],
            starts,
            words: WordChanges::new(words),
            unknown: WordChanges::new(words),
            srams: vec![vec![ZERO_BLOCK; geometry.sram_blocks]; geometry.tiles()],
            rows: BTreeMap::new(),
        }
    }

    /// Adds the next cycle. A register that is undefined keeps its last value, so that sides that agree have the same
    /// history.
    pub fn add(&mut self, source: &dyn StateSource) {
        let cycle = self.first + self.cycles;
        self.cycles += 1;
        let layout = Arc::clone(&self.layout);
        let (mut image, mut unknown) = (Vec::new(), Vec::new());
        for (i, unit) in layout.units().enumerate() {
            let start = self.starts[i];
            source.read(unit, &mut image);
            source.unknown(unit, &mut unknown);
            let variables = layout.variables_of(unit.kind());
            let kept: Vec<usize> = variables
                .filter(|variable| undefined(&layout, variable, &image))
                .flat_map(|variable| (variable.slot..).take(variable.words(&image).len()))
                .collect();
            let defined = |(k, _): &(usize, &u64)| !kept.contains(k);
            for (k, word) in image.iter().enumerate().filter(defined) {
                self.words.set(start + k, cycle, *word);
            }
            self.has_unknown[i] |= !unknown.is_empty();
            if self.has_unknown[i] {
                unknown.resize(image.len(), 0);
                for (k, word) in unknown.iter().enumerate().filter(defined) {
                    self.unknown.set(start + k, cycle, *word);
                }
            }
            if let Unit::Tile(tile) = unit {
                let rows = &mut self.srams[tile.index(layout.geometry())];
                for (row, old) in rows.iter_mut().enumerate() {
                    let block = source.sram_block(tile, row);
                    if *old != block {
                        *old = block;
                        self.rows.entry((tile, row)).or_default().push((cycle, block));
                    }
                }
            }
        }
    }

    /// True if a cycle is recorded.
    pub fn has(&self, cycle: u64) -> bool {
        self.cycles().contains(&cycle)
    }

    /// The recorded cycles.
    pub fn cycles(&self) -> Range<u64> {
        self.first..self.first + self.cycles
    }

    /// The last cycle that is recorded.
    pub fn last(&self) -> Option<u64> {
        self.cycles().last()
    }

    /// The first cycle that is recorded.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The positions of the registers in the images.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The image of a unit in a cycle.
    pub fn image(&self, unit: Unit, cycle: u64) -> Vec<u64> {
        let start = self.starts[unit.position(self.layout.geometry())];
        (start..start + self.layout.words(unit.kind())).map(|w| self.words.at(w, cycle)).collect()
    }

    /// The value of a register in a cycle; `None` for memory rows.
    pub fn value(&self, unit: Unit, register: Register, cycle: u64) -> Option<Value> {
        let (variable, field) = self.layout.find(register)?;
        let start = self.starts[unit.position(self.layout.geometry())] + variable.slot;
        let words = (start..).take(variable.bits.div_ceil(64) as usize);
        let words: Vec<u64> = words.map(|word| self.words.at(word, cycle)).collect();
        Some(Value::new(field.value(&words), field.width))
    }

    /// The memory rows that change within a range of cycles; in the first recorded cycle, those that are not 0.
    pub fn changing_rows(&self, cycles: Range<u64>) -> impl Iterator<Item = (TileId, usize)> {
        let changes = move |changes: &[(u64, Block)]| {
            let before = changes.partition_point(|(cycle, _)| *cycle < cycles.start);
            changes.get(before).is_some_and(|(cycle, _)| *cycle < cycles.end)
        };
        self.rows.iter().filter(move |(_, of)| changes(of)).map(|(row, _)| *row)
    }

    /// Replays the recorded cycles one after another.
    pub fn replay(&self) -> HistoryCursor<'_> {
        let events = |tracks: &WordChanges| {
            let of_word = |(word, changes): (usize, &Vec<(u64, u64)>)| {
                changes.iter().map(|(cycle, _)| (*cycle, word)).collect::<Vec<_>>()
            };
            let mut events: Vec<_> = tracks.changes.iter().enumerate().flat_map(of_word).collect();
            events.sort_unstable();
            events
        };
        let words = self.words.now.len();
        HistoryCursor {
            history: self,
            cycle: self.first,
            events: [events(&self.words), events(&self.unknown)],
            next: [0; 2],
            images: [vec![0; words], vec![0; words]],
        }
    }
}

/// A position in a history, which advances cycle by cycle.
#[derive(Clone, Debug)]
pub struct HistoryCursor<'a> {
    history: &'a StateHistory,
    cycle: u64,
    /// Cycle and word of every change in order, for the registers and for their unknown bits.
    events: [Vec<(u64, usize)>; 2],
    next: [usize; 2],
    images: [Vec<u64>; 2],
}

impl HistoryCursor<'_> {
    /// Advances to a cycle.
    pub fn go_to(&mut self, cycle: u64) {
        self.cycle = cycle;
        let tracks = [&self.history.words, &self.history.unknown];
        for (k, tracks) in tracks.into_iter().enumerate() {
            while let Some(&(_, word)) = self.events[k].get(self.next[k]).filter(|e| e.0 <= cycle) {
                self.images[k][word] = tracks.at(word, cycle);
                self.next[k] += 1;
            }
        }
    }

    /// The registers of a unit.
    pub(crate) fn image(&self, unit: Unit) -> &[u64] {
        self.slice(0, unit)
    }

    fn slice(&self, k: usize, unit: Unit) -> &[u64] {
        let layout = &self.history.layout;
        let start = self.history.starts[unit.position(layout.geometry())];
        &self.images[k][start..start + layout.words(unit.kind())]
    }
}

impl StateSource for HistoryCursor<'_> {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        image.clear();
        image.extend_from_slice(self.image(unit));
    }

    fn unknown(&self, unit: Unit, image: &mut Vec<u64>) {
        image.clear();
        if self.history.has_unknown[unit.position(self.history.layout.geometry())] {
            image.extend_from_slice(self.slice(1, unit));
        }
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        let changes = self.history.rows.get(&(tile, row));
        changes.and_then(|c| last_before(c, self.cycle)).copied().unwrap_or(ZERO_BLOCK)
    }
}
