// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a waveform with the golden model.

use std::{ops::ControlFlow, sync::Arc};

use drra_case::Case;
use drra_fabric::{Layout, ports::InputPort};
use drra_isa::Geometry;
use drra_lockstep::{
    MappedDesign, Mismatch, MismatchKind, Outcome, RunSetup, WaveformEnd, run_golden, run_observed,
};

use crate::{
    LiveCheck, RecordedError,
    design::{RecordedDesign, Recording, SampleSource},
    driven,
    ending::{BusyUnits, EndObserver},
    map::{MapFile, SignalMap},
    plan::EvaluationPlan,
    samples::samples,
    scan::{Scan, scan},
    state::Alignment,
    stimulus::BufferAnswers,
    tally::ComparisonTally,
    waveform::Waveform,
};

/// A waveform that is ready to be compared.
#[derive(Debug)]
pub struct WaveformCheck {
    /// The case to run: the stimulus in the waveform, or else the given case.
    pub case: Case,
    /// The waveform as a design under test.
    pub design: RecordedDesign,
    /// True if the stimulus comes from the waveform.
    from_waveform: bool,
    /// True if a case was given: the waveform must then have been driven with that case, to the end of the case.
    given: bool,
    /// Last cycle for which the waveform shows every register in the map.
    last: u64,
    /// The place where the file ends, if it is truncated before the end of the given case.
    cut: Option<String>,
    /// The first difference between the stimulus in the waveform and the given case.
    stimulus: Option<Mismatch>,
    /// The first input of the given case that was not driven, reported if nothing else differs.
    missing: Option<Mismatch>,
    /// The last cycle of the given case, on the time axis of the waveform.
    end: u64,
    /// The first wrong answer of an input buffer, reported if nothing differs earlier.
    answer: Option<WrongAnswer>,
    /// Cycles of the given case, on the time axis of the waveform.
    cycles: Option<u64>,
    /// True if a difference is known.
    differs: bool,
}

/// The result of a pass in which the samples were compared as they arrived.
#[derive(Debug)]
pub(crate) struct PassResult {
    pub(crate) tally: ComparisonTally,
    /// True if there is a difference. The pass then ends soon after it.
    pub(crate) difference: bool,
}

/// A wrong answer of an input buffer, with its cycle: the answer differs from that in the given case, or no buffer
/// would return it.
type WrongAnswer = (u64, Result<Mismatch, String>);

/// The first wrong answer.
fn wrong_answer(answers: &BufferAnswers, given: Option<&Case>) -> Option<WrongAnswer> {
    let other = given.and_then(|case| driven::buffers(case, answers)).map(|m| (m.cycle, Ok(m)));
    let none = answers.failed.clone().map(|(cycle, e)| (cycle, Err(e)));
    other.into_iter().chain(none).min_by_key(|(cycle, _)| *cycle)
}

impl WaveformCheck {
    /// Scans a waveform once: binds the map, finds cycle 0, and extracts the stimulus if the map and the waveform have
    /// the load ports. A given case is compared with that stimulus, or provides the stimulus if these ports are
    /// missing. `name` is the name of a case taken from the waveform if no case is given.
    ///
    /// # Errors
    /// If the map does not fit the waveform, or the waveform cannot be compared.
    pub fn new(
        waveform: Waveform,
        map: &MapFile,
        given: Option<&Case>,
        name: &str,
        geometry: &Geometry,
    ) -> Result<Self, RecordedError> {
        let map = SignalMap::resolve(map, waveform.names(), geometry)?;
        let scan = scan(&waveform, &map, geometry)?;
        let plan = Arc::new(EvaluationPlan::new(&map, &Layout::new(geometry)));
        let recording = Recording {
            simulator: source(&waveform),
            names: Arc::clone(waveform.names()),
            samples: SampleSource::Waveform(Arc::new(waveform)),
            cut: scan.cut.clone(),
        };
        Self::assemble(recording, map, plan, scan, given, name, None)
    }

