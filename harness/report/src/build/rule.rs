// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an engineer needs to decide between RTL and golden model: the rule, why it is that one, and
//! what it looks at.

use drra_diagnose::signature::Failing;
use drra_isa::{
    Unit,
    fabric::{Register, SignalId},
};
use drra_lockstep::{MismatchKind, SignalAt, Value};

use super::{recording::Recording, rule_inputs::Looking};
use crate::data::{AppliedRule, Reading, Why};

/// The rule, why it decides, and its inputs.
pub(super) fn rule(r: &Recording<'_>, failing: &Failing, shows_signals: bool) -> AppliedRule {
    let rule = r.explanation.rule;
    let first = failing.mismatch.differences().first().map(|d| d.location);
    let unit: Option<Unit> = match &r.explanation.arose {
        Some(arose) => Some(arose.signal.unit),
        None => failing.mismatch.unit(r.geometry),
    };
    let register: Option<Register> = first.map(|location| location.register);
    let looking = || {
        let cycle = failing.mismatch.leading_cycle()?;
        let (now, signals) = (r.golden(cycle)?, r.signals(cycle)?);
        Some(Looking { r, now, signals, register })
    };
    AppliedRule {
        rule,
        unit,
        why: why(r, failing, shows_signals),
        inputs: looking().map_or_else(Vec::new, |looking| looking.inputs(rule, unit)),
        entering: compared(&r.explanation.entering, shows_signals),
        leaving: compared(&r.explanation.leaving, shows_signals),
    }
}

/// Signals that were compared, if the design shows any.
fn compared(signals: &[SignalAt], shows_signals: bool) -> Vec<SignalAt> {
    if shows_signals { signals.to_vec() } else { Vec::new() }
}

/// Why the difference is said to have arisen in a block.
fn why(r: &Recording<'_>, failing: &Failing, shows_signals: bool) -> Why {
    let Some(arose) = &r.explanation.arose else {
        return match &failing.mismatch.kind {
            MismatchKind::State(_) | MismatchKind::Unknown(_) if r.mismatch == 0 => Why::AfterReset,
            MismatchKind::State(_) | MismatchKind::Unknown(_) if !shows_signals => {
                Why::SignalsUnknown
            }
            MismatchKind::State(_) | MismatchKind::Unknown(_) => Why::InputsAgree,
            MismatchKind::Ended(_) => Why::Ended,
            MismatchKind::Stimulus(_) => Why::Stimulus,
            MismatchKind::Port(_) | MismatchKind::UnknownPort(_) => Why::Port,
            MismatchKind::Assertion(_) => Why::Assertion,
        };
    };
    let by = match arose.signal.id {
        SignalId::DpuX | SignalId::DpuY | SignalId::DpuAddend => Some(Register::DpuBwReg),
        SignalId::DpuIn | SignalId::DpuOperand | SignalId::DpuAccOut => Some(Register::DpuBwReg),
        SignalId::DpuFormat | SignalId::DpuOut => Some(Register::SeqCfgBw),
        _ => None,
    };
    let now = failing.mismatch.leading_cycle().and_then(|cycle| r.golden(cycle));
    let lanes = by.zip(now).map_or(1, |(by, now)| now.dpu_lanes(arose.signal.unit, by));
    let reading =
        |value: &Value| Reading::of_signal(arose.signal.id, value.clone()).in_lanes(lanes);
    Why::Signal { signal: arose.signal, golden: reading(&arose.golden), rtl: reading(&arose.dut) }
}
