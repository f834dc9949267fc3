// SPDX-License-Identifier: MIT OR Apache-2.0
//! The information that an engineer needs to decide between RTL and golden model: the rule, why this rule applies, and
//! its inputs.

use drra_diagnose::{attribution::IssuedInstruction, signature::DiagnosedFailure};
use drra_fabric::{
    AguState, CellInput, DpuOperation, GroupId, Key, MessageKind, Register, RuleId,
    SegmentDirection, SequencerState, SignalId,
    fields::{noc_msg, route},
};
use drra_golden::Signals;
use drra_isa::{
    Opcode, Unit,
    instructions::{DpuIoChange, DpuMode, loop_},
};
use drra_lockstep::{MismatchKind, SignalDifference, Value};

use super::{recording::MismatchContext, registers::CycleRegisters, rule_inputs::RuleView};
use crate::data::{AppliedRule, AttributionReason, Reading};

/// The rule, why it applies, and its inputs.
pub(super) fn rule(r: &MismatchContext<'_>, failing: &DiagnosedFailure) -> AppliedRule {
    let rule = r.explanation.rule;
    let first = failing.mismatch.differences().first().map(|d| d.location);
    let unit: Option<Unit> = match &r.explanation.root_cause {
        Some(cause) => Some(cause.signal.unit),
        None => failing.mismatch.unit(r.geometry),
    };
    let register: Option<Register> = first.map(|location| location.register);
    let leading = || {
        let cycle = failing.mismatch.leading_cycle()?;
        Some((r.golden(cycle)?, r.signals(cycle)?))
    };
    let leading = leading();
    let narrower = leading.and_then(|(now, signals)| {
        narrower(rule, r, failing, &now, signals).filter(|narrower| *narrower != rule)
    });
    let inputs = leading.map_or_else(Vec::new, |(now, signals)| {
        RuleView { r, now, signals, register }.inputs(narrower.unwrap_or(rule), unit)
    });
    AppliedRule {
        rule,
        narrower,
        unit,
        why: why(r, failing),
        inputs,
        entering: r.explanation.fan_in.clone(),
        leaving: r.explanation.outputs.clone(),
    }
}

