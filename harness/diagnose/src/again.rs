// SPDX-License-Identifier: MIT OR Apache-2.0
//! The second run of a failing case: how it fails exactly, who is responsible, and what happened around it.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_lockstep::{
    DutError, EndRule, Mismatch, MismatchKind, Now, Observer, Outcome, Pair, RunLog, SRAM_PERIOD,
    Setup, StepError, compare,
};

use crate::{
    attribution::Attribution,
    explain::{Explainer, Explanation},
};

/// Most cycles before the mismatch through which a value is traced back.
pub const HISTORY: u64 = 1024;
/// Cycles before the mismatch in which the design is recorded.
pub const BEFORE: u64 = 256;
/// Cycles after the mismatch in which the difference is followed.
pub const AFTER: u64 = 32;

/// What happened around a mismatch.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The golden model from [`HISTORY`] cycles before the mismatch to [`AFTER`] cycles after it, the design from
    /// [`BEFORE`] cycles before it on.
    pub log: RunLog,
    /// Signals of the golden model, in the same cycles but the last.
    pub signals: Vec<Signals>,
    /// Instructions, up to the mismatch.
    pub attribution: Attribution,
    /// Instructions, to the last recorded cycle.
    pub later: Attribution,
}

/// Runs a case that fails as the first run says again, to its mismatch or, if `recorded`, on. The memories are not
/// compared as a whole in every cycle of the first run, so what it found may be the consequence of an older
/// difference in a memory: that replaces the outcome, and costs a third run.
pub(crate) fn again(
    case: &Case,
    setup: &Setup<'_>,
    outcome: &mut Outcome,
    recorded: bool,
) -> Result<Option<(Explanation, Option<Surroundings>)>, DutError> {
    while let Some(mismatch) = outcome.mismatch.clone() {
        let cycle = mismatch.cycle;
        let (kept, after) = if recorded { (HISTORY, AFTER) } else { (0, 0) };
        let mut pair = Pair::replay(case, setup.design)?;
        let from = |before| cycle.saturating_sub(before);
        let layout = pair.golden().layout();
        let mut again = Again {
            mismatch: &mismatch,
            older: None,
            explainer: Explainer::new(case, &mismatch, kept),
            log: recorded.then(|| RunLog::new(layout, from(HISTORY), from(BEFORE))),
            signals: Vec::new(),
        };
        pair.run(EndRule::at(cycle + after), &mut again);
        let Again { older, explainer, log, signals, .. } = again;
        if let Some(older) = older {
            *outcome = Outcome { state_bits: outcome.state_bits, ..older };
            continue;
        }
        let later = log.as_ref().map(|_| explainer.follower().attribution().clone());
        let (explanation, attribution) = explainer.finish()?;
        let surroundings =
            log.zip(later).map(|(log, later)| Surroundings { log, signals, attribution, later });
        return Ok(Some((explanation, surroundings)));
    }
    Ok(None)
}

/// Watches the second run.
struct Again<'a> {
    mismatch: &'a Mismatch,
    /// What the run comes to if something differs before the mismatch.
    older: Option<Outcome>,
    explainer: Explainer<'a>,
    log: Option<RunLog>,
    signals: Vec<Signals>,
}

impl Again<'_> {
    /// What differs, if that is not what the first run found. What a recorded design was driven with is not
    /// compared here.
    fn differs(&self, now: &Now<'_>) -> Option<Outcome> {
        let Mismatch { cycle, kind } = self.mismatch;
        let looked_at = cycle.saturating_sub(SRAM_PERIOD)..=*cycle;
        let given = matches!(kind, MismatchKind::Stimulus(_));
        let dut = now.dut.filter(|_| !given && looked_at.contains(&now.cycle))?;
        let mismatch = Mismatch { cycle: now.cycle, kind: compare(now.golden, dut, true)? };
        (mismatch != *self.mismatch).then(|| Outcome {
            cycles: now.cycle + 1,
            instructions: now.golden.instructions(),
            state_bits: 0,
            unfinished: !now.golden.status().all_idle,
            mismatch: Some(mismatch),
        })
    }
}

impl Observer for Again<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        self.older = self.differs(now);
        if self.older.is_some() {
            return ControlFlow::Break(());
        }
        if let Some(log) = &mut self.log {
            log.look(now)?;
        }
        self.explainer.look(now)
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.explainer.before(golden, cycle);
        if self.log.as_ref().is_some_and(|log| cycle >= log.golden.first()) {
            self.signals.extend(self.explainer.follower().signals().cloned());
        }
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.explainer.after(golden, cycle);
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        self.explainer.stopped(cycle, why)
    }

    fn reads_images(&self) -> bool {
        self.log.is_some()
    }
}
