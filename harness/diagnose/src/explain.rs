// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cause of a mismatch: the block in which the difference originated, and the instruction that had set it up.
//!
//! All registers agree in the cycle before the mismatch. From the register that differs, the signals between the blocks
//! are traced backwards: as long as an input of a block differs, the block that drives this input is examined next. The
//! fault is in the first block whose inputs all agree.

use std::collections::BTreeSet;

use drra_fabric::{PortId, RegisterId, RuleId, SignalId};
use drra_golden::Signals;
use drra_isa::{Geometry, Unit};
use drra_lockstep::{DrivenInput, Mismatch, MismatchKind, SignalDifference, SignalLocation};

pub use crate::root_cause::is_dpu_data;

use crate::{
    attribution::{Attribution, IssuedInstruction},
    backtrace::Backtrace,
    fan_in::Wiring,
    root_cause,
};

/// An explanation of a mismatch.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction that had set up the block in which the difference originated, if there is one.
    pub responsible: Option<IssuedInstruction>,
    /// The rule that decides which side is right; it names the block.
    pub rule: RuleId,
    /// Signal that differs in the leading cycle; `None` if the difference originated in the register or port.
    pub root_cause: Option<SignalDifference>,
    /// The compared signals entering the block: all agree in the leading cycle.
    pub fan_in: Vec<SignalLocation>,
    /// The other compared signals leaving the block: these agree, too.
    pub outputs: Vec<SignalLocation>,
    /// The kinds of signals that the design shows, if it does not show all.
    pub shown: Option<BTreeSet<SignalId>>,
}

impl Explanation {
    /// The explanation of a mismatch before anything has been decoded.
    pub(crate) fn before_any(mismatch: &Mismatch) -> Self {
        Self {
            responsible: None,
            rule: rule_of(mismatch),
            root_cause: None,
            fan_in: Vec::new(),
            outputs: Vec::new(),
            shown: None,
        }
    }

    /// Block and instruction, from what had been set up in the leading cycle. `signals` are the signals of the golden
    /// model in that cycle; `differing` are the `shown` signals that differ.
    pub(crate) fn new(
        geometry: &Geometry,
        mismatch: &Mismatch,
        followed: &Attribution,
        signals: &Signals,
        differing: &[SignalDifference],
        shown: Option<&BTreeSet<SignalLocation>>,
    ) -> Self {
        let backtrace = Backtrace { wiring: Wiring { geometry, signals }, differing, shown };
        let origin = backtrace.origin(mismatch);
        let of_register = || {
            let register = mismatch.differences().first();
            register
                .and_then(|d| followed.responsible(d, signals))
                .or_else(|| match mismatch.ports().first()?.port {
                    PortId::AguBusy => root_cause::busy(followed, signals, geometry),
                    _ => followed.responsible_for_port(mismatch.ports().first()?),
                })
                .or_else(|| followed.responsible_for_unit(violated_unit(mismatch)?))
        };
        let responsible = origin
            .root_cause
            .and_then(|s| root_cause::responsible(s.signal, followed, signals))
            .unwrap_or_else(of_register);
        let rule = origin.root_cause.map_or_else(|| rule_of(mismatch), |s| s.signal.id.rule());
        let mut outputs =
            origin.output.map_or_else(Vec::new, |output| backtrace.outputs(rule, output));
        // A signal that both leaves and enters the block connects two of its parts and is listed only as an input.
        outputs.retain(|signal| !origin.fan_in.contains(signal));
        Self {
            responsible: responsible.map(|i| IssuedInstruction::clone(&i)),
            rule,
            root_cause: origin.root_cause.cloned(),
            outputs,
            fan_in: origin.fan_in,
            shown: shown.map(|shown| shown.iter().map(|signal| signal.id).collect()),
        }
    }
}

/// The rule for the register, port, assertion or driven input of a mismatch, or else the rule for the status outputs.
fn rule_of(mismatch: &Mismatch) -> RuleId {
    let rule = match &mismatch.kind {
        MismatchKind::State(_) | MismatchKind::Unknown(_) => {
            mismatch.differences().first().map(|d| d.location.register.id().rule())
        }
        MismatchKind::Port(_) | MismatchKind::UnknownPort(_) => {
            mismatch.ports().first().map(|d| d.port.rule())
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

/// The first register that captures a driven input.
fn entered(driven: DrivenInput) -> RegisterId {
    match driven {
        DrivenInput::Word { .. } | DrivenInput::Flag { .. } => RegisterId::LdPipeInstr,
        DrivenInput::Row { .. } => RegisterId::TileInitData,
        DrivenInput::Block { .. } => RegisterId::RfMem,
        DrivenInput::IoCell { .. } => RegisterId::ColumnIoMsg,
        DrivenInput::Buffer { .. } => RegisterId::ColumnIoRdata,
    }
}

/// The unit whose assertion is violated.
fn violated_unit(mismatch: &Mismatch) -> Option<Unit> {
    let MismatchKind::Assertion(failure) = &mismatch.kind else { return None };
    failure.instances.iter().find_map(|i| i.unit)
}
