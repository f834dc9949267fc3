// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a case in lock-step; in every cycle, all state that the design shows is compared.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_fabric::RegisterId;
use drra_golden::Fabric;
use drra_isa::{CellId, Geometry, TileId, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    difference::Difference,
    dut::Dut,
    golden_run::{EndRule, GoldenRun},
    lockstep_run::{CycleView, LockstepRun, Observer, RunSetup},
    port::PortDifference,
    stimulus::StimulusDifference,
    stop::{AssertionFailure, DutError, StartError, StepError},
};

/// The tile memories are compared row by row when a row is written, and as a whole in every cycle that is a multiple of
/// this number and at the end.
const SRAM_PERIOD: u64 = 64;

/// Result of a run in lock-step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Length of the run in clock edges. The state after the last one was compared, too.
    pub cycles: u64,
    /// Number of instructions decoded by the golden model.
    pub instructions: u64,
    /// Number of state bits compared in each cycle.
    pub state_bits: u64,
    /// True if a sequencer was not idle, or a program word was in flight, when the run ended.
    pub unfinished: bool,
    /// The first disagreement, if there is one.
    pub mismatch: Option<Mismatch>,
}

/// The first disagreement of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// First cycle whose state differs; for an assertion, the cycle of the violation; for a waveform that ends, its
    /// last cycle; for a stimulus, the cycle in which a different value was driven.
    pub cycle: u64,
    /// Kind of disagreement.
    pub kind: MismatchKind,
}

impl Mismatch {
    /// Registers that differ or are unknown; those that differ in known bits come first.
    pub fn differences(&self) -> &[Difference] {
        match &self.kind {
            MismatchKind::State(differences) | MismatchKind::Unknown(differences) => differences,
            MismatchKind::Port(_)
            | MismatchKind::UnknownPort(_)
            | MismatchKind::Assertion(_)
            | MismatchKind::Ended(_)
            | MismatchKind::Stimulus(_) => &[],
        }
    }

    /// Output ports that differ or are unknown.
    pub fn ports(&self) -> &[PortDifference] {
        match &self.kind {
            MismatchKind::Port(ports) | MismatchKind::UnknownPort(ports) => ports,
            MismatchKind::State(_)
            | MismatchKind::Unknown(_)
            | MismatchKind::Assertion(_)
            | MismatchKind::Ended(_)
            | MismatchKind::Stimulus(_) => &[],
        }
    }

    /// The unit that differs first: the unit of the register, or the one that drives the port.
    pub fn unit(&self, geometry: &Geometry) -> Option<Unit> {
        let register = self.differences().first().map(|d| d.location.unit);
        register.or_else(|| self.ports().first().map(|p| p.unit(geometry)))
    }

    /// The cycle whose registers and signals lead to the disagreement; these registers still agree. For a port,
    /// it is the cycle of the mismatch, and for everything else the previous cycle.
    pub fn leading_cycle(&self) -> Option<u64> {
        if self.ports().is_empty() { self.cycle.checked_sub(1) } else { Some(self.cycle) }
    }
}

/// Kinds of disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// Registers differ: at least one register, in table order. Registers that are merely unknown come last.
    State(Vec<Difference>),
    /// No known bit differs, but some bits of the design are unknown: at least one register.
    Unknown(Vec<Difference>),
    /// Output ports differ while all registers agree: at least one port. Ports that are merely unknown come last.
    Port(Vec<PortDifference>),
    /// All registers agree and no known bit of an output port differs, but some are unknown: at least one port.
    UnknownPort(Vec<PortDifference>),
    /// The design violates one of its own assertions, or stops for another reason.
    Assertion(AssertionFailure),
    /// The waveform of the design ends too early.
    Ended(WaveformEnd),
    /// The inputs of the design differ from the inputs in the case.
    Stimulus(StimulusDifference),
}

/// A waveform that ends before its case does. The cycle of the mismatch is the last one in the waveform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaveformEnd {
    /// Last cycle of the case on the golden model.
    pub goes_on_to: u64,
    /// Cells that are still running when the waveform ends.
    pub running: Vec<CellId>,
    /// The place where the file ends, if the file is truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// The last message of the simulator, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// Result of a run on the golden model alone.
