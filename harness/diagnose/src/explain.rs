// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is responsible for a mismatch: the block in which the difference arose, and the instruction
//! that had set it up.
//!
//! Nothing of this is recorded while a case runs. The case is run again up to the mismatch, which
//! gives the same result. All registers agree in the cycle before the mismatch. From the register that
//! differs the signals between the blocks are followed backwards: as long as one that enters a block
//! differs, the block that drives it is the next to look at. The block into which only signals go that
//! agree is wrong.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_isa::{
    Geometry, Unit,
    fabric::{RegisterId, RuleId},
};
use drra_lockstep::{
    Driven, DutError, Mismatch, MismatchKind, Now, Observer, SignalAt, SignalDifference, StepError,
};

pub use crate::arose::is_dpu_data;

use crate::{
    arose,
    attribution::{Attribution, IssuedInstruction},
    entering::Wiring,
    follow::Follower,
    trail::Trail,
};

/// What is known about a mismatch.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction that had set up the block in which the difference arose, if one was decoded.
    pub responsible: Option<IssuedInstruction>,
    /// The rule that decides who is right; it names the block.
    pub rule: RuleId,
    /// Signal that differs in the leading cycle; `None` if the difference arose in the register or port.
    pub arose: Option<SignalDifference>,
    /// The signals that enter the block and were compared: all agree in the leading cycle.
    pub entering: Vec<SignalAt>,
    /// The other signals that the block hands out and that were compared: all agree, too.
    pub leaving: Vec<SignalAt>,
}

/// Explains a mismatch while its case runs again, to the mismatch or on.
pub(crate) struct Explainer<'a> {
    geometry: &'a Geometry,
    mismatch: &'a Mismatch,
    follower: Follower<'a>,
    differing: Result<Vec<SignalDifference>, DutError>,
    /// Of the leading cycle.
    signals: Option<Signals>,
    explained: (Explanation, Attribution),
}

impl<'a> Explainer<'a> {
    /// For a run from cycle 0. Decodes and writes of the last `kept` cycles can be asked for.
    pub(crate) fn new(case: &'a Case, mismatch: &'a Mismatch, kept: u64) -> Self {
        // In cycle 0 nothing has been decoded yet.
        let explained = (unexplained(mismatch), Attribution::new(case, 0));
        let follower = Follower::new(case, kept);
        let differing = Ok(Vec::new());
        let geometry = &case.geometry;
        Self { geometry, mismatch, follower, differing, signals: None, explained }
    }

    /// What was followed up to the last edge.
    pub(crate) fn follower(&self) -> &Follower<'a> {
        &self.follower
    }

    /// The explanation, and what was followed up to the mismatch.
    ///
    /// # Errors
    /// If the design does not fit its signal map.
    pub(crate) fn finish(self) -> Result<(Explanation, Attribution), DutError> {
        self.differing.map(|_| self.explained)
    }
}

impl Observer for Explainer<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if self.mismatch.leading_cycle() != Some(now.cycle) {
            return ControlFlow::Continue(());
        }
        let signals = now.golden.all_signals(&now.inputs);
        if let Some(dut) = now.dut {
            self.differing = dut.differing_signals(&signals);
        }
        // Of a port the registers of this cycle are the last ones that count.
        if !self.mismatch.ports().is_empty() {
            self.attribute(&signals);
        }
        self.signals = Some(signals);
        if self.differing.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.before(golden, cycle);
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.after(golden, cycle);
        let leads =
            self.mismatch.ports().is_empty() && self.mismatch.leading_cycle() == Some(cycle);
        if let Some(signals) = self.signals.take_if(|_| leads) {
            self.attribute(&signals);
        }
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        self.follower.stopped(cycle, why)
    }
}

/// What is known before anything is decoded.
fn unexplained(mismatch: &Mismatch) -> Explanation {
    Explanation {
        responsible: None,
        rule: rule_of(mismatch),
        arose: None,
        entering: Vec::new(),
        leaving: Vec::new(),
    }
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
            let module = failure.file.strip_suffix(".sv").unwrap_or(&failure.file);
            let scope = failure.instances.first().map_or("", |instance| &instance.scope);
            RuleId::of_instance(module, scope)
        }
        MismatchKind::Stimulus(difference) => Some(entered(difference.driven).rule()),
        MismatchKind::Ended(_) => None,
    };
    rule.unwrap_or(RuleId::Status)
}

/// The register that takes over what is driven.
fn entered(driven: Driven) -> RegisterId {
    match driven {
        Driven::Word { .. } | Driven::Flag { .. } => RegisterId::LdPipeInstr,
        Driven::Row { .. } => RegisterId::TileInitData,
        Driven::Block { .. } => RegisterId::RfMem,
        Driven::IoCell { .. } => RegisterId::ColumnIoMsg,
        Driven::Buffer { .. } => RegisterId::ColumnIoRdata,
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

impl Explainer<'_> {
    /// Block and instruction, from what was followed up to the last edge.
    fn attribute(&mut self, signals: &Signals) {
        let Ok(differing) = &self.differing else { return };
        let followed = self.follower.attribution();
        let trail = Trail { wiring: Wiring { geometry: self.geometry, signals }, differing };
        let origin = trail.origin(self.mismatch);
        let first = self.mismatch.differences().first();
        let responsible = origin
            .arose
            .and_then(|s| arose::responsible(s.signal, followed, signals))
            .or_else(|| first.and_then(|d| followed.responsible(d.location)))
            .or_else(|| followed.responsible_for_port(self.mismatch.ports().first()?))
            .or_else(|| followed.responsible_for_unit(violated_unit(self.mismatch)?));
        let rule = origin.arose.map_or_else(|| rule_of(self.mismatch), |s| s.signal.id.rule());
        let handed = origin.handed;
        let explained = Explanation {
            responsible: responsible.map(|i| IssuedInstruction::clone(&i)),
            rule,
            arose: origin.arose.cloned(),
            leaving: handed.map_or_else(Vec::new, |handed| trail.leaving(rule, handed)),
            entering: origin.entering,
        };
        self.explained = (explained, followed.clone());
    }
}
