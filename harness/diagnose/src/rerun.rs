// SPDX-License-Identifier: MIT OR Apache-2.0
//! The second run of a failing case, which determines the exact mismatch, the responsible instruction and the events
//! around the mismatch.

use std::{collections::BTreeSet, ops::ControlFlow};

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_lockstep::{
    CYCLES_AFTER, CYCLES_BEFORE, CycleView, DutError, EarlierDifferenceSearch, EndRule,
    LockstepRun, Mismatch, Observer, Outcome, RunLog, RunSetup, SignalDifference, SignalLocation,
    StepError, Value,
};

use crate::{
    attribution::{Attribution, rf_init},
    explain::Explanation,
};

/// Maximum number of cycles before the mismatch to which a value is traced back.
pub const HISTORY_CYCLES: u64 = 1024;
/// Number of cycles before the mismatch from which on the signals between the blocks of both sides are recorded.
pub const SIGNAL_CYCLES: u64 = 64;

/// The signals of the golden model in some cycles, each with the signals of the design that differ.
type WireRecord = std::collections::BTreeMap<u64, (Signals, Vec<SignalDifference>)>;

/// The events around a mismatch.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The golden model from [`HISTORY_CYCLES`] cycles before the mismatch to [`CYCLES_AFTER`] cycles after it, and the
    /// design starting [`CYCLES_BEFORE`] cycles before it.
    pub log: RunLog,
    /// Signals of the golden model, in the same cycles except the last.
    pub signals: Vec<Signals>,
    wires: WireRecord,
    /// Instructions up to the mismatch.
    pub attribution: Attribution,
    /// Instructions up to the last recorded cycle.
    pub later: Attribution,
}

impl Surroundings {
    /// The values of a signal that the design shows, before the edge that ends a cycle: golden model, then design. `None`
    /// if the value was not recorded or has no meaning in this cycle.
    pub fn signal(&self, signal: SignalLocation, cycle: u64) -> [Option<Value>; 2] {
        let Some((golden, differing)) = self.wires.get(&cycle) else { return [None, None] };
        let golden = signal.value(golden);
        let found = differing.iter().find(|difference| difference.signal == signal);
        let dut = found.map(|difference| difference.dut.clone()).or_else(|| golden.clone());
        [golden, dut]
    }
}

/// Runs a failing case again, up to its mismatch, or [`CYCLES_AFTER`] cycles further if `recorded`. If the first run
/// noticed a difference late, the earlier difference becomes the outcome, and the case is run once more.
pub(crate) fn rerun(
    case: &Case,
    setup: &RunSetup<'_>,
    outcome: &mut Outcome,
    recorded: bool,
) -> Result<Option<(Explanation, Option<Surroundings>)>, DutError> {
    while let Some(mismatch) = outcome.mismatch.clone() {
        let cycle = mismatch.cycle;
        let (kept, after) = if recorded { (HISTORY_CYCLES, CYCLES_AFTER) } else { (0, 0) };
        let mut run = LockstepRun::replay(case, setup)?;
        let from = |before| cycle.saturating_sub(before);
        let layout = run.golden().layout();
        let mut again = RerunObserver {
            mismatch: &mismatch,
            earlier: EarlierDifferenceSearch::than(&mismatch),
            case,
            attribution: Attribution::new(case, kept),
            differing: Ok(Vec::new()),
            shown: None,
            leading: None,
            // In cycle 0 nothing has been decoded yet.
            explained: (Explanation::before_any(&mismatch), Attribution::new(case, 0)),
            log: recorded.then(|| RunLog::new(layout, from(HISTORY_CYCLES), from(CYCLES_BEFORE))),
            signals: Vec::new(),
            wires: WireRecord::new(),
        };
        run.run(EndRule::at(cycle + after), &mut again);
        let wires = std::mem::take(&mut again.wires);
        let RerunObserver {
            earlier, attribution: later, differing, explained, log, signals, ..
        } = again;
        if let Some(exact) = earlier.outcome(outcome) {
            *outcome = exact;
            continue;
        }
        differing?;
        let (explanation, attribution) = explained;
        let surroundings = log.map(|log| Surroundings { log, signals, wires, attribution, later });
        return Ok(Some((explanation, surroundings)));
    }
    Ok(None)
}

/// Observes the second run.
struct RerunObserver<'a> {
    mismatch: &'a Mismatch,
    /// Ends this run at a difference before the mismatch, or at a different one in the cycle of the mismatch.
    earlier: EarlierDifferenceSearch<'a>,
    case: &'a Case,
    /// The state set up by the instructions up to the last edge.
    attribution: Attribution,
    /// Signals that differ in the leading cycle.
    differing: Result<Vec<SignalDifference>, DutError>,
    /// Signals that are known in the design, if not all signals are known.
    shown: Option<BTreeSet<SignalLocation>>,
    /// The signals of the golden model in the leading cycle, until its edge.
    leading: Option<Signals>,
    /// The explanation, and what had been set up when it was made.
    explained: (Explanation, Attribution),
    log: Option<RunLog>,
    signals: Vec<Signals>,
    wires: WireRecord,
}

impl RerunObserver<'_> {
    /// Determines block and instruction from what has been set up by the edge before the cycle of the signals.
    fn explain(&mut self, signals: &Signals) {
        let Ok(differing) = &self.differing else { return };
        let geometry = &self.case.geometry;
        self.explained.0 = Explanation::new(
            geometry,
            self.mismatch,
            &self.attribution,
            signals,
            differing,
            self.shown.as_ref(),
        );
    }
}

impl Observer for RerunObserver<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        self.earlier.on_sample(view)?;
        if let Some(log) = &mut self.log {
            log.on_sample(view)?;
            let is_near = view.cycle + SIGNAL_CYCLES >= self.mismatch.cycle;
            if let Some(dut) = view.dut.filter(|_| is_near) {
                let signals = view.golden.all_signals(&view.inputs);
                if let Ok(differing) = dut.differing_signals(&signals) {
                    self.wires.insert(view.cycle, (signals, differing));
                }
            }
        }
        if self.mismatch.leading_cycle() != Some(view.cycle) {
            return ControlFlow::Continue(());
        }
        let signals = view.golden.all_signals(&view.inputs);
        if let Some(dut) = view.dut {
            self.differing = dut.differing_signals(&signals);
            self.shown = dut.shown_signals();
        }
        if !self.mismatch.ports().is_empty() {
            // For a port, the registers of this cycle are the last relevant registers.
            self.explain(&signals);
            self.explained.1 = self.attribution.clone();
        }
        self.leading = Some(signals);
        if self.differing.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        let signals = self.leading.clone().unwrap_or_else(|| golden.signals());
        self.attribution.before(golden, &signals, cycle, rf_init(self.case, cycle));
        if self.leading.is_some() && self.mismatch.ports().is_empty() {
            self.explain(&signals);
        }
        if self.log.as_ref().is_some_and(|log| cycle >= log.golden.first()) {
            self.signals.push(signals);
        }
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.attribution.after(golden, cycle);
        if self.leading.take().is_some() && self.mismatch.ports().is_empty() {
            self.explained.1 = self.attribution.clone();
        }
    }

    /// The golden model continues alone.
    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reads_images(&self) -> bool {
        self.log.is_some()
    }
}