#[derive(Clone, Copy, Debug)]
pub struct GoldenResult {
    /// Length of the run in clock edges.
    pub cycles: u64,
    /// Instructions decoded.
    pub instructions: u64,
    /// True if a sequencer was not idle, or a program word was in flight, at the end.
    pub unfinished: bool,
}

/// Runs a case to its end on the golden model alone.
pub fn run_golden(case: &Case, cycles: Option<u64>) -> GoldenResult {
    let mut run = LockstepRun::alone(case);
    run.run(EndRule::new(case, cycles), &mut ());
    run.result()
}

/// Runs a case in lock-step.
///
/// # Errors
/// If the design does not fit its map, or has no model of this size. A disagreement is not an error.
pub fn run(case: &Case, setup: &RunSetup<'_>) -> Result<Outcome, DutError> {
    run_observed(case, setup, &mut ())
}

/// Like [`run`], with an observer, which sees the cycles in which design and golden model agree.
///
/// # Errors
/// As for [`run`].
pub fn run_observed(
    case: &Case,
    setup: &RunSetup<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, DutError> {
    let first = find(case, setup, observer)?;
    let Some(mut earlier) = first.mismatch.as_ref().map(EarlierDifferenceSearch::than) else {
        return Ok(first);
    };
    let mut run = LockstepRun::replay(case, setup)?;
    run.run(EndRule::at(earlier.mismatch.cycle), &mut earlier);
    Ok(earlier.outcome(&first).unwrap_or(first))
}

/// Like [`run_observed`], in a single pass: a difference in a memory may be found some cycles late, or through its
/// consequences; [`EarlierDifferenceSearch`] finds it in a second pass.
///
/// # Errors
/// As for [`run`].
pub fn find(
    case: &Case,
    setup: &RunSetup<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, DutError> {
    let mut run = match LockstepRun::new(case, setup) {
        Ok(run) => run,
        Err(StartError::Dut(e)) => return Err(e),
        Err(StartError::Violated(failure)) => {
            let golden = GoldenRun::new(case);
            let kind = MismatchKind::Assertion(failure);
            return Ok(Outcome {
                cycles: 0,
                instructions: 0,
                state_bits: golden.fabric.layout().state_bits(),
                unfinished: false,
                mismatch: Some(Mismatch { cycle: 0, kind }),
            });
        }
    };
    let state_bits = shown_bits(&mut run);
    let mut both = (Comparator::default(), observer);
    run.run(setup.end(case), &mut both);
    Ok(Outcome {
        cycles: both.0.cycles,
        instructions: run.golden().instructions(),
        state_bits,
        unfinished: !run.golden().status().all_idle,
        mismatch: both.0.mismatch,
    })
}

/// Bits of state that the design shows.
fn shown_bits(run: &mut LockstepRun<'_>) -> u64 {
    let layout = run.golden().layout().clone();
    let Some(dut) = run.dut_mut() else { return 0 };
    let mut bits = layout.state_bits();
    if dut.shows_all() {
        return bits;
    }
    for unit in layout.units() {
        let fields = layout.variables_of(unit.kind()).flat_map(|v| &v.fields);
        let hidden = fields.filter(|f| !dut.shows(unit, f.register));
        bits -= hidden.map(|f| u64::from(f.width)).sum::<u64>();
    }
    let geometry = layout.geometry();
    for tile in TileId::all(geometry) {
        let hidden = RegisterId::TileSram.all(geometry).filter(|row| !dut.shows(tile.into(), *row));
        bits -= hidden.map(|row| u64::from(row.width(geometry))).sum::<u64>();
    }
    bits
}

/// Compares the design with the golden model in every cycle and ends the run when they differ. When a waveform ends,
/// the golden model continues alone to the end of the case.
#[derive(Clone, Debug, Default)]
pub struct Comparator {
    /// Number of clock edges up to the last compared state.
    pub cycles: u64,
    /// The first disagreement.
    pub mismatch: Option<Mismatch>,
}

/// Cells that are not idle.
pub fn running(golden: &Fabric) -> Vec<CellId> {
    let (geometry, idle) = (golden.geometry(), golden.status().cell_idle);
    CellId::all(geometry).filter(|cell| idle >> cell.index(geometry) & 1 == 0).collect()
}

impl Observer for Comparator {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let cycle = view.cycle;
        let Some(dut) = view.dut else {
            if let Some(Mismatch { cycle: last, kind: MismatchKind::Ended(ended) }) =
                &mut self.mismatch
            {
                if cycle == *last + 1 {
                    ended.running = running(view.golden);
                }
                ended.goes_on_to = cycle;
            }
            return ControlFlow::Continue(());
        };
        self.cycles = cycle;
        let whole = view.last || cycle.is_multiple_of(SRAM_PERIOD);
        match compare(view.golden, dut, whole) {
            None => ControlFlow::Continue(()),
            Some(kind) => {
                self.mismatch = Some(Mismatch { cycle, kind });
                ControlFlow::Break(())
            }
        }
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        let (kind, then) = match why {
            StepError::Violated(failure) => {
                (MismatchKind::Assertion(failure.clone()), ControlFlow::Break(()))
            }
            StepError::Ended { cut } => {
                let ended = WaveformEnd { cut: cut.clone(), ..WaveformEnd::default() };
                (MismatchKind::Ended(ended), ControlFlow::Continue(()))
            }
        };
        self.mismatch = Some(Mismatch { cycle, kind });
        then
    }
}

/// Looks in a second run for a difference that [`find`] noticed late. [`find`] does not compare the memories as a whole
/// in every cycle, so its mismatch may be the consequence of an earlier difference in a memory. This observer compares
/// them in every cycle since they last agreed; the first difference that is not the mismatch ends the run.
#[derive(Clone, Debug)]
pub struct EarlierDifferenceSearch<'a> {
    mismatch: &'a Mismatch,
    found: Option<Outcome>,
}