    /// Compares a waveform in a single pass while it is read, up to a difference or the end of the case, or for `cycles`
    /// cycles; closes it then. The result is as after [`Self::new`], and [`Self::run`] must get the same `cycles`.
    ///
    /// # Errors
    /// As for [`Self::new`], or if the waveform cannot be read up to the end of the run.
    pub fn live(
        waveform: Waveform,
        map: &MapFile,
        given: Option<&Case>,
        name: &str,
        geometry: &Geometry,
        cycles: Option<u64>,
    ) -> Result<Self, RecordedError> {
        let (names, source) = (Arc::clone(waveform.names()), source(&waveform));
        let mut live = LiveCheck::new(names, map, given, name, geometry, &source, cycles)?;
        let mut failed = None;
        let read = samples(&waveform, live.clock(), &live.wanted(), &mut |sample| {
            failed = live.sample(sample).err();
            match failed.is_some() || live.is_done() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        drop(waveform);
        match (failed, read) {
            (Some(e), _) => Err(e),
            // The end of the simulation does not change a difference before it.
            (None, Err(_)) if live.difference().is_some() => live.checked(None),
            (None, read) => live.checked(read?),
        }
    }

    /// The comparison of a recording after a pass over its samples. `compared` is the result if that pass has compared
    /// them.
    pub(crate) fn assemble(
        recording: Recording,
        map: SignalMap,
        plan: Arc<EvaluationPlan>,
        Scan { start, cycles, cut, driver }: Scan,
        given: Option<&Case>,
        name: &str,
        compared: Option<PassResult>,
    ) -> Result<Self, RecordedError> {
        let (geometry, offset) = (plan.layout.geometry(), plan.lookahead);
        let differs = compared.as_ref().is_some_and(|pass| pass.difference);
        let tally = compared.map(|pass| pass.tally);
        if cycles <= u64::from(offset) {
            return Err(RecordedError::Unusable(format!(
                "nothing to compare: the waveform has {cycles} cycles from cycle 0 on, but some registers appear \
                 {offset} cycles late"
            )));
        }
        let last = cycles - 1 - u64::from(offset);
        let (mut stimulus, mut answer, mut missing, mut end) = (None, None, None, 0);
        let from_waveform = driver.is_some();
        let case = match (driver, given) {
            (None, None) => return Err(RecordedError::no_stimulus(&map)),
            (None, Some(case)) => case.clone(),
            (Some(driver), given) => {
                let name = given.map_or(name, |case| &case.name);
                let (mut recorded, answers) = driver.case(name, last);
                answer = wrong_answer(&answers, given);
                if let Some(case) = given {
                    complete(&mut recorded, case, &map);
                    let delay = map.ports.flag_delays.iter().max().copied().unwrap_or(0);
                    let flags = last.checked_sub(delay.into());
                    let difference =
                        |whole| driven::difference(case, &recorded, geometry, whole, flags);
                    stimulus = difference(false);
                    missing = difference(true).filter(|_| stimulus.is_none() && !differs);
                    end = end_of(case, &recorded);
                }
                recorded
            }
        };
        let later = |given: &Case| {
            let shift = if from_waveform { case.stimulus.end() } else { given.stimulus.end() };
            given.cycles.map(|cycles| (cycles + shift).saturating_sub(given.stimulus.end()))
        };
        // If the inputs do not end before a difference, nor does the run.
        let cycles = given.filter(|_| !differs).and_then(later);
        let alignment = Alignment { start, load_end: case.stimulus.load_end(geometry) };
        let design = RecordedDesign::new(recording, map, plan, alignment, tally);
        // Cycles missing after the end of the case do not matter; the last cycle may lack changes.
        let whole = last.saturating_sub(1);
        let cut = cut.filter(|_| given.is_none_or(|given| is_short(given, &case, whole)));
        Ok(Self {
            case,
            design,
            from_waveform,
            given: given.is_some(),
            last,
            cut,
            stimulus,
            missing,
            end,
            answer,
            cycles,
            differs,
        })
    }

    /// The setup for running the case.
    pub fn setup(&self) -> RunSetup<'_> {
        RunSetup::new(&self.design)
    }

    /// Compares the waveform with the golden model. Without `cycles`, the run is as long as the given case. If no case
    /// was given, or its length is not fixed, the run ends with the waveform or, if the stimulus does not come from the
    /// waveform, when the fabric is idle. A waveform that ends before `cycles` or, without `cycles`, before the given
    /// case does is a finding. So is a truncated file, unless `cycles` or a case that ends earlier is given.
    ///
    /// # Errors
    /// If nothing was compared, an input buffer gave an answer that cannot be used, or the waveform cannot be read up
    /// to the first difference or the end of the run.
    pub fn run(&self, cycles: Option<u64>) -> Result<CheckResult, RecordedError> {
        if let Some(mismatch) = self.stimulus.clone() {
            let outcome = Outcome {
                cycles: 0,
                instructions: 0,
                state_bits: 0,
                unfinished: false,
                mismatch: Some(mismatch),
            };
            return Ok(CheckResult { outcome, busy: None });
        }
        let wanted = cycles.or(self.cycles);
        let to_the_end = self.from_waveform.then_some(self.last);
        let setup = RunSetup { cycles: wanted.or(to_the_end), ..self.setup() };
        let mut ending = EndObserver::default();
        let ran = run_observed(&self.case, &setup, &mut ending);
        let ends = |m: &Mismatch| matches!(m.kind, MismatchKind::Ended(_));
        // Parts that the first pass did not read may be damaged.
        if ran.as_ref().map_or(true, |outcome| outcome.mismatch.as_ref().is_some_and(ends))
            && let Some(error) = self.design.take_failure()
        {
            return Err(error.into());
        }
        let mut outcome = self.answered(ran?)?;
        if outcome.mismatch.is_some() {
            return Ok(CheckResult { outcome, busy: None });
        }
        if let Some(missing) = self.missing.clone().filter(|_| self.end <= self.last) {
            outcome.mismatch = Some(missing);
            return Ok(CheckResult { outcome, busy: None });
        }
        if self.differs {
            let what = "a difference was found, but not when its cycle was compared again";
            return Err(RecordedError::Unusable(what.to_owned()));
        }
        if self.design.compared().compared().bits == 0 {
            return Err(RecordedError::Unusable(format!(
                "nothing was compared in {} cycles: no condition in the map ever held, and no memory contents were \
                 ever known",
                outcome.cycles
            )));
        }
        let open = ending.busy.is_some() || self.missing.is_some();
        let open = open && self.given && self.from_waveform && wanted.is_none();
        if open || self.cut.is_some() && cycles.is_none() {
            outcome.mismatch = Some(self.ended(open, ending.busy.as_ref()));
        }
        Ok(CheckResult { outcome, busy: ending.busy })
    }

    /// The outcome, unless an input buffer gave a wrong answer earlier. Once the design differs, it may have made other
    /// requests, or made requests at other times, so later answers prove nothing.
    fn answered(&self, outcome: Outcome) -> Result<Outcome, RecordedError> {
        let counts = |(cycle, _): &&WrongAnswer| match &outcome.mismatch {
            Some(mismatch) => *cycle < mismatch.cycle,
            None => *cycle <= outcome.cycles,
        };
        match self.answer.as_ref().filter(counts) {
            None => Ok(outcome),
            Some((_, Ok(mismatch))) => Ok(Outcome { mismatch: Some(mismatch.clone()), ..outcome }),
            Some((_, Err(e))) => Err(RecordedError::Unusable(e.clone())),
        }
    }

    /// The finding that the waveform ends too early.
    fn ended(&self, open: bool, busy: Option<&BusyUnits>) -> Mismatch {
        let goes_on_to = match open {
            true => run_golden(&self.case, None)
                .cycles
                .max(self.last)
                .max(self.missing.as_ref().map_or(0, |_| self.end)),
            false => self.last,
        };
        let running = busy.map_or_else(Vec::new, |busy| busy.running.clone());
        let ended = WaveformEnd { goes_on_to, running, cut: self.cut.clone(), said: None };
        Mismatch { cycle: self.last, kind: MismatchKind::Ended(ended) }
    }
}

/// A waveform as text.
fn source(waveform: &Waveform) -> String {
    let file = waveform.path().file_name().unwrap_or_default().to_string_lossy();
    format!("waveform {file} ({})", waveform.format())
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The length of the run, and the first difference.
    pub outcome: Outcome,
    /// The units that are still busy at the end of a run without a difference; what they do afterwards is unknown.
    /// `None` if the fabric is idle, or if there was a difference.
    pub busy: Option<BusyUnits>,
}

/// True if a waveform ends before the case does.
fn is_short(case: &Case, recorded: &Case, last: u64) -> bool {
    end_of(case, recorded) > last
}

/// The last cycle of a case in a waveform, counted from the last driven input.
fn end_of(case: &Case, recorded: &Case) -> u64 {
    let cycles = case.cycles.unwrap_or_else(|| run_golden(case, None).cycles);
    recorded.stimulus.end() + cycles.saturating_sub(case.stimulus.end())
}

/// Takes from the given case what the waveform cannot show: the seed, the origin, and the straps and the contents of
/// the input buffers if their ports are missing from the map or the waveform.
fn complete(recorded: &mut Case, given: &Case, map: &SignalMap) {
    let has = |port| map.ports.inputs.contains_key(&port);
    if !has(InputPort::IoCell) {
        recorded.io_cells.clone_from(&given.io_cells);
    }
    if !has(InputPort::IoInData) {
        recorded.input_buffers.clone_from(&given.input_buffers);
    }
    recorded.seed = given.seed;
    recorded.origin.clone_from(&given.origin);
}
