// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case run again to look at it more closely: both sides side by side, past the first difference,
//! with every instruction followed.

use drra_golden::Fabric;
use drra_golden::Signals;
use drra_isa::Geometry;

use crate::attribution::Attribution;
use crate::case::Case;
use crate::golden_run::GoldenRun;
use crate::lockstep::Options;
use crate::lockstep::RtlRun;
use crate::signal_map::SignalDifference;

/// Both sides of a case in one cycle. In each cycle: [`Self::begin`], look, [`Self::step`] or
/// [`Self::advance`].
pub(crate) struct Replay<'a> {
    case: &'a Case,
    geometry: &'a Geometry,
    options: &'a Options,
    golden: GoldenRun<'a>,
    rtl: Option<RtlRun<'a>>,
    attribution: Attribution,
}

impl<'a> Replay<'a> {
    /// A run in cycle 0. Decodes and writes of the last `kept` cycles can be asked for.
    ///
    /// # Errors
    /// If the model does not fit the state map.
    pub(crate) fn new(
        case: &'a Case,
        geometry: &'a Geometry,
        options: &'a Options,
        kept: u64,
    ) -> Result<Self, String> {
        let golden = GoldenRun::new(case, geometry);
        let mut rtl = RtlRun::new(case, geometry, &golden.fabric)?.ok();
        if let Some(rtl) = &mut rtl {
            rtl.set_fault(options.fault);
        }
        let attribution = Attribution::new(case, geometry, kept);
        Ok(Self { case, geometry, options, golden, rtl, attribution })
    }

    /// Current cycle.
    pub(crate) fn cycle(&self) -> u64 {
        self.golden.cycle
    }

    /// Starts to look at the current cycle.
    pub(crate) fn begin(&mut self) {
        if let (Some(rtl), Some(poke)) = (&mut self.rtl, &self.options.poke)
            && poke.cycle == self.golden.cycle
        {
            rtl.poke(poke);
        }
        self.golden.fabric.pack();
    }

    /// The golden model.
    pub(crate) fn golden(&self) -> &Fabric {
        &self.golden.fabric
    }

    /// The RTL; `None` from the violation of an assertion on.
    pub(crate) fn rtl(&self) -> Option<&RtlRun<'a>> {
        self.rtl.as_ref()
    }

    /// What was followed up to the last step.
    pub(crate) fn attribution(&self) -> &Attribution {
        &self.attribution
    }

    /// Signals of the current cycle that differ.
    ///
    /// # Errors
    /// If the model does not fit the signal map.
    pub(crate) fn differing_signals(&self) -> Result<Vec<SignalDifference>, String> {
        let Some(rtl) = &self.rtl else { return Ok(Vec::new()) };
        Ok(rtl.signals(self.geometry)?.differences(&self.golden.fabric.signals()))
    }

    /// Executes the edge of both sides and follows the instructions; returns the signals of the cycle before it.
    pub(crate) fn step(&mut self) -> Signals {
        let cycle = self.golden.cycle;
        let signals = self.golden.fabric.signals();
        let entries = self.case.stimulus.entries();
        let init = entries
            .binary_search_by_key(&cycle, |e| e.cycle)
            .ok()
            .and_then(|i| entries[i].rf_init)
            .map(|f| (f.row * self.geometry.columns + f.col, f.block % self.geometry.rf_blocks()));
        self.attribution.before(&self.golden.fabric, &signals, cycle, init);
        self.advance();
        self.attribution.after(&self.golden.fabric, cycle);
        signals
    }

    /// Executes the edge of both sides without following any instruction.
    pub(crate) fn advance(&mut self) {
        self.golden.step();
        if self.rtl.as_mut().is_some_and(|r| r.step().is_err()) {
            self.rtl = None;
        }
    }
}
