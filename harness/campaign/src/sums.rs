// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of finished cases, and sums of records. Sums can be added in any order; a line of a journal contains the
//! sums of some cases.

use std::collections::BTreeMap;

use drra_isa::SizeText;
use drra_results::summary::{Effectiveness, MAX_WARNINGS};
use serde::{Deserialize, Serialize};

/// No shard has this many cases. Larger numbers, which only a damaged file contains, are rejected, because they would
/// take too long to process.
const MAX_CASES: u64 = 1 << 40;

/// One finished case, as a worker reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseRecord {
    /// Number of the case in the campaign.
    pub case: u64,
    /// Size of the fabric of the case, if the profile specifies sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<SizeText>,
    /// Cycles compared.
    pub cycles: u64,
    /// Cycles of the case if it does not fail.
    #[serde(default)]
    pub planned: u64,
    /// Instructions decoded.
    pub instructions: u64,
    /// Number of instructions in the programs by kind, in the order of the instruction set, with raw words last.
    pub kinds: Vec<u64>,
    /// Replacements made for each constraint of the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<u64>,
    /// Expected and effective transfers, results and write-backs, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<[[u64; 2]; 3]>,
    /// Coverage bins that this case hits and that earlier cases of the worker had hit fewer than two times.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "gaps")]
    pub bins: Vec<u32>,
    /// Signature and cycle of the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, u64)>,
    /// Signatures and cycles of other failures behind the mismatch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<(String, u64)>,
    /// Warnings that the design printed, if it agrees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Sums of some finished cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSums {
    /// Numbers of the cases.
    pub cases: CaseRanges,
    /// Cycles compared.
    pub cycles: u64,
    /// Cycles of all cases if none fails; 0 in journals of earlier versions.
    #[serde(default)]
    pub planned: u64,
    /// Last cycle that a case reached; 0 in journals of earlier versions.
    #[serde(default)]
    pub last_cycle: u64,
    /// Cases and cycles by size of the fabric, if the profile specifies sizes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fabrics: BTreeMap<SizeText, [u64; 2]>,
    /// Instructions decoded.
    pub instructions: u64,
    /// Instructions in the programs, as in the records.
    pub kinds: Vec<u64>,
    /// Replacements by constraint, as in the records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<u64>,
    /// Stimulus effectiveness, where it was measured.
    #[serde(default, skip_serializing_if = "is_unmeasured")]
    pub moved: Effectiveness,
    /// Coverage bins, each listed at most twice; bins that earlier cases hit twice may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "gaps")]
    pub bins: Vec<u32>,
    /// Failing cases, by signature.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, FailureCount>,
    /// Cases with failures behind their first difference, by signature; the cycles are those of the failures.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub behind: BTreeMap<String, FailureCount>,
    /// The first [`MAX_WARNINGS`] warnings of agreeing cases in alphabetical order, each with its number of cases and
    /// its first case. Because of that order, the sums do not depend on the order of the additions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub warnings: BTreeMap<String, [u64; 2]>,
}

/// Cases with the same signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureCount {
    pub count: u64,
    /// Number of the first case, and the cycle in which it failed.
    pub first: (u64, u64),
    /// The numbers and cycles of the cases after the first; with it, at most `MAX_LISTED`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<(u64, u64)>,
    /// Number of cases by size of the fabric, if the profile specifies sizes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fabrics: BTreeMap<SizeText, u64>,
}

impl FailureCount {
    /// Maximum number of cases that are listed individually, also in a journal.
    const MAX_LISTED: usize = 256;

    /// A single case.
    pub(crate) fn of(first: (u64, u64), fabric: Option<SizeText>) -> Self {
        let fabrics = fabric.map(|size| (size, 1)).into_iter().collect();
        Self { count: 1, first, next: Vec::new(), fabrics }
    }

    /// Numbers and cycles of the first cases, ascending.
    pub(crate) fn cases(&self) -> impl Iterator<Item = (u64, u64)> {
        std::iter::once(self.first).chain(self.next.iter().copied())
    }

