// SPDX-License-Identifier: MIT OR Apache-2.0
//! Totals of the finished cases of a campaign. Cases can be added in any order, and the size of the totals does not
//! depend on their number.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_results::summary::{Failure, MissingCases};

use crate::{
    CampaignError,
    journal::{self, JournalHeader, JournalMetadata},
    sums::{CaseSums, FailureCount},
};

/// Maximum number of failing cases of the variant of the first one, and of other variants, that are varied as well.
const OTHER_CASES: usize = 2;

/// Totals of finished cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of shards by which cases are numbered.
    pub(crate) shards: u64,
    /// Everything except the bins.
    pub(crate) sums: CaseSums,
    pub(crate) cases: u64,
    pub(crate) coverage: Coverage,
    /// The variants of each failure, by signature.
    pub(crate) failures: BTreeMap<String, BTreeMap<String, FailureCount>>,
    /// The variants of the failures behind the first difference of a case, by signature.
    pub(crate) behind: BTreeMap<String, BTreeMap<String, FailureCount>>,
    /// Final number of cases of each completed shard, with shards numbered from 0.
    pub(crate) ends: BTreeMap<u64, u64>,
}

/// The novelty of a failing case: the first occurrence of a failure, or of a variant of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    Failure,
    /// A variant of a failure that occurred before; it may have another cause.
    Variant,
}

/// The outcome of adding cases to a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// All of the cases were new, and were added.
    New,
    /// All of the cases were added before.
    Known,
    /// Some of the cases were added before, so the sums cannot be added.
    Overlap,
}

impl Tally {
    /// An empty tally for a campaign with this number of shards.
    pub fn new(shards: u64) -> Self {
        Self { shards: shards.max(1), ..Self::default() }
    }

