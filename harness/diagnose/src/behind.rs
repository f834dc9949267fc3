// SPDX-License-Identifier: MIT OR Apache-2.0
//! Goes on behind the first difference of a case: in every cycle in which the design differs, it takes over the state
//! of the golden model, so that what differs in a later cycle is due to this cycle alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_isa::Geometry;
use drra_lockstep::{
    CycleView, DutError, EndRule, LockstepRun, Mismatch, Observer, RunSetup, SignalDifference,
    SignalLocation, StepError,
};

use crate::{backtrace::Backtrace, fan_in::Wiring, signature};

/// Maximum number of differences after which a case goes on.
const MAX_DIFFERENCES: usize = 256;
/// Maximum number of differences in the same kinds of registers that are traced back, which takes time.
const MAX_TRACED: usize = 8;

/// The later differences of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaterDifferences {
    /// The cycles of the differences that are failures of their own, at most as many as requested.
    pub cycles: Vec<u64>,
    /// Last cycle that was compared.
    pub until: u64,
}

/// Runs a failing case to its end, and finds at most `most` later differences. A later difference is a failure of its own
/// if it shows none of the failures that the earlier differences show, or, with `wanted`, if it shows only that failure.
/// `observer` sees all cycles.
///
/// # Errors
/// If the design does not fit its map, or has no model of this size.
pub fn later_differences(
    case: &Case,
    setup: &RunSetup<'_>,
    wanted: Option<&str>,
    most: usize,
    observer: &mut dyn Observer,
) -> Result<LaterDifferences, DutError> {
    let case = &Case { compare_from: 0, ..case.clone() };
    let (all, until) = differences(case, setup, &BTreeSet::new(), observer)?;
    let mut result = LaterDifferences { cycles: Vec::new(), until };
    if all.len() < 2 && wanted.is_none() {
        return Ok(result);
    }
    let mut of_kinds: BTreeMap<BTreeSet<String>, Vec<u64>> = BTreeMap::new();
    for (mismatch, kinds) in all {
        of_kinds.entry(kinds).or_default().push(mismatch.cycle);
    }
    let spread = |cycles: &Vec<u64>| {
        cycles.iter().step_by(cycles.len().div_ceil(MAX_TRACED)).copied().collect::<Vec<_>>()
    };
    let traced = of_kinds.values().flat_map(spread).collect();
    let mut seen = BTreeSet::new();
    let (all, _) = differences(case, setup, &traced, &mut ())?;
    for (mismatch, failures) in all.into_iter().filter(|(m, _)| traced.contains(&m.cycle)) {
        let own = match wanted {
            Some(wanted) => match mismatch.ports().first() {
                Some(port) => signature::of_port(port.port) == wanted,
                None => failures.iter().all(|failure| failure == wanted),
            },
            None => !seen.is_empty() && failures.is_disjoint(&seen),
        };
        if own && result.cycles.len() < most {
            result.cycles.push(mismatch.cycle);
        }
        seen.extend(failures);
    }
    Ok(result)
}

/// A difference, and the failures that it shows.
type ShownFailures = (Mismatch, BTreeSet<String>);

/// The differences of a case, and the last cycle compared. Each comes with the failures that it shows: traced back, if
/// its cycle is one of `traced`.
fn differences(
    case: &Case,
    setup: &RunSetup<'_>,
    traced: &BTreeSet<u64>,
    observer: &mut dyn Observer,
) -> Result<(Vec<ShownFailures>, u64), DutError> {
    let mut run = LockstepRun::replay(case, setup)?;
    let (geometry, leading) = (case.geometry, None);
    let mut watch =
        DifferenceWatch { geometry, traced, leading, passed: None, found: None, observer };
    let given = setup.cycles.or(case.cycles);
    let cycles = given.unwrap_or_else(|| drra_lockstep::run_golden(case, None).cycles);
    let mut all = Vec::new();
    loop {
        run.run(EndRule::at(cycles), &mut watch);
        let Some((mismatch, failures)) = watch.found.take() else { break };
        watch.passed = Some(mismatch.cycle);
        all.push((mismatch, failures));
        if all.len() == MAX_DIFFERENCES || !run.take_over() {
            break;
        }
    }
    Ok((all, run.cycle()))
}

/// Ends the run at a difference, with the failures that it shows.
struct DifferenceWatch<'a> {
    geometry: Geometry,
    traced: &'a BTreeSet<u64>,
    /// The signals of the cycle before a difference that is traced back or, for a port, of its own cycle.
    leading: Option<LeadingSignals>,
    /// The cycle in which the design has taken over the state of the golden model.
    passed: Option<u64>,
    found: Option<ShownFailures>,
    observer: &'a mut dyn Observer,
}

/// The signals of the golden model before an edge, and those that differ in the design.
struct LeadingSignals {
    signals: Signals,
    differing: Vec<SignalDifference>,
    shown: Option<BTreeSet<SignalLocation>>,
}

impl LeadingSignals {
    fn of(view: &CycleView<'_>) -> Option<Self> {
        let (signals, dut) = (view.golden.all_signals(&view.inputs), view.dut?);
        let differing = dut.differing_signals(&signals).ok()?;
        Some(Self { signals, differing, shown: dut.shown_signals() })
    }
}

impl Observer for DifferenceWatch<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let again = self.passed == Some(view.cycle);
        let kind = view.dut.and_then(|dut| drra_lockstep::compare(view.golden, dut, true));
        if let Some(kind) = kind.filter(|_| !again) {
            let mismatch = Mismatch { cycle: view.cycle, kind };
            if self.traced.contains(&view.cycle) && !mismatch.ports().is_empty() {
                self.leading = LeadingSignals::of(view);
            }
            let backtrace = self.leading.as_ref().map(|leading| {
                let LeadingSignals { signals, differing, shown } = leading;
                let wiring = Wiring { geometry: &self.geometry, signals };
                Backtrace { wiring, differing, shown: shown.as_ref() }
            });
            let failures = signature::all_failures(&mismatch, backtrace.as_ref());
            self.found = Some((mismatch, failures));
            return ControlFlow::Break(());
        }
        let leads = self.traced.contains(&(view.cycle + 1));
        self.leading = if leads { LeadingSignals::of(view) } else { None };
        self.observer.on_sample(view)
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.observer.pre_edge(golden, cycle);
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.observer.post_edge(golden, cycle);
    }

    /// A design that stops has no later differences.
    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
