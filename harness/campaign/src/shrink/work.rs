// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a reduction: a smaller case is tried, and kept if it fails in the same way.

use std::time::{Duration, Instant};

use drra_case::Case;

use super::candidate::Candidate;
use crate::{CampaignError, exam::Found};

/// Runs a case and tells how it fails, if it does.
pub type Check<'a> = dyn Fn(&Case) -> Result<Option<Found>, CampaignError> + 'a;

/// Bounds of a reduction. With the same bounds on steps the result is the same as long as the time
/// suffices.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most runs of smaller cases.
    pub steps: u64,
    /// Time after which no further step begins.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 3000, time: Duration::from_secs(20) }
    }
}

/// A reduction that is going on.
pub(super) struct Work<'a> {
    check: &'a Check<'a>,
    /// The smallest case so far that fails in the same way.
    pub(super) best: Candidate,
    /// How it fails.
    pub(super) failing: Found,
    /// Runs that were done.
    pub(super) steps: u64,
    bounds: Bounds,
    start: Instant,
    interrupted: &'a dyn Fn() -> bool,
    permitted: &'a dyn Fn(&Case) -> bool,
    /// A bound was reached.
    pub(super) stopped: bool,
}

impl<'a> Work<'a> {
    /// Starts from a case that fails as `failing` says.
    pub(super) fn new(
        check: &'a Check<'a>,
        best: Candidate,
        failing: Found,
        bounds: Bounds,
        interrupted: &'a dyn Fn() -> bool,
        permitted: &'a dyn Fn(&Case) -> bool,
    ) -> Self {
        let start = Instant::now();
        Self {
            check,
            best,
            failing,
            steps: 0,
            bounds,
            start,
            interrupted,
            permitted,
            stopped: false,
        }
    }

    /// Something that becomes smaller with every useful pass.
    pub(super) fn measure(&self) -> (usize, usize, u64, usize, usize, u32) {
        let c = &self.best;
        let blocks = c.memory.sram.values().chain(c.memory.rf.values()).map(|b| b.len()).sum();
        let words: usize =
            c.cells.values().flatten().map(|i| i.words.len()).sum::<usize>() + c.buffers.len();
        // A field may have its default only after another one has.
        let set = c.cells.values().flatten().flat_map(|i| &i.words).map(|w| w.bits.count_ones());
        let entries = c.entries.as_ref().map_or(0, Vec::len);
        (c.instructions(), words, c.after, blocks, entries, set.sum())
    }

    /// Tries a candidate; keeps it if it fails with the same signature.
    pub(super) fn try_it(&mut self, mut candidate: Candidate) -> Result<bool, CampaignError> {
        self.stopped |= self.steps >= self.bounds.steps
            || self.start.elapsed() >= self.bounds.time
            || (self.interrupted)();
        if self.stopped {
            return Ok(false);
        }
        self.steps += 1;
        candidate.join_waits();
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

    /// Tries a change of the best candidate.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(&mut Candidate),
    ) -> Result<bool, CampaignError> {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        self.try_it(candidate)
    }
}
