// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step of a reduction: runs a smaller case, and keeps it if it still fails in the same way.

use std::time::{Duration, Instant};

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
}

impl Shrinker<'_> {
    /// A measure of the best case. The reduction is complete once all passes leave it unchanged.
    pub(super) fn measure(&self) -> (usize, usize, u64, usize, usize, u32) {
        let c = &self.best;
        let blocks =
            c.rest.memory.sram.values().chain(c.rest.memory.rf.values()).map(|b| b.len()).sum();
        let words: usize = c.cells.values().flatten().map(|i| i.words.len()).sum::<usize>()
            + c.rest.input_buffers.len();
        // The set bits are counted, too, because it may be possible to clear a field only after another field.
        let set = c.cells.values().flatten().flat_map(|i| &i.words).map(|w| w.bits.count_ones());
        let entries = c.entries.as_ref().map_or(0, Vec::len);
        (c.instructions(), words, c.after, blocks, entries, set.sum())
    }

    /// Runs a candidate if limits and constraints permit it, and keeps it if it fails with the same signature.
    pub(super) fn try_candidate(
        &mut self,
        mut candidate: Candidate,
    ) -> Result<bool, CampaignError> {
        self.stopped |= self.steps >= self.bounds.steps
            || self.start.elapsed() >= self.bounds.time
            || (self.interrupted)();
        if self.stopped {
            return Ok(false);
        }
        self.steps += 1;
        candidate.merge_waits();
        let case = candidate.case();
        if !(self.permitted)(&case) {
            return Ok(false);
        }
        let Some(failing) = (self.check)(&case)? else {
            return Ok(false);
        };
        if failing.signature != self.failing.signature {
            return Ok(false);
        }
        candidate.after =
            (failing.expect.cycle + 1).saturating_sub(case.stimulus.end()).min(candidate.after);
        self.best = candidate;
        self.failing = failing;
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
