// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is responsible for a mismatch: the block in which the difference arose, and the instruction
//! that had set it up.
//!
//! Nothing of this is recorded while a case runs. The case is run again up to the mismatch, which
//! gives the same result. All registers agree in the cycle before the mismatch. If a signal between
//! two blocks differs in that cycle, the block that drives it is wrong. If none differs, the block
//! of the register is wrong.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::Fabric;
use drra_golden::Signals;
use drra_isa::Geometry;
use drra_isa::Unit;
use drra_isa::fabric::Circumstances;
use drra_isa::fabric::RegisterId;
use drra_isa::fabric::RuleId;
use drra_lockstep::Difference;
use drra_lockstep::Driven;
use drra_lockstep::DutError;
use drra_lockstep::EndRule;
use drra_lockstep::Mismatch;
use drra_lockstep::MismatchKind;
use drra_lockstep::Now;
use drra_lockstep::Observer;
use drra_lockstep::Pair;
use drra_lockstep::Setup;
use drra_lockstep::SignalDifference;
use drra_lockstep::StepError;

pub use crate::arose::is_dpu_data;

use crate::arose;
use crate::arose::Wires;
use crate::attribution::Attribution;
use crate::attribution::IssuedInstruction;
use crate::follow::Follower;
use crate::part::CellPart;
use crate::part::Part;
use crate::part::TilePart;

/// What is known about a mismatch.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction that had set up the block in which the difference arose, if one was decoded.
    pub responsible: Option<IssuedInstruction>,
    /// The rule that decides who is right; it names the block.
    pub rule: RuleId,
    /// Signal that differs in the cycle before; `None` if the difference arose in the register.
    pub arose: Option<SignalDifference>,
    /// The difference arose when a configuration reached its generator. Several registers take it
    /// over at once, so which of them differs first tells nothing.
    pub launch: bool,
}

/// Runs the case again up to the mismatch.
///
/// # Errors
/// If the design does not fit its maps.
pub fn explain(
    case: &Case,
    setup: &Setup<'_>,
    mismatch: &Mismatch,
) -> Result<Explanation, DutError> {
    let mut explainer = Explainer::new(case, setup.geometry, mismatch, 0);
    let mut pair = Pair::replay(case, setup.geometry, setup.design)?;
    pair.run(EndRule::at(mismatch.cycle), &mut explainer);
    explainer.finish().map(|(explanation, _)| explanation)
}

/// Explains a mismatch while its case runs again, to the mismatch or on.
pub struct Explainer<'a> {
    mismatch: &'a Mismatch,
    follower: Follower<'a>,
    differing: Result<Vec<SignalDifference>, DutError>,
    explained: (Explanation, Attribution),
}

impl<'a> Explainer<'a> {
    /// For a run from cycle 0. Decodes and writes of the last `kept` cycles can be asked for.
    pub fn new(case: &'a Case, geometry: &'a Geometry, mismatch: &'a Mismatch, kept: u64) -> Self {
        // In cycle 0 nothing has been decoded yet.
        let explained = (unexplained(mismatch), Attribution::new(case, geometry, 0));
        let follower = Follower::new(case, geometry, kept);
        Self { mismatch, follower, differing: Ok(Vec::new()), explained }
    }

    /// What was followed up to the last edge.
    pub fn follower(&self) -> &Follower<'a> {
        &self.follower
    }

    /// The explanation, and what was followed up to the mismatch.
    ///
    /// # Errors
    /// If the design does not fit its signal map.
    pub fn finish(self) -> Result<(Explanation, Attribution), DutError> {
        self.differing.map(|_| self.explained)
    }

    /// The edge that ends `cycle` leads to the mismatch.
    fn leads(&self, cycle: u64) -> bool {
        cycle + 1 == self.mismatch.cycle
    }
}

impl Observer for Explainer<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if let Some(dut) = now.dut.filter(|_| self.leads(now.cycle)) {
            self.differing = dut.differing_signals(&now.golden.signals());
        }
        if self.differing.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.before(golden, cycle);
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.after(golden, cycle);
        if self.leads(cycle)
            && let (Ok(differing), Some(signals)) = (&self.differing, self.follower.signals())
        {
            let followed = self.follower.attribution();
            let found = attribute(self.mismatch, followed, signals, differing);
            self.explained = (found, followed.clone());
        }
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        self.follower.stopped(cycle, why)
    }
}