    /// Reads the journal of a folder.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn read(folder: &Path) -> Result<(JournalMetadata, Self), CampaignError> {
        Self::read_whole(folder, &mut Err)
    }

    /// Like [`read`](Self::read), but leaves out damaged lines if `damaged` accepts the error.
    pub(crate) fn read_whole(
        folder: &Path,
        damaged: &mut dyn FnMut(CampaignError) -> Result<(), CampaignError>,
    ) -> Result<(JournalMetadata, Self), CampaignError> {
        let mut tally = Self::new(1);
        let mut add = |sums| {
            tally.add(&sums);
            Ok(())
        };
        let path = folder.join(journal::FILE_NAME);
        let outline = journal::read_file(&path, Some(&mut add), damaged)?;
        tally.shards = outline.header.shards();
        tally.ends.extend(outline.ends());
        Ok((outline, tally))
    }

    /// Adds cases, unless some of them were added before.
    pub fn add(&mut self, sums: &CaseSums) -> AddOutcome {
        let known: u64 = sums.cases.ranges().map(|range| self.sums.cases.common(range)).sum();
        let cases = sums.cases.count();
        if known > 0 {
            return if known == cases { AddOutcome::Known } else { AddOutcome::Overlap };
        }
        self.cases += cases;
        self.coverage.add(&sums.bins);
        self.sums.add(sums);
        self.sums.bins.clear();
        for (all, more) in [(&mut self.failures, &sums.failures), (&mut self.behind, &sums.behind)]
        {
            for (signature, seen) in more {
                let variants = all.entry(signature::failure(signature)).or_default();
                seen.add_to(variants, signature);
            }
        }
        AddOutcome::New
    }

    /// Adds the cases and failures of another part of the campaign, but not its bins. Cases that were added before count
    /// once, but a failure counts the cases of both parts.
    pub(crate) fn join(&mut self, other: &Self) {
        self.sums.cases.join(&other.sums.cases);
        self.cases = self.sums.cases.count();
        for (name, variants) in &other.failures {
            let all = self.failures.entry(name.clone()).or_default();
            variants.iter().for_each(|(signature, seen)| seen.add_to(all, signature));
        }
    }

    /// The variants of a failure: those that are first differences or, if there are none, those behind one.
    pub(crate) fn variants(&self, failure: &str) -> Option<&BTreeMap<String, FailureCount>> {
        self.failures.get(failure).or_else(|| self.behind.get(failure))
    }

    /// The failures, each with its variants, and true if it was only found behind other differences.
    pub(crate) fn all_failures(
        &self,
    ) -> impl Iterator<Item = (&String, &BTreeMap<String, FailureCount>, bool)> {
        let first = self.failures.iter().map(|(name, variants)| (name, variants, false));
        let behind = self.behind.iter().filter(|(name, _)| !self.failures.contains_key(*name));
        first.chain(behind.map(|(name, variants)| (name, variants, true)))
    }

    /// The novelty of a failing case with this signature; `None` if both failure and variant occurred before.
    pub(crate) fn novelty(&self, signature: &str) -> Option<Novelty> {
        match self.variants(&signature::failure(signature)) {
            None => Some(Novelty::Failure),
            Some(variants) => (!variants.contains_key(signature)).then_some(Novelty::Variant),
        }
    }

    /// True if the case was added.
    pub fn has(&self, case: u64) -> bool {
        let (shard, place) = (case % self.shards, case / self.shards);
        self.sums.cases.common([shard, place, place]) > 0
    }

    /// Number of cases.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// The numbers of the cases, shard by shard.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let shards = self.shards;
        let places = self.sums.cases.ranges();
        places.flat_map(move |[shard, first, last]| (first..=last).map(move |p| p * shards + shard))
    }

    /// Numbers of the failing cases that are listed, and the number below which all failing cases are listed.
    fn failing(&self) -> (HashSet<u64>, u64) {
        let variants = || self.failures.values().flat_map(BTreeMap::values);
        let listed = variants().flat_map(FailureCount::cases).map(|(n, _)| n).collect();
        let listed_in_part = variants().filter(|seen| seen.count > seen.cases().count() as u64);
        let until = listed_in_part.filter_map(|seen| seen.cases().last()).map(|(n, _)| n).min();
        (listed, until.unwrap_or(u64::MAX))
    }

    /// Returns a function that is true for cases that are known to agree.
    pub(crate) fn agrees(&self) -> impl Fn(&u64) -> bool + use<> {
        let (failing, until) = self.failing();
        move |n| *n < until && !failing.contains(n)
    }

    /// The numbers and cycles of further cases of a failure: the next ones of the variant of its first case, and the first
    /// ones of other variants.
    pub(crate) fn next_of(&self, failure: &Failure) -> impl Iterator<Item = (u64, u64)> {
        let variants = self.variants(&failure.signature).into_iter().flat_map(BTreeMap::values);
        let (own, mut other): (Vec<_>, Vec<_>) =
            variants.partition(|seen| seen.first.0 == failure.first_case);
        other.sort_by_key(|seen| seen.first);
        let next = own.into_iter().flat_map(|seen| &seen.next).take(OTHER_CASES);
        let first = other.into_iter().map(|seen| &seen.first).take(OTHER_CASES);
        next.chain(first).copied()
    }

    /// The lowest numbers of cases that are known to agree, at most `most`, in ascending order.
    pub(crate) fn first_agreeing(&self, most: usize) -> Vec<u64> {
        let (shards, (failing, until)) = (self.shards, self.failing());
        let of_range = |[shard, first, last]: [u64; 3]| {
            let numbers = (first..=last).map(move |place| place * shards + shard);
            numbers.take_while(|n| *n < until).filter(|n| !failing.contains(n)).take(most)
        };
        let mut first: Vec<u64> = self.sums.cases.ranges().flat_map(of_range).collect();
        first.sort_unstable();
        first.truncate(most);
        first
    }

    /// Hits of all bins.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Final number of cases of each completed shard, with shards numbered from 0, for the journal.
    pub fn ends(&self) -> Vec<[u64; 2]> {
        self.ends.iter().map(|(shard, cases)| [*shard, *cases]).collect()
    }

    /// Marks the campaign as complete: cases after the last case of a shard are not missing.
    pub(crate) fn complete(&mut self, header: &JournalHeader) {
        let ends = header.own_shards().map(|shard| (shard, self.sums.cases.end(shard)));
        self.ends = ends.collect();
    }

    /// Missing cases: gaps before the last case of each shard, and all later cases if the shard is not complete.
    pub(crate) fn missing(&self, header: &JournalHeader) -> Vec<MissingCases> {
        let shards = self.shards;
        let cases = |shard: u64| Some(header.cases?.saturating_sub(shard).div_ceil(shards));
        let of_shard = |shard: u64| {
            let until = self.ends.get(&shard).copied().or_else(|| cases(shard));
            let number = move |place: u64| place.saturating_mul(shards).saturating_add(shard);
            let gaps = self.sums.cases.gaps(shard, until).into_iter();
            gaps.map(move |(first, last)| MissingCases {
                shard: [shard + 1, shards],
                first: number(first),
                last: last.map(number),
            })
        };
        header.own_shards().flat_map(of_shard).collect()
    }
}
