// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control flow after the timed part of a program: nested loops and branches.

use drra_isa::{
    CellId, Opcode,
    instructions::{
        DpuMode, RaccuMode, RefiPortNo, branch, dpu, io, loop_, raccu, refi, sram, swb, wait,
    },
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::words::draw_mode;
use crate::{
    draw, dynamic,
    op::Op,
    operand::operands,
    plan::{CasePlan, TailOp},
};

/// Nested loops after the timed part of a program. RACCUs work on the iterators; WAITs, REFIs, SRAMs and IOs take
/// operands from iterators and other RACCU registers, and LOOPs from registers that are loaded before all loops.
pub(super) fn loops(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    if !plan.cells[cell].tail.is_empty() {
        return false;
    }
    let depth = plan.rng.random_range(1..=4u64);
    let first = plan.rng.random_range(0..=4 - depth);
    let mut tail = Vec::new();
    for _ in 0..plan.rng.random_range(0..3) {
        tail.push(TailOp::from(raccu(plan, first)));
    }
    if plan.rng.random_bool(0.2) {
        changing_wait(plan, &mut tail);
    }
    if plan.deferred > 0.0 && plan.rng.random_bool(0.15) {
        skip_over_wait(plan, &mut tail, first);
    }
    nest(plan, &mut tail, cell, first, depth);
    // Another loop begins where this one ends.
    if plan.rng.random_bool(0.3) {
        let slot = plan.rng.random_range(0..3);
        let depth = plan.rng.random_range(1..3);
        nest(plan, &mut tail, cell, slot, depth);
    }
    move_operands(plan, &mut tail, cell);
    plan.cells[cell].tail = tail;
    plan.end += 40;
    true
}

/// A WAIT for the number in a register, after two loads of that register. If the second load waits for the flag of the
/// WAIT, the register changes during the WAIT (chapter 2, 5.2).
fn changing_wait(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>) {
    let register = plan.rng.random_range(0..FIRST_OF_LOOPS);
    let [long, longer] = [plan.rng.random_range(1..6), plan.rng.random_range(2..12)];
    let first = dynamic::load(plan, register, long);
    let second = dynamic::load(plan, register, longer);
    let second = plan.maybe_deferred(second);
    let wait = Op::new(Opcode::Wait, &[(wait::CYCLE_SD, 1), (wait::CYCLE, register as u64)]);
    tail.extend([first, second, wait].map(TailOp::from));
}

/// A LOOP without iterations, released by the flag of the WAIT after it: the skip is taken when the WAIT ends (chapter
/// 2, section 9).
fn skip_over_wait(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>, slot: u64) {
    let skip = Op::new(Opcode::Loop, &[(loop_::LOOPID, slot), (loop_::ITER, 0)]).deferred();
    let wait = Op::wait(plan.rng.random_range(2..6));
    let skipped = raccu(plan, slot);
    let target = Some(tail.len() + 2);
    tail.extend([TailOp { op: skip, target }, TailOp::from(wait), TailOp::from(skipped)]);
}

/// First of four registers that operands of loops come from.
const FIRST_OF_LOOPS: usize = 8;

/// Moves operands of loops into registers that are loaded before all loops.
fn move_operands(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>, cell: CellId) {
    let io_cell = plan.io_cells.contains(&cell);
    let mut loads = Vec::new();
    for t in tail.iter_mut().filter(|t| t.op.is(Opcode::Loop)) {
        for operand in operands(Opcode::Loop) {
            let register = FIRST_OF_LOOPS + loads.len();
            if register > FIRST_OF_LOOPS + 3 || plan.rng.random_bool(0.5) {
                continue;
            }
            let Some(value) = operand.wanted(&t.op, 0.6, plan.rng) else { continue };
            let load = dynamic::load(plan, register, value);
            let op = operand.out_of(&t.op, register, 0);
            if plan.enforcer.allows(&op, io_cell) && plan.enforcer.allows(&load, io_cell) {
                t.op = op;
                loads.push(TailOp::from(load));
            }
        }
    }
    for target in tail.iter_mut().filter_map(|t| t.target.as_mut()) {
        *target += loads.len();
    }
    tail.splice(0..0, loads);
}

/// A loop in slot `slot` with `depth - 1` loops inside; slot numbers increase inwards.
fn nest(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>, cell: CellId, slot: u64, depth: u64) {
    let may_wait = plan.deferred > 0.0;
    // A RACCU that the LOOP releases writes the register of the slot, or the register of an operand.
    let released = match may_wait.then(|| plan.rng.random_range(0..12u8)) {
        Some(0) => Some(15 - slot),
        Some(1) => Some(plan.rng.random_range(0..FIRST_OF_LOOPS as u64)),
        _ => None,
    };
    if let Some(register) = released {
        let value = plan.rng.random_range(1..128);
        tail.push(dynamic::load(plan, register as usize, value).deferred().into());
    }
    let at = tail.len();
    let iter = if plan.rng.random_bool(0.15) { 0..2 } else { 1..5 };
    let start = if plan.rng.random_bool(0.2) { 0 } else { plan.rng.random_range(0..64) };
    let mut iter = plan.rng.random_range(iter);
    // A loop without others inside occasionally iterates as often as the field allows, or half as often.
    if depth == 1 && plan.spread > 60 && plan.rng.random_bool(0.08) {
        iter = draw::one_of(plan.rng, &[31, 32, 62, 63, 63]);
        plan.end += 3 * iter;
    }
    let mut op =
        Op::new(Opcode::Loop, &[(loop_::LOOPID, slot), (loop_::START, start), (loop_::ITER, iter)]);
    if plan.rng.random_bool(0.4) {
        op.set(loop_::STEP, plan.rng.random_range(0..64));
        op.fit();
    }
    if let Some(register) = released.filter(|register| *register < 12) {
        op.set(loop_::START_SD, 1);
        op.set(loop_::START, register);
    }
    tail.push(TailOp::from(op));
    for _ in 0..plan.rng.random_range(0..3) {
        if may_wait && plan.rng.random_bool(0.15) {
            reader(plan, tail, cell);
        } else {
            let op = body(plan, cell, slot);
            tail.push(TailOp::from(op));
        }
    }
    if depth > 1 {
        // With an inactive slot in between, loops with a common end iterate together.
        let gap = slot + depth < 4 && plan.rng.random_bool(0.4);
        nest(plan, tail, cell, slot + 1 + u64::from(gap), depth - 1);
        // This loop may end where the inner one ends; all loops inside that end there then get a link to this one.
        if plan.rng.random_bool(0.3) {
            let shared =
                tail[at + 1..].iter().find(|t| t.op.is(Opcode::Loop)).and_then(|t| t.target);
            for inner in tail[at + 1..].iter_mut().filter(|t| t.op.is(Opcode::Loop)) {
                if inner.target == shared {
                    let link = inner.op.value(loop_::LINK) | 1 << slot;
                    inner.op.set(loop_::LINK, link);
                    inner.op.fit();
                }
            }
            tail[at].target = shared;
            return;
        }
        if plan.rng.random_bool(0.3) && crossed(plan, tail, at) {
            return;
        }
    }
    // Adjacent ends: the last instruction of this loop is the one after the end of the inner loop.
    let touches = depth > 1 && plan.rng.random_bool(0.5);
    if touches {
        tail.push(TailOp::from(raccu(plan, slot)));
    } else {
        last(plan, tail, cell, slot);
    }
    tail[at].target = Some(tail.len() - 1);
}

/// The last instruction of a loop, occasionally with another redirect of the program counter in the same cycle: a JUMP
/// or BRANCH, or a skip that this instruction releases, at once or at the end of a WAIT (chapter 2, 5.1).
fn last(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>, cell: CellId, slot: u64) {
    let kind = plan.rng.random_range(0..14u8);
    if plan.deferred > 0.0 && kind < 4 {
        // The other redirects lead past the instruction after the loop.
        let other = plan.rng.random_range(0..4);
        let skip = Op::new(Opcode::Loop, &[(loop_::LOOPID, other), (loop_::ITER, 0)]).deferred();
        tail.push(TailOp { op: skip, target: Some(tail.len() + 2) });
    }
    let past = Some(tail.len() + 2);
    let (op, target) = match kind {
        0 | 1 => (Op::wait(plan.rng.random_range(2..6)), None),
        2 => (raccu(plan, slot), None),
        3 | 4 => (Op::new(Opcode::Jump, &[]), past),
        5 => (Op::new(Opcode::Branch, &[(branch::MODE, plan.rng.random_range(0..4))]), past),
        6 | 7 => (transfer(plan, cell, slot), None),
        _ => (body(plan, cell, slot), None),
    };
    tail.push(TailOp { op, target });
}

/// A RACCU that waits for a flag, and an instruction that releases the RACCU and usually reads the old contents of its
/// destination register.
fn reader(plan: &mut CasePlan<'_>, tail: &mut Vec<TailOp>, cell: CellId) {
    let register = plan.rng.random_range(0..FIRST_OF_LOOPS);
    let value = plan.rng.random_range(0..6);
    tail.push(dynamic::load(plan, register, value).deferred().into());
    let op = match plan.rng.random_range(0..4u8) {
        0 => Op::new(Opcode::Wait, &[(wait::CYCLE_SD, 1), (wait::CYCLE, register as u64)]),
        // The registers are numbered from the last one.
        _ => transfer(plan, cell, 15 - register as u64),
    };
    tail.push(TailOp::from(op));
}

/// Crossing ends: the loop at `at` ends one to three instructions before the end of the loop inside it, within that
/// loop's body (chapter 2, section 9). Returns false if there is no such instruction.
fn crossed(plan: &mut CasePlan<'_>, tail: &mut [TailOp], at: usize) -> bool {
    let is_loop = |t: &TailOp| t.op.is(Opcode::Loop);
    let inner = tail[at + 1..].iter().position(is_loop).map(|after| at + 1 + after);
    let Some((inner, end)) = inner.and_then(|inner| Some((inner, tail[inner].target?))) else {
        return false;
    };
    let first = (inner + 1).max(end.saturating_sub(3));
    if first >= end {
        return false;
    }
    tail[at].target = Some(plan.rng.random_range(first..end));
    true
}

/// A RACCU operation, usually on the iterator of a loop slot.
fn raccu(plan: &mut CasePlan<'_>, slot: u64) -> Op {
    let rng = &mut *plan.rng;
    let dynamic = rng.random_bool(0.6);
    let second = rng.random_bool(0.3);
    let mode = RaccuMode::from_bits(rng.random_range(0..8));
    // Larger shifts leave nothing but the sign.
    let shifts = matches!(mode, RaccuMode::ShiftR | RaccuMode::ShiftL) && rng.random_bool(0.8);
    let most = if shifts { 8 } else { 128 };
    Op::new(
        Opcode::Raccu,
        &[
            (raccu::MODE, mode.code().into()),
            (raccu::OPERAND1_SD, u64::from(dynamic)),
            (raccu::OPERAND1, if dynamic { 15 - slot } else { rng.random_range(0..128) }),
            (raccu::OPERAND2_SD, u64::from(second)),
            (
                raccu::OPERAND2,
                if second { rng.random_range(0..16) } else { rng.random_range(0..most) },
            ),
            (raccu::RESULT, if rng.random_bool(0.9) { rng.random_range(0..12) } else { 15 - slot }),
        ],
    )
}

/// An instruction of a loop body.
fn body(plan: &mut CasePlan<'_>, cell: CellId, slot: u64) -> Op {
    match plan.rng.random_range(0..8u8) {
        0..4 => raccu(plan, slot),
        4 => Op::wait(plan.rng.random_range(1..6)),
        5 => Op::new(
            Opcode::Wait,
            &[
                (wait::CYCLE_SD, 1),
                (wait::CYCLE, if plan.rng.random_bool(0.8) { 15 - slot } else { 2 }),
            ],
        ),
        6 => transfer(plan, cell, slot),
        _ => {
            let (mode, _) = draw_mode(plan);
            Op::dpu(mode, &[(dpu::ACC_CLEAR, plan.rng.random_range(0..256))])
        }
    }
}

/// A REFI or, less often, an SRAM or IO, with one to three operands from registers, usually from the iterator of a
/// loop.
fn transfer(plan: &mut CasePlan<'_>, cell: CellId, slot: u64) -> Op {
    let rng = &mut *plan.rng;
    let small = |rng: &mut ChaCha8Rng| rng.random_range(0..4u64);
    let opcode = match rng.random_range(0..3u8) {
        0 if plan.io_cells.contains(&cell) => Opcode::Io,
        0 => Opcode::Sram,
        _ => Opcode::Refi,
    };
    let mut op = match opcode {
        Opcode::Io => Op::new(Opcode::Io, &[(io::RW, small(rng) & 1), (io::L1_ITER, small(rng))]),
        Opcode::Sram => {
            Op::new(Opcode::Sram, &[(sram::RW, small(rng) & 1), (sram::L1_ITER, small(rng))])
        }
        _ => Op::new(
            Opcode::Refi,
            &[
                (refi::PORT_NO, small(rng)),
                (refi::INIT_ADDR, small(rng)),
                (refi::L1_ITER, small(rng)),
                (refi::INIT_DELAY, small(rng)),
            ],
        ),
    };
    let operands = operands(opcode);
    for _ in 0..rng.random_range(1..4) {
        let operand = draw::one_of(rng, operands);
        let iterator = rng.random_bool(0.7);
        let register = if iterator { 15 - slot } else { rng.random_range(0..12) };
        op = operand.out_of(&op, register as usize, 0);
    }
    op
}

/// A mode that writes the compare status.
fn draw_compare(plan: &mut CasePlan<'_>) -> DpuMode {
    let modes: Vec<DpuMode> = DpuMode::ALL.iter().copied().filter(|m| m.info().compares).collect();
    draw::one_of(plan.rng, &modes)
}

/// A compare of two word streams, then BRANCHes on its status and a few JUMPs.
pub(super) fn branch(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    if !plan.cells[cell].tail.is_empty() {
        return false;
    }
    let length = plan.rng.random_range(3..12);
    let mut tail: Vec<TailOp> = [
        Op::new(Opcode::Swb, &[(swb::HB_INDEX, 2), (swb::V_INDEX, 2)]),
        Op::new(Opcode::Swb, &[(swb::HB_INDEX, 2), (swb::SRC_PORT, 1), (swb::V_INDEX, 3)]),
        Op::dpu(draw_compare(plan), &[]),
        Op::new(
            Opcode::Refi,
            &[(refi::PORT_NO, RefiPortNo::R0.code().into()), (refi::L1_ITER, length)],
        ),
        Op::new(
            Opcode::Refi,
            &[
                (refi::PORT_NO, RefiPortNo::R1.code().into()),
                (refi::INIT_ADDR, 40),
                (refi::L1_ITER, length),
            ],
        ),
        Op::wait(plan.rng.random_range(1..5)),
    ]
    .into_iter()
    .map(TailOp::from)
    .collect();
    for _ in 0..plan.rng.random_range(1..4) {
        let skipped = plan.rng.random_range(0..3);
        let mode = plan.rng.random_range(0..4);
        let target = tail.len() + 1 + skipped;
        let op = if plan.rng.random_bool(0.75) {
            Op::new(Opcode::Branch, &[(branch::MODE, mode)])
        } else {
            Op::new(Opcode::Jump, &[])
        };
        tail.push(TailOp { op, target: Some(target) });
        for _ in 0..skipped {
            tail.push(TailOp::from(raccu(plan, mode)));
        }
        tail.push(TailOp::from(Op::wait(plan.rng.random_range(1..4))));
    }
    plan.cells[cell].tail = tail;
    plan.end += 30;
    true
}
