// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signals that all dumps have, under one number each.

use std::{cmp::Reverse, collections::HashMap, ops::ControlFlow};

use crate::{
    dump::{Dump, DumpError, Shown},
    frames::{Clock, Edge, frames},
    names::{Signal, SignalId, SignalKind},
};

/// Takes an edge, and the signals that got a value since the edge before.
type EachEdge<'a> = &'a mut dyn FnMut(u64, &[(usize, Shown)]);

/// The signals that all dumps have under the same path, without those whose path stands twice.
pub(super) struct Common {
    /// By number.
    pub(super) signals: Vec<Signal>,
    /// Levels of the path, by number.
    pub(super) depths: Vec<usize>,
    /// By dump, then by number.
    ids: Vec<Vec<SignalId>>,
    /// By dump, then by id: the number.
    numbers: Vec<Vec<Option<usize>>>,
}

impl Common {
    pub(super) fn new(dumps: &[&Dump]) -> Self {
        let mut known: HashMap<&str, Vec<Option<SignalId>>> = HashMap::new();
        for (n, dump) in dumps.iter().enumerate() {
            for (id, signal) in dump.names().all() {
                let ids = known.entry(&signal.path).or_insert_with(|| vec![None; n]);
                match ids.len() {
                    length if length == n => ids.push(Some(id)),
                    length if length == n + 1 => ids[n] = None,
                    _ => {}
                }
            }
        }
        let mut common = Self {
            signals: Vec::new(),
            depths: Vec::new(),
            ids: vec![Vec::new(); dumps.len()],
            numbers: dumps.iter().map(|d| vec![None; d.names().all().count()]).collect(),
        };
        let Some(first) = dumps.first() else { return common };
        for (_, signal) in first.names().all() {
            let ids: Option<Vec<SignalId>> = known[signal.path.as_str()].iter().copied().collect();
            let Some(ids) = ids.filter(|ids| ids.len() == dumps.len()) else { continue };
            let same =
                dumps.iter().zip(&ids).all(|(d, id)| d.names().signal(*id).kind == signal.kind);
            if !same || signal.kind == SignalKind::Real {
                continue;
            }
            for (n, id) in ids.into_iter().enumerate() {
                common.ids[n].push(id);
                common.numbers[n][id.index()] = Some(common.signals.len());
            }
            common.depths.push(signal.path.matches('.').count());
            common.signals.push(signal.clone());
        }
        common
    }

    /// Width of a signal in bits; 0 for texts.
    pub(super) fn width(&self, number: usize) -> u32 {
        match self.signals[number].kind {
            SignalKind::Bits { width } => width,
            SignalKind::Text | SignalKind::Real => 0,
        }
    }

    /// The signals with one of these widths.
    pub(super) fn of_width(&self, widths: &[u32]) -> Vec<usize> {
        (0..self.signals.len()).filter(|&n| widths.contains(&self.width(n))).collect()
    }

    /// The id of a signal in a dump.
    pub(super) fn id(&self, dump: usize, number: usize) -> SignalId {
        self.ids[dump][number]
    }

    /// The number of a signal of a dump.
    pub(super) fn number(&self, dump: usize, id: SignalId) -> Option<usize> {
        self.numbers[dump][id.index()]
    }

    /// Of several signals the one that is nearest to the top of the design, then the one with the shortest path.
    pub(super) fn outermost(&self, numbers: impl IntoIterator<Item = usize>) -> Option<usize> {
        numbers.into_iter().min_by_key(|&n| self.rank(n))
    }

    /// Order of signals that serve equally well beside others: the nearest to the top of the design, then the
    /// one whose path begins most like theirs, then the shortest.
    pub(super) fn rank_beside(
        &self,
        n: usize,
        others: &[usize],
    ) -> (usize, Reverse<usize>, usize, &str) {
        let (depth, length, path) = self.rank(n);
        let shared = |other: &usize| {
            let other = self.signals[*other].path.as_str();
            path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
        };
        (depth, Reverse(others.iter().map(shared).sum()), length, path)
    }

    /// Order of signals that serve equally well.
    pub(super) fn rank(&self, n: usize) -> (usize, usize, &str) {
        let path = self.signals[n].path.as_str();
        (self.depths[n], path.len(), path)
    }

    /// Delivers the edges of a dump, each with the signals that got a value since the edge before; the number of
    /// edges.
    pub(super) fn edges(
        &self,
        (dump, number): (&Dump, usize),
        clock: (usize, Edge),
        wanted: &[usize],
        each: EachEdge<'_>,
    ) -> Result<u64, DumpError> {
        let ids: Vec<SignalId> = wanted.iter().map(|&n| self.id(number, n)).collect();
        let clock = Clock { signal: self.id(number, clock.0), edge: clock.1 };
        let (mut changes, mut edges) = (Vec::new(), 0);
        frames(dump, clock, &ids, &mut |frame| {
            changes.clear();
            let named = |(id, shown)| Some((self.number(number, id)?, shown));
            changes.extend(frame.changes.into_iter().filter_map(named));
            edges = frame.edge + 1;
            each(frame.edge, &changes);
            ControlFlow::Continue(())
        })?;
        Ok(edges)
    }
}