/// What is known before anything is decoded.
fn unexplained(mismatch: &Mismatch) -> Explanation {
    Explanation { responsible: None, rule: rule_of(mismatch), arose: None, launch: false }
}

/// The rule of what differs.
fn rule_of(mismatch: &Mismatch) -> RuleId {
    let rule = match &mismatch.kind {
        MismatchKind::State(differences) | MismatchKind::Unknown(differences) => {
            differences.first().map(|d| d.location.register.id().rule())
        }
        MismatchKind::Port(differences) | MismatchKind::UnknownPort(differences) => {
            differences.first().map(|d| d.port.rule())
        }
        MismatchKind::Assertion(failure) => {
            RuleId::of_module(failure.file.strip_suffix(".sv").unwrap_or(&failure.file))
        }
        MismatchKind::Stimulus(difference) => Some(entered(difference.driven).rule()),
        MismatchKind::Ended(_) => None,
    };
    rule.unwrap_or(RuleId::Status)
}

/// The register that takes over what is driven.
fn entered(driven: Driven) -> RegisterId {
    match driven {
        Driven::Word(..) | Driven::Flag(..) => RegisterId::LdPipeInstr,
        Driven::Row(..) => RegisterId::TileInitData,
        Driven::Block(..) => RegisterId::RfMem,
        Driven::IoCell(_) => RegisterId::ColumnIoMsg,
        Driven::Buffer(..) => RegisterId::ColumnIoRdata,
    }
}

/// The unit whose assertion is violated.
fn violated_unit(mismatch: &Mismatch) -> Option<Unit> {
    match &mismatch.kind {
        MismatchKind::Assertion(failure) => failure.instances.iter().find_map(|i| i.unit),
        MismatchKind::State(_)
        | MismatchKind::Unknown(_)
        | MismatchKind::Port(_)
        | MismatchKind::UnknownPort(_)
        | MismatchKind::Ended(_)
        | MismatchKind::Stimulus(_) => None,
    }
}

/// Block and instruction, from what was followed up to the edge after which both sides differ.
/// `differing` are the signals that differ in the cycle before.
fn attribute(
    mismatch: &Mismatch,
    attribution: &Attribution,
    signals: &Signals,
    differing: &[SignalDifference],
) -> Explanation {
    let first = mismatch.differences().first();
    let wires = Wires { signals, differing };
    let arose = first.and_then(|d| wires.reaching_register(d.location)).cloned();
    let responsible = arose
        .as_ref()
        .and_then(|s| arose::responsible(s.signal, attribution, signals))
        .or_else(|| first.and_then(|d| attribution.responsible(d.location)))
        .or_else(|| attribution.responsible_for_unit(violated_unit(mismatch)?));
    let (rule, launch) = match (&arose, first, &responsible) {
        (Some(arose), _, _) => (arose.signal.id.rule(), false),
        (None, Some(d), Some(instruction)) => {
            let launch = launches(mismatch, d, instruction, attribution);
            let circumstances = Circumstances {
                instruction: Some(instruction.mnemonic()),
                dpu_mode: instruction.dpu_mode().map(|mode| mode.code().into()),
                launch,
            };
            (d.location.register.rule_under(&circumstances), launch)
        }
        (None, _, _) => (rule_of(mismatch), false),
    };
    let responsible = responsible.map(|i| IssuedInstruction::clone(&i));
    Explanation { responsible, rule, arose, launch }
}

/// True if the instruction reached the differing generator with the last edge.
fn launches(
    mismatch: &Mismatch,
    first: &Difference,
    responsible: &IssuedInstruction,
    attribution: &Attribution,
) -> bool {
    let part = Part::of(first.location.register);
    match (first.location.unit, part) {
        (_, Some(Part::Cell(CellPart::Agu(_)))) => {
            // A launch moves several registers of an AGU at once.
            let now = responsible.released.get() == mismatch.cycle.checked_sub(1);
            now && differing_registers(mismatch, first.location.unit, part) > 1
        }
        (Unit::Tile(tile), Some(Part::Tile(TilePart::Configuration(_)))) => {
            attribution.offers(tile)
        }
        _ => false,
    }
}

/// How many registers of a part of a unit differ.
fn differing_registers(mismatch: &Mismatch, unit: Unit, part: Option<Part>) -> usize {
    let of_part =
        |d: &&Difference| d.location.unit == unit && Part::of(d.location.register) == part;
    mismatch.differences().iter().filter(of_part).count()
}
