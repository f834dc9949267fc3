// SPDX-License-Identifier: MIT OR Apache-2.0
//! The number of cases that hit each bin, and a summary of the holes of a covergroup.

use std::{cmp::Reverse, fmt};

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

impl GroupCoverage {
    /// Number of bins that can be hit but were not.
    pub fn missing(&self) -> u64 {
        self.bins.saturating_sub(self.hit)
    }
}

/// Coverage of all covergroups together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Total")]
pub struct CoverageTotal {
    /// Number of covergroups.
    pub groups: u64,
    /// Number of covergroups without a hole: every bin that can be hit was hit.
    pub complete: u64,
    /// Bins hit.
    pub hit: u64,
    /// Bins that can be hit.
    pub bins: u64,
    /// Ignored bins, which no case can hit.
    pub excluded: u64,
}

impl CoverageTotal {
    /// The sum of some groups.
    pub fn of(groups: &[GroupCoverage]) -> Self {
        groups.iter().fold(Self::default(), |sum, group| Self {
            groups: sum.groups + 1,
            complete: sum.complete + u64::from(group.missing() == 0),
            hit: sum.hit + group.hit,
            bins: sum.bins + group.bins,
            excluded: sum.excluded + group.excluded,
        })
    }
}

/// The headline of the coverage: `36 of 64 groups complete, 264120 bins hit, 91.5 %`; the share is rounded down.
impl fmt::Display for CoverageTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { groups, complete, hit, bins, .. } = self;
        let percent = (1000 * hit / bins.max(&1)) as f64 / 10.0;
        write!(f, "{complete} of {groups} groups complete, {hit} bins hit, {percent:.1} %")
    }
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

    /// Adds the hits of other cases.
    pub fn join(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = (*count + more).min(2);
        }
    }

    /// A bit for each bin, set if a case hit it; the lowest bit of the first byte is bin 0.
    pub fn to_bits(&self) -> Vec<u8> {
        let byte = |bins: &[u8]| (0..bins.len()).map(|k| u8::from(bins[k] > 0) << k).sum();
        self.counts.chunks(8).map(byte).collect()
    }

    /// The coverage with the hits that [`to_bits`](Self::to_bits) gave; `None` if their number does not fit the bins.
    pub fn from_bits(bits: &[u8]) -> Option<Self> {
        let mut counts: Vec<u8> =
            bits.iter().flat_map(|byte| (0..8).map(move |k| byte >> k & 1)).collect();
        counts.truncate(total());
        (bits.len() == total().div_ceil(8)).then_some(Self { counts })
    }

    /// True if fewer than two cases hit a bin.
    pub fn is_rare(&self, bin: u32) -> bool {
        self.counts.get(bin as usize).is_some_and(|count| *count < 2)
    }

    /// Number of bins that exactly one case hit.
    pub fn hit_once(&self) -> u64 {
        self.counts.iter().filter(|c| **c == 1).count() as u64
    }

    /// The coverage of each group, in the order of [`groups`].
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
        let mut targets = Vec::new();
        for group in groups() {
            targets.extend(self.open(group).filter_map(|bin| DirectedBin::new(group, bin)));
        }
        targets
    }
}

/// All covergroups with their coverage; the group with the most bins not hit comes first.
pub fn by_missing(coverage: &Coverage) -> Vec<(&'static Covergroup, GroupCoverage)> {
    let mut all: Vec<_> = groups().iter().zip(coverage.groups()).collect();
    all.sort_by_key(|(_, counts)| Reverse(counts.missing()));
    all
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
        let (bins, coverpoints) = (group.bins().len(), group.coverpoints());
        let open: Vec<usize> = coverage.open(group).collect();
        let ignored: Vec<usize> = group.bins().filter(|bin| !group.is_reachable(*bin)).collect();
        let mut whole = Vec::new();
        // For each hole: numbers of bins that differ in one coverpoint, of those that were hit, of values without a hit.
        let mut holes = vec![[0, 0, 0]; open.len()];
        // Number of bins from one value of a coverpoint to the next.
        let mut step = bins;
        for point in coverpoints {
            let count = point.values.len();
            step /= count;
            let value = |bin: usize| bin / step % count;
            // Number of the set of bins that differ only in this coverpoint.
            let line = |bin: usize| bin / step / count * step + bin % step;
            // Numbers of bins that can be hit, and of holes.
            let mut of_value = vec![[bins / count, 0]; count];
            let mut of_line = vec![[count, 0]; bins / count];
            for &bin in &ignored {
                of_value[value(bin)][0] -= 1;
                of_line[line(bin)][0] -= 1;
            }
            for &bin in &open {
                of_value[value(bin)][1] += 1;
                of_line[line(bin)][1] += 1;
            }
            // In a group with one coverpoint, every value is one bin, so there is nothing to summarise.
            let empty = |[all, open]: [usize; 2]| all > 0 && open == all && coverpoints.len() > 1;
            for (name, of) in point.values.iter().zip(&of_value).filter(|(_, of)| empty(**of)) {
                whole.push((point.name, name.clone(), of[0]));
            }
            for ([near, hit, whole], &bin) in holes.iter_mut().zip(&open) {
                let [bins, missing] = of_line[line(bin)];
                *near += bins - 1;
                *hit += bins - missing;
                *whole += usize::from(empty(of_value[value(bin)]));
            }
        }
        // The sort is stable: equal elements stay in the order of the coverpoints.
        whole.sort_by_key(|(_, _, bins)| Reverse(*bins));
        whole.truncate(most);
        let single = holes.iter().zip(&open).filter(|([_, _, whole], _)| *whole == 0);
        let nearness = |[near, hit, _]: &[usize; 3]| Reverse(1000 * hit / near.max(&1));
        let mut nearest: Vec<_> = single.map(|(hole, bin)| (nearness(hole), *bin)).collect();
        // Only the nearest are sorted.
        if most < nearest.len() {
            nearest.select_nth_unstable(most);
            nearest.truncate(most);
        }
        nearest.sort_unstable();
        let nearest = nearest.into_iter().map(|(_, bin)| group.label(bin)).collect();
        Self { count: open.len(), whole, nearest }
    }
}
