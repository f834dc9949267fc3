// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step of a reduction: runs a smaller case, and keeps it if it still fails in the same way.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    time::{Duration, Instant},
};

use drra_case::Case;

use super::candidate::Candidate;
use crate::{CampaignError, case_run::CaseFailure};

/// Runs a case and returns its failure, if it fails.
pub type CandidateCheck<'a> = dyn Fn(&Case) -> Result<Option<CaseFailure>, CampaignError> + 'a;

/// Limits of a reduction. Unless the time runs out, the same limit on steps yields the same result.
#[derive(Clone, Copy, Debug)]
pub struct ReductionBounds {
    /// Maximum number of candidates to try.
    pub steps: u64,
    /// Start no further step after this time.
    pub time: Duration,
}

impl Default for ReductionBounds {
    fn default() -> Self {
        Self { steps: 3000, time: Duration::from_secs(20) }
    }
}

/// A running reduction.
pub(super) struct Shrinker<'a> {
    pub(super) check: &'a CandidateCheck<'a>,
    /// The smallest case so far that fails in the same way.
    pub(super) best: Candidate,
    /// The failure of this case.
    pub(super) failing: CaseFailure,
    /// Number of candidates that were tried, including those that did not run because they are not permitted.
    pub(super) steps: u64,
    pub(super) bounds: ReductionBounds,
    pub(super) start: Instant,
    pub(super) interrupted: &'a dyn Fn() -> bool,
    pub(super) permitted: &'a dyn Fn(&Case) -> bool,
    /// True if a limit was reached or the reduction was interrupted.
    pub(super) stopped: bool,
    /// Number of candidates that were kept.
    pub(super) accepted: u64,
    /// Digests of the cases that were tried, which need not run again.
    pub(super) tried: BTreeSet<u64>,
}

impl Shrinker<'_> {
    /// Runs a candidate if it is smaller than the best case and limits and constraints permit it, and keeps it if it
    /// fails with the same signature. A case at the ports is also tried with its WAITs as they are, because words
    /// that move up are words of other addresses.
    pub(super) fn try_candidate(&mut self, candidate: Candidate) -> Result<bool, CampaignError> {
        let mut merged = candidate.clone();
        merged.merge_waits();
        let alone = self.best.ports && merged.loads != candidate.loads;
        Ok(self.try_as_is(merged)? || alone && self.try_as_is(candidate)?)
    }

    fn try_as_is(&mut self, mut candidate: Candidate) -> Result<bool, CampaignError> {
        self.stopped |= self.steps >= self.bounds.steps
            || self.start.elapsed() >= self.bounds.time
            || (self.interrupted)();
        if self.stopped || candidate.measure() >= self.best.measure() {
            return Ok(false);
        }
        let mut case = candidate.case();
        // Later inputs are followed by as many cycles as before. After earlier inputs, the run takes no less time,
        // because the mismatch may come before the last of them.
        let longer = case.stimulus.end().saturating_sub(self.best.case().stimulus.end());
        candidate.cycles = self.best.cycles + longer;
        case.cycles = case.cycles.max(Some(candidate.cycles));
        let mut digest = DefaultHasher::new();
        drra_case::to_json(&case).hash(&mut digest);
        if !self.tried.insert(digest.finish()) {
            return Ok(false);
        }
        self.steps += 1;
        if !(self.permitted)(&case) {
            return Ok(false);
        }
        let Some(failing) = (self.check)(&case)? else {
            return Ok(false);
        };
        if failing.signature != self.failing.signature {
            return Ok(false);
        }
        candidate.cycles = failing.expect.cycle + 1;
        self.best = candidate;
        self.failing = failing;
        self.accepted += 1;
        Ok(true)
    }

    /// Tries the best candidate with a change; the value that `change` returns is ignored.
    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Candidate) -> T,
    ) -> Result<bool, CampaignError> {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        self.try_candidate(candidate)
    }
}
