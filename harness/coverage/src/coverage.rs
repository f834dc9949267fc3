// SPDX-License-Identifier: MIT OR Apache-2.0
//! The number of cases that hit each bin, and a summary of the holes of a covergroup.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    covergroup::Covergroup,
    table::{DirectedBin, groups, total},
};

/// Coverage of a covergroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupCoverage {
    /// Name of the covergroup.
    pub name: String,
    /// Bins hit.
    pub hit: u64,
    /// Bins that can be hit.
    pub bins: u64,
    /// Ignored bins, which no case can hit.
    #[serde(default)]
    pub excluded: u64,
}

/// The number of cases that hit each bin: none, one, or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    counts: Vec<u8>,
}

impl Default for Coverage {
    fn default() -> Self {
        Self { counts: vec![0; total()] }
    }
}

impl Coverage {
    /// Adds the bins that one case hit. Unknown numbers are ignored.
    pub fn add(&mut self, bins: &[u32]) {
        for &bin in bins {
            if let Some(count) = self.counts.get_mut(bin as usize) {
                *count = (*count + 1).min(2);
            }
        }
    }

    /// True if fewer than two cases hit a bin.
    pub fn is_rare(&self, bin: u32) -> bool {
        self.counts.get(bin as usize).is_some_and(|count| *count < 2)
    }

    /// Number of bins that exactly one case hit.
    pub fn hit_once(&self) -> u64 {
        self.counts.iter().filter(|c| **c == 1).count() as u64
    }

    /// The coverage of each group.
    pub fn groups(&self) -> Vec<GroupCoverage> {
        let counted = |group: &Covergroup| {
            let bins = group.reachable() as u64;
            GroupCoverage {
                name: group.name.clone(),
                hit: group
                    .bins()
                    .filter(|b| group.is_reachable(*b) && self.is_hit(group, *b))
                    .count() as u64,
                bins,
                excluded: group.bins().len() as u64 - bins,
            }
        };
        groups().iter().map(counted).collect()
    }

    /// True if a case hit a bin of a group.
    pub fn is_hit(&self, group: &Covergroup, bin: usize) -> bool {
        self.counts[group.first + bin] > 0
    }

    /// Bins of a group, numbered from 0, that could be hit but were not.
    pub fn open<'a>(&'a self, group: &'a Covergroup) -> impl Iterator<Item = usize> + 'a {
        group.bins().filter(|bin| group.is_reachable(*bin) && !self.is_hit(group, *bin))
    }

    /// Names of the bins of a group that could be hit but were not.
    pub fn holes<'a>(&'a self, group: &'a Covergroup) -> impl Iterator<Item = String> + 'a {
        self.open(group).map(|bin| group.label(bin))
    }

    /// Names of ignored bins of a group that a case hit nevertheless: the reasons for ignoring them are wrong.
    pub fn refuted<'a>(&'a self, group: &'a Covergroup) -> impl Iterator<Item = String> + 'a {
        let hit = |bin: &usize| !group.is_reachable(*bin) && self.is_hit(group, *bin);
        group.bins().filter(hit).map(|bin| group.label(bin))
    }

    /// Unhit bins that have a directed sequence.
    pub fn targets(&self) -> Vec<DirectedBin> {
        let of = |group| self.open(group).filter_map(move |bin| DirectedBin::new(group, bin));
        groups().iter().flat_map(of).collect()
    }
}

/// The holes of a covergroup: bins that no case hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holes {
    /// Number of holes.
    pub count: usize,
    /// Coverpoint values without any hit: coverpoint, value, number of bins; those with the most bins come first.
    pub whole: Vec<(&'static str, String, usize)>,
    /// Other holes, nearest first. A hole is near if many of the bins that differ from it in one coverpoint were hit.
    pub nearest: Vec<String>,
}

impl Holes {
    /// The holes of a covergroup, with at most `most` values and `most` single bins.
    pub fn new(coverage: &Coverage, group: &Covergroup, most: usize) -> Self {
        let open: Vec<usize> = coverage.open(group).collect();
        let mut whole = Vec::new();
        let mut values = Vec::new();
        // In a group with one coverpoint, every value is one bin, so there is nothing to summarise.
        let coverpoints = if group.coverpoints().len() > 1 { group.coverpoints() } else { &[] };
        for (k, point) in coverpoints.iter().enumerate() {
            let mut all = vec![[0, 0]; point.values.len()];
            for bin in group.bins().filter(|bin| group.is_reachable(*bin)) {
                let [bins, hit] = &mut all[group.index(bin)[k]];
                *bins += 1;
                *hit += usize::from(coverage.is_hit(group, bin));
            }
            let empty = |(_, [bins, hit]): &(usize, [usize; 2])| *bins > 0 && *hit == 0;
            for (value, [bins, _]) in all.into_iter().enumerate().filter(empty) {
                whole.push((point.name, point.values[value].clone(), bins));
                values.push((k, value));
            }
        }
        // The sort is stable: equal elements stay in the order of the coverpoints.
        whole.sort_by_key(|(_, _, bins)| Reverse(*bins));
        let single = |bin: &usize| {
            let index = group.index(*bin);
            !values.iter().any(|(k, value)| index[*k] == *value)
        };
        let mut nearest: Vec<(usize, usize)> = open
            .iter()
            .filter(|bin| single(bin))
            .map(|&bin| (neighbours(coverage, group, bin), bin))
            .collect();
        nearest.sort_by_key(|(hit, bin)| (Reverse(*hit), *bin));
        whole.truncate(most);
        let nearest = nearest.into_iter().take(most).map(|(_, bin)| group.label(bin)).collect();
        Self { count: open.len(), whole, nearest }
    }
}

/// Among the bins that differ from a bin in one coverpoint, the number of hit bins per thousand.
fn neighbours(coverage: &Coverage, group: &Covergroup, bin: usize) -> usize {
    let mut index = group.index(bin);
    let (mut all, mut hit) = (0, 0);
    for (k, point) in group.coverpoints().iter().enumerate() {
        let own = index[k];
        for value in (0..point.values.len()).filter(|value| *value != own) {
            index[k] = value;
            let other = group.number(&index);
            if group.is_reachable(other) {
                all += 1;
                hit += usize::from(coverage.is_hit(group, other));
            }
        }
        index[k] = own;
    }
    1000 * hit / all.max(1)
}
