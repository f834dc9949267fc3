// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address and enables of a write port, by their values in every cycle.

use std::collections::{HashMap, HashSet};

use super::{Timeline, place::Tile};
use crate::dump::{DumpError, Shown};

/// Most bits beside the data that are tried as enables.
const BITS: usize = 64;

/// The values of signals: from which cycle on which one; `None` if a bit is unknown.
pub(super) struct Levels(HashMap<usize, Vec<(usize, Option<u64>)>>);

/// An enable: its signals by tile, and whether they are inverted.
pub(super) struct Enable<'a> {
    pub(super) signals: &'a [Option<usize>],
    pub(super) inverted: bool,
}

impl Levels {
    pub(super) fn read(wanted: &[usize], timeline: &Timeline<'_>) -> Result<Self, DumpError> {
        let mut levels: HashMap<usize, Vec<(usize, Option<u64>)>> = HashMap::new();
        timeline.play(wanted, &mut |position, changed, now| {
            for signal in changed {
                let value = match now.get(signal) {
                    Some(Shown::Bits(bits)) => bits.number(),
                    _ => None,
                };
                levels.entry(*signal).or_default().push((position, value));
            }
        })?;
        Ok(Self(levels))
    }

    /// The value of a signal in a cycle, by its place among all.
    fn value(&self, signal: usize, at: usize) -> Option<u64> {
        let values = self.0.get(&signal)?;
        values[..values.partition_point(|(from, _)| *from <= at)].last()?.1
    }

    /// True if signals show the rows of all writes.
    pub(super) fn are_addresses(
        &self,
        tiles: &[Tile],
        signals: &[Option<usize>],
        timeline: &Timeline<'_>,
        offset: i32,
    ) -> bool {
        tiles.iter().zip(signals).all(|(tile, signal)| {
            tile.writes.iter().all(|write| {
                let Some(position) = timeline.of_write(write, offset) else { return true };
                signal.and_then(|n| self.value(n, position)) == Some(write.row as u64)
            })
        })
    }
}

/// When a tile is written and when it is not.
struct Moments<'a> {
    levels: &'a Levels,
    /// The signals of the candidates for this tile.
    signals: Vec<Option<usize>>,
    writes: HashSet<usize>,
    known: Vec<usize>,
}

impl Moments<'_> {
    /// Whether a candidate is active; `None` if that is not known.
    fn active(&self, (candidate, inverted): (usize, bool), at: usize) -> Option<bool> {
        let value = self.levels.value(self.signals[candidate]?, at)?;
        Some((value == 1) != inverted)
    }

    /// True if all of them are active at the writes, and one is not at all other times. Tiles without these signals
    /// are never written.
    fn fit(&self, candidates: &[(usize, bool)]) -> bool {
        if candidates.iter().any(|(n, _)| self.signals[*n].is_none()) {
            return self.writes.is_empty();
        }
        self.known.iter().all(|at| {
            let active = || candidates.iter().map(|c| self.active(*c, *at));
            match self.writes.contains(at) {
                true => active().all(|a| a == Some(true)),
                false => active().any(|a| a == Some(false)),
            }
        })
    }
}

/// The enables that fit: single ones, else two together.
pub(super) fn find<'a>(
    tiles: &[Tile],
    bits: &[&'a Vec<Option<usize>>],
    levels: &Levels,
    timeline: &Timeline<'_>,
    offset: i32,
) -> Vec<Vec<Enable<'a>>> {
    let bits = &bits[..bits.len().min(BITS)];
    let of_tile = |(t, tile): (usize, &Tile)| {
        // The golden model tells of the writes of all cycles but the last one.
        let mut known = Vec::new();
        for (n, (_, count)) in timeline.cycles.iter().enumerate() {
            let cycles = (0..count.saturating_sub(1) as i64).map(|c| c + i64::from(offset));
            known.extend(cycles.filter_map(|c| timeline.position(n, c)));
        }
        Moments {
            levels,
            signals: bits.iter().map(|of| of[t]).collect(),
            writes: tile.writes.iter().filter_map(|w| timeline.of_write(w, offset)).collect(),
            known,
        }
    };
    let moments: Vec<Moments<'_>> = tiles.iter().enumerate().map(of_tile).collect();
    let at_writes = |candidate: &(usize, bool)| {
        moments.iter().all(|m| m.writes.iter().all(|at| m.active(*candidate, *at) == Some(true)))
    };
    let candidates: Vec<(usize, bool)> =
        (0..bits.len()).flat_map(|n| [(n, false), (n, true)]).filter(at_writes).collect();
    let fit = |of: &Vec<(usize, bool)>| moments.iter().all(|m| m.fit(of));
    let mut found: Vec<Vec<(usize, bool)>> =
        candidates.iter().map(|c| vec![*c]).filter(fit).collect();
    if found.is_empty() {
        let pairs = candidates.iter().enumerate().flat_map(|(i, a)| {
            candidates[i + 1..].iter().filter(|b| b.0 != a.0).map(|b| vec![*a, *b])
        });
        found = pairs.filter(fit).collect();
    }
    let enable = |(n, inverted): (usize, bool)| Enable { signals: bits[n].as_slice(), inverted };
    found.into_iter().map(|of| of.into_iter().map(enable).collect()).collect()
}