    /// Adds the cases to those that `all` contains under this name.
    pub(crate) fn add_to(&self, all: &mut BTreeMap<String, Self>, name: &str) {
        let Some(seen) = all.get_mut(name) else {
            all.insert(name.to_owned(), self.clone());
            return;
        };
        seen.count = seen.count.saturating_add(self.count);
        for (size, more) in &self.fabrics {
            let cases = seen.fabrics.entry(*size).or_default();
            *cases = cases.saturating_add(*more);
        }
        let mut cases: Vec<(u64, u64)> = seen.cases().chain(self.cases()).collect();
        cases.sort_unstable();
        cases.truncate(Self::MAX_LISTED);
        seen.first = cases.remove(0);
        seen.next = cases;
    }
}

impl CaseSums {
    /// The sums of a single case of a campaign with this number of shards.
    pub fn of(record: CaseRecord, shards: u64) -> Self {
        let CaseRecord {
            case,
            fabric,
            cycles,
            planned,
            instructions,
            kinds,
            replaced,
            moved,
            bins,
            failure,
            behind,
            warnings,
        } = record;
        let (shard, place) = (case % shards, case / shards);
        let mut cases = CaseRanges::default();
        cases.insert(shard, place, place);
        let measured = |[transfers, results, write_backs]: [[u64; 2]; 3]| Effectiveness {
            cases: 1,
            transfers,
            results,
            write_backs,
        };
        let count = |(signature, cycle): (String, u64)| {
            (signature, FailureCount::of((case, cycle), fabric))
        };
        Self {
            cases,
            cycles,
            planned,
            last_cycle: cycles,
            fabrics: fabric.map(|size| (size, [1, cycles])).into_iter().collect(),
            instructions,
            kinds,
            replaced,
            moved: moved.map(measured).unwrap_or_default(),
            bins,
            failures: failure.into_iter().map(count).collect(),
            behind: behind.into_iter().map(count).collect(),
            warnings: warnings.into_iter().map(|text| (text, [1, case])).collect(),
        }
    }

    /// Adds the sums of other cases.
    pub fn add(&mut self, other: &Self) {
        other.cases.ranges().for_each(|[shard, first, last]| self.cases.insert(shard, first, last));
        self.cycles = self.cycles.saturating_add(other.cycles);
        self.planned = self.planned.saturating_add(other.planned);
        self.last_cycle = self.last_cycle.max(other.last_cycle);
        for (size, more) in &other.fabrics {
            let sums = self.fabrics.entry(*size).or_default();
            *sums = [0, 1].map(|place| sums[place].saturating_add(more[place]));
        }
        self.instructions = self.instructions.saturating_add(other.instructions);
        add_all(&mut self.kinds, &other.kinds);
        add_all(&mut self.replaced, &other.replaced);
        self.moved.add(&other.moved);
        self.bins.extend(&other.bins);
        other.failures.iter().for_each(|(name, seen)| seen.add_to(&mut self.failures, name));
        other.behind.iter().for_each(|(name, seen)| seen.add_to(&mut self.behind, name));
        for (text, [cases, first]) in &other.warnings {
            let seen = self.warnings.entry(text.clone()).or_insert([0, *first]);
            *seen = [seen[0].saturating_add(*cases), seen[1].min(*first)];
        }
        while self.warnings.len() > MAX_WARNINGS {
            self.warnings.pop_last();
        }
    }
}

fn is_unmeasured(moved: &Effectiveness) -> bool {
    moved.cases == 0
}

/// Adds numbers element by element.
fn add_all(sums: &mut Vec<u64>, numbers: &[u64]) {
    sums.resize(sums.len().max(numbers.len()), 0);
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum = sum.saturating_add(*number));
}

/// Numbers of cases as ranges: maps the shard and first case to the last case. Shards, and the cases of each shard, are
/// numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[u64; 3]>", into = "Vec<[u64; 3]>")]
pub struct CaseRanges(BTreeMap<(u64, u64), u64>);