impl<'a> EarlierDifferenceSearch<'a> {
    /// Looks for a difference before a mismatch, or for another one in its cycle.
    pub fn than(mismatch: &'a Mismatch) -> Self {
        Self { mismatch, found: None }
    }

    /// The outcome in which the difference that was found replaces the mismatch; `None` if none was found.
    pub fn outcome(self, first: &Outcome) -> Option<Outcome> {
        self.found.map(|found| Outcome { state_bits: first.state_bits, ..found })
    }
}

impl Observer for EarlierDifferenceSearch<'_> {
    /// If the mismatch is a difference in the inputs of a waveform, nothing is compared.
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let Mismatch { cycle, kind } = self.mismatch;
        let unseen = cycle.saturating_sub(SRAM_PERIOD)..=*cycle;
        let given = matches!(kind, MismatchKind::Stimulus(_));
        let dut = view.dut.filter(|_| !given && unseen.contains(&view.cycle));
        let kind = dut.and_then(|dut| compare(view.golden, dut, true));
        let mismatch = kind.map(|kind| Mismatch { cycle: view.cycle, kind });
        if mismatch.is_none() || mismatch.as_ref() == Some(self.mismatch) {
            return ControlFlow::Continue(());
        }
        self.found = Some(Outcome {
            cycles: view.cycle,
            instructions: view.golden.instructions(),
            state_bits: 0,
            unfinished: !view.golden.status().all_idle,
            mismatch,
        });
        ControlFlow::Break(())
    }
}

/// Compares the design with the golden model in the current cycle; `None` if they agree. The memories are compared either
/// as a whole, or only in the rows that the golden model wrote at the last edge.
#[inline]
pub fn compare(golden: &Fabric, dut: &dyn Dut, whole: bool) -> Option<MismatchKind> {
    let memories = if whole {
        dut.srams_agree(golden)
    } else {
        golden.written_rows().all(|(tile, row)| dut.sram_row_agrees(golden, tile, row))
    };
    if !memories || !dut.agrees(golden) {
        let mut differences = dut.differences(golden);
        let known = |d: &Difference| d.golden.contradicts(&d.dut);
        differences.sort_by_key(|d| !known(d));
        return Some(match differences.first() {
            Some(first) if !known(first) => MismatchKind::Unknown(differences),
            _ => MismatchKind::State(differences),
        });
    }
    let mut ports = dut.differing_ports(golden);
    let known = |p: &PortDifference| p.golden.contradicts(&p.dut);
    ports.sort_by_key(|p| !known(p));
    let first = ports.first().map(known)?;
    Some(if first { MismatchKind::Port(ports) } else { MismatchKind::UnknownPort(ports) })
}