/// A more specific rule than the rule of the block, if there is one; registers and signals are from the leading cycle.
#[expect(clippy::too_many_lines, reason = "one branch per rule")]
fn narrower(
    rule: RuleId,
    r: &MismatchContext<'_>,
    failing: &DiagnosedFailure,
    now: &CycleRegisters<'_>,
    signals: &Signals,
) -> Option<RuleId> {
    let cause = r.explanation.root_cause.as_ref();
    let first = failing.mismatch.differences().first();
    let register = first.map(|d| d.location.register);
    let unit = cause.map(|s| s.signal.unit).or_else(|| Some(first?.location.unit))?;
    let instruction = r.explanation.responsible.as_ref();
    let low = |register| now.low(unit, register);
    let wire = |id, key| signals.wire(unit, id, key).map(|words| words[0]);
    let closed = SegmentDirection::Closed.value();
    match rule {
        RuleId::Loops | RuleId::Raccu => {
            let number = cause.map_or(register?.key(), |s| s.signal.key()).number();
            // Slot k writes register 15-k (chapter 2, section 8).
            let slot = number.map(|n| if rule == RuleId::Raccu { 15 - n % 16 } else { n });
            let starts = |i: &IssuedInstruction| {
                let own = slot.is_none_or(|slot| slot as u64 == loop_::LOOPID.get(&i.words));
                i.is(Opcode::Loop) && own && i.released.get() == Some(now.cycle)
            };
            instruction.is_some_and(starts).then_some(RuleId::LoopStart)
        }
        // Load port and end of a program (chapter 2, sections 4 and 5.3).
        RuleId::State => {
            (low(Register::SeqState) != SequencerState::Run.value()).then_some(RuleId::ProgramLoad)
        }
        RuleId::DecodeFields | RuleId::DecodeMessage => {
            let (i, cause) = (instruction.filter(|i| i.cycle == now.cycle)?, cause?);
            let wrong = cause.golden.low() ^ cause.dut.low();
            match i.opcode()? {
                _ if wrong & i.dynamic_bits() != 0 => Some(RuleId::DecodeOperands),
                Opcode::Route => Some(RuleId::DecodeRoute),
                Opcode::Io => Some(RuleId::DecodeIo),
                _ => None,
            }
        }
        RuleId::DecodeControl => matches!(cause?.signal.id, SignalId::Jump | SignalId::JumpPc)
            .then_some(RuleId::DecodeJump),
        RuleId::Agu => {
            let agu = cause.map_or(register?.key(), |s| s.signal.key()).agu()?;
            let ends = low(Register::RfAguL1Cnt(agu)) == low(Register::RfAguPL1Iter(agu));
            let pattern = register?.id().group() == GroupId::RfAguP;
            Some(match AguState::from_value(low(Register::RfAguState(agu)))? {
                _ if pattern && cause.is_none() => RuleId::AguPattern,
                AguState::Idle => RuleId::AguStart,
                AguState::InitWait => RuleId::AguInitialDelay,
                AguState::Run if ends && cause.is_none() => RuleId::AguRowEnd,
                AguState::Run => RuleId::AguRun,
                AguState::RowWait => RuleId::AguRowDelay,
                AguState::RowStart => RuleId::AguRowStart,
            })
        }
        RuleId::DpuChannel => {
            use DpuOperation as Op;
            let (Register::DpuAcc(channel) | Register::DpuStatus(channel), None) =
                (register?, cause)
            else {
                return None;
            };
            let cleared = wire(SignalId::DpuClear, Key::None) == Some(1);
            let previous = Op::from_value(low(Register::DpuPrevOp(channel)))?;
            let selected = Op::from_value(wire(SignalId::DpuOp, Key::Number(channel))?)?;
            match (selected, previous) {
                _ if cleared && register? == Register::DpuAcc(channel) => Some(RuleId::DpuCount),
                (Op::Idle, previous) => (previous != Op::Idle).then_some(RuleId::DpuTail),
                (Op::Shl | Op::Shr, _) => Some(RuleId::DpuShift),
                (Op::Max | Op::Min, _) => Some(RuleId::DpuCompare),
                (Op::Mul | Op::Mac | Op::Add | Op::Acc | Op::Ld, _) => Some(RuleId::DpuSum),
                _ => None,
            }
        }
        RuleId::DpuUnit => (wire(SignalId::DpuOpe, Key::None) == Some(DpuOperation::Exp.value()))
            .then_some(RuleId::DpuExponential),
        RuleId::DpuOperands => {
            let SignalDifference { signal, golden, dut } = cause?;
            let parity = [SignalId::DpuX, SignalId::DpuY].iter().position(|id| *id == signal.id)?;
            let mode = DpuMode::from_code(low(Register::DpuModeReg))?;
            let mut inputs = mode.info().operands[signal.key().index()].inputs();
            negation(unit, inputs.find(|n| n % 2 == parity)?, [golden, dut], now, signals)
        }
        RuleId::DpuOutput => {
            let (mode, cause) = (DpuMode::from_code(low(Register::DpuModeReg))?, cause?);
            let (info, output) = (mode.info(), cause.signal.key().index());
            let is = |value: u64| [cause.golden.low(), cause.dut.low()].contains(&(value & 0xffff));
            let lanes = [Register::SeqCfgBw, Register::DpuBwReg].map(|bw| now.dpu_lanes(unit, bw));
            let selects = match mode {
                _ if lanes[0] != lanes[1] => return Some(RuleId::DpuOutputLanes),
                DpuMode::Relu => is(0),
                // Output 0 or the product, which may be wrong itself.
                DpuMode::LkRelu if output == 0 => is(low(Register::DpuAcc(0))),
                _ => info.squash || info.scaler || !info.outputs[output],
            };
            (selects && cause.signal.id == SignalId::DpuOut).then_some(RuleId::DpuOutputSelect)
        }
        RuleId::DpuRegisters => {
            let (register, sides) = (register?, [&first?.golden, &first?.dut]);
            let loaded =
                [Register::DpuIr0, Register::DpuIr1].iter().position(|r| *r == register)?;
            let loads = DpuMode::from_code(low(Register::DpuModeReg)) == Some(DpuMode::LdIr)
                && now.value(unit, register)? != *sides[1];
            negation(unit, 2 * loaded, sides, now, signals).filter(|_| loads)
        }
        RuleId::DpuScaler => match (register?, DpuMode::from_code(low(Register::DpuModeReg))?) {
            (Register::DpuPackPhase, _) => Some(RuleId::DpuScalerPhase),
            (_, DpuMode::ScaleUp | DpuMode::ScaleDw)
                if now.lanes_of_width(unit, Register::DpuBwReg) == 1 =>
            {
                Some(RuleId::DpuScalerCopy)
            }
            (_, DpuMode::ScaleUp) => Some(RuleId::DpuScalerUp),
            (_, DpuMode::ScaleDw) => Some(RuleId::DpuScalerDown),
            _ => None,
        },
        RuleId::SegmentRequest => {
            // The valid bit is above the direction.
            let closes = |value: &Value| value.low() == 4 | closed;
            let closes = cause.is_some_and(|s| closes(&s.golden) || closes(&s.dut));
            closes.then_some(RuleId::SegmentClose)
        }
        RuleId::Segment => {
            let neighbour = match register? {
                Register::TileSegW => SignalId::ReqW,
                _ => SignalId::ReqS,
            };
            let asked = signals.wire(unit, neighbour, Key::None).is_some_and(|w| w != [0]);
            let closes = first?.golden.low() == closed || first?.dut.low() == closed;
            (!asked && closes).then_some(RuleId::SegmentClose)
        }
        RuleId::RouteDecode => route_rule(cause?, signals),
        _ => None,
    }
}