impl CaseRanges {
    /// Adds a range that does not overlap another range.
    pub(crate) fn insert(&mut self, shard: u64, mut first: u64, mut last: u64) {
        let before = self.0.range((shard, 0)..(shard, first)).next_back();
        if let Some((&(_, start), &end)) = before
            && end.saturating_add(1) == first
        {
            first = start;
        }
        if let Some(end) = self.0.remove(&(shard, last.saturating_add(1))) {
            last = end;
        }
        self.0.insert((shard, first), last);
    }

    /// Adds the cases of `other` that are not yet included.
    pub(crate) fn join(&mut self, other: &Self) {
        for [shard, first, last] in other.ranges() {
            for (from, until) in self.gaps(shard, Some(last + 1)) {
                let (from, until) = (from.max(first), until.unwrap_or(last).min(last));
                if from <= until {
                    self.insert(shard, from, until);
                }
            }
        }
    }

    /// Shard, first and last case of each range.
    pub fn ranges(&self) -> impl Iterator<Item = [u64; 3]> {
        self.0.iter().map(|(&(shard, first), &last)| [shard, first, last])
    }

    /// Number of cases.
    pub fn count(&self) -> u64 {
        self.ranges().map(|[_, first, last]| last - first + 1).sum()
    }

    /// Number of cases in common with a range.
    pub(crate) fn common(&self, [shard, first, last]: [u64; 3]) -> u64 {
        let until = self.0.range((shard, 0)..=(shard, last)).rev();
        let within = until.take_while(|(_, end)| **end >= first);
        within.map(|((_, start), end)| end.min(&last) - start.max(&first) + 1).sum()
    }

    /// The number after that of the last case of a shard; 0 without cases.
    pub(crate) fn end(&self, shard: u64) -> u64 {
        self.0
            .range((shard, 0)..=(shard, u64::MAX))
            .next_back()
            .map_or(0, |(_, last)| last.saturating_add(1))
    }

    /// The first and last case of each gap in a shard before case `until`; without `until`, the last gap has no end.
    pub(crate) fn gaps(&self, shard: u64, until: Option<u64>) -> Vec<(u64, Option<u64>)> {
        let (mut gaps, mut next) = (Vec::new(), 0);
        for (&(_, first), &last) in self.0.range((shard, 0)..=(shard, u64::MAX)) {
            if first > next {
                gaps.push((next, Some(first - 1)));
            }
            next = last.saturating_add(1);
        }
        if until.is_none_or(|until| next < until) {
            gaps.push((next, until.map(|until| until - 1)));
        }
        gaps
    }
}

impl TryFrom<Vec<[u64; 3]>> for CaseRanges {
    type Error = String;

    fn try_from(ranges: Vec<[u64; 3]>) -> Result<Self, String> {
        let mut cases = Self::default();
        for range @ [shard, first, last] in ranges {
            if first > last || last >= MAX_CASES || cases.common(range) > 0 {
                return Err(format!(
                    "{range:?} is not a range of cases of a shard, or overlaps another one"
                ));
            }
            cases.insert(shard, first, last);
        }
        Ok(cases)
    }
}

impl From<CaseRanges> for Vec<[u64; 3]> {
    fn from(cases: CaseRanges) -> Self {
        cases.ranges().collect()
    }
}

/// Bins in ascending order, stored as the differences from one bin to the next, which are short numbers.
mod gaps {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bins: &[u32], to: S) -> Result<S::Ok, S::Error> {
        let mut bins = bins.to_vec();
        bins.sort_unstable();
        let kept = (0..bins.len()).filter(|&at| at < 2 || bins[at - 2] != bins[at]);
        let mut before = 0;
        let gaps = kept.map(|at| bins[at] - std::mem::replace(&mut before, bins[at]));
        to.collect_seq(gaps.collect::<Vec<_>>())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u32>, D::Error> {
        let gaps = Vec::<u32>::deserialize(from)?;
        let sums = gaps.iter().scan(0u32, |sum, gap| {
            *sum = sum.saturating_add(*gap);
            Some(*sum)
        });
        Ok(sums.collect())
    }
}
