// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows every instruction while a case runs.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_isa::CellId;
use drra_lockstep::{Observer, StepError};

use crate::attribution::Attribution;

/// Follows the instructions of a case in the golden model; where a design violates an assertion, the
/// golden model goes on alone.
pub struct Follower<'a> {
    case: &'a Case,
    attribution: Attribution,
    signals: Option<Signals>,
}

impl<'a> Follower<'a> {
    /// Follows a case from cycle 0. Decodes and writes of the last `kept` cycles can be asked for.
    pub fn new(case: &'a Case, kept: u64) -> Self {
        let attribution = Attribution::new(case, kept);
        Self { case, attribution, signals: None }
    }

    /// What was followed up to the last edge.
    pub fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    /// Signals of the cycle before the last edge; `None` before the first one.
    pub fn signals(&self) -> Option<&Signals> {
        self.signals.as_ref()
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, golden: &Fabric, cycle: u64) {
        let signals = golden.signals();
        let entries = self.case.stimulus.entries();
        let port = entries.binary_search_by_key(&cycle, |e| e.cycle).ok();
        let init = port.and_then(|i| entries[i].rf_init).and_then(|f| {
            Some((CellId::new(f.row, f.col)?, f.block % self.case.geometry.rf_blocks()))
        });
        self.attribution.before(golden, &signals, cycle, init);
        self.signals = Some(signals);
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.attribution.after(golden, cycle);
    }

    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