/// The rule for a wrong operand of a DPU whose negation by io_change, or in subt only its value, is in question (chapter
/// 4, 5.2). In the cycle of a launch that changes the negation, it can be a matter of the launch (4.2).
fn negation(
    unit: Unit,
    input: usize,
    [golden, dut]: [&Value; 2],
    now: &CycleRegisters<'_>,
    signals: &Signals,
) -> Option<RuleId> {
    let Unit::Cell(cell) = unit else { return None };
    let raw = signals.cell(cell).vin[CellInput::Dpu0.index() + input];
    let [golden, dut] = [golden, dut].map(|value| value.low() as u16 == raw);
    let changes = [DpuIoChange::NegateIn0, DpuIoChange::NegateIn1];
    let mode = DpuMode::from_code(now.low(unit, Register::DpuModeReg))?;
    // The mode selects a negated input, so a side that does not negate selects another operand.
    let always = input % 2 == 1 && matches!(mode, DpuMode::Subt | DpuMode::SubtAbs);
    let negates = DpuIoChange::from_bits(now.io_change(unit)) == changes[input % 2];
    let late = now.changes_io(unit) && raw != 0 && golden != dut;
    let rule = if late { RuleId::DpuLaunch } else { RuleId::DpuNegation };
    (if always { !golden && !dut } else { negates }).then_some(rule)
}

/// The item of chapter 6, 6.2, that determines a signal of a ROUTE.
fn route_rule(cause: &SignalDifference, signals: &Signals) -> Option<RuleId> {
    let Unit::Tile(tile) = cause.signal.unit else { return None };
    let (id, side) = (cause.signal.id, cause.signal.key().side()?);
    let message = signals.tile(tile).rx(side);
    let payload = noc_msg::PAYLOAD.get(message);
    // One end of the connection is the side at which the ROUTE leaves. If the connection starts at the side at which it
    // enters instead, the connection is reversed.
    let from = id == SignalId::RouteFrom;
    let exit = from == (route::READ.get(payload) == 1);
    let turned = from && cause.dut.low() == side.index() as u64;
    match id {
        _ if noc_msg::KIND.get(message) != MessageKind::Route.value() => None,
        SignalId::RouteFrom | SignalId::RouteTo if !exit || turned => Some(RuleId::RouteConnection),
        _ if route::VERTICAL_HOPS.get(payload) != 0 => Some(RuleId::RouteVertical),
        _ if route::HORIZONTAL_HOPS.get(payload) != 0 => Some(RuleId::RouteHorizontal),
        _ => Some(RuleId::RouteEnd),
    }
}

/// The reason the difference is attributed to a block.
fn why(r: &MismatchContext<'_>, failing: &DiagnosedFailure) -> AttributionReason {
    let Some(cause) = &r.explanation.root_cause else {
        return match &failing.mismatch.kind {
            MismatchKind::State(_) | MismatchKind::Unknown(_) if r.mismatch == 0 => {
                AttributionReason::AfterReset
            }
            MismatchKind::State(_) | MismatchKind::Unknown(_) => {
                match r.explanation.shown.clone() {
                    Some(compared) => AttributionReason::SignalsUnknown { compared },
                    None => AttributionReason::InputsAgree,
                }
            }
            MismatchKind::Ended(_) => AttributionReason::Ended,
            MismatchKind::Stimulus(_) => AttributionReason::Stimulus,
            MismatchKind::Port(_) | MismatchKind::UnknownPort(_) => AttributionReason::Port,
            MismatchKind::Assertion(_) => AttributionReason::Assertion,
        };
    };
    let now = failing.mismatch.leading_cycle().and_then(|cycle| r.golden(cycle));
    let lanes = now.map_or(1, |now| now.signal_lanes(cause.signal));
    let reading =
        |value: &Value| Reading::of_signal(cause.signal.id, value.clone()).in_lanes(lanes);
    AttributionReason::Signal {
        signal: cause.signal,
        golden: reading(&cause.golden),
        rtl: reading(&cause.dut),
    }
}
