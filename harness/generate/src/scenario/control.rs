// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control flow after the timed part of a program: nested loops, branches.

use drra_isa::Opcode;
use drra_isa::instructions::DpuMode;
use drra_isa::instructions::RefiPortNo;
use drra_isa::instructions::branch;
use drra_isa::instructions::dpu;
use drra_isa::instructions::loop_;
use drra_isa::instructions::raccu;
use drra_isa::instructions::refi;
use drra_isa::instructions::swb;
use drra_isa::instructions::wait;
use rand::RngExt;

use super::words::draw_mode;
use crate::op::Op;
use crate::plan::Plan;
use crate::plan::TailOp;

/// Nested loops after the timed part of a program: the iterators feed the RACCU, whose results are
/// operands of REFI, LOOP and WAIT.
pub(super) fn loops(plan: &mut Plan<'_>) -> bool {
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
    nest(plan, &mut tail, first, depth);
    plan.cells[cell].tail = tail;
    plan.end += 40;
    true
}

/// A loop in slot `slot` with `depth - 1` loops inside; slots rise inwards.
fn nest(plan: &mut Plan<'_>, tail: &mut Vec<TailOp>, slot: u64, depth: u64) {
    let at = tail.len();
    let iter = if plan.rng.random_bool(0.1) { 0..2 } else { 1..5 };
    let start = plan.rng.random_range(0..64);
    let iter = plan.rng.random_range(iter);
    let mut op =
        Op::new(Opcode::Loop, &[(loop_::LOOPID, slot), (loop_::START, start), (loop_::ITER, iter)]);
    if plan.rng.random_bool(0.4) {
        op.set(loop_::STEP, plan.rng.random_range(0..64));
        op.fit();
    }
    tail.push(TailOp::from(op));
    for _ in 0..plan.rng.random_range(0..3) {
        let op = body(plan, slot);
        tail.push(TailOp::from(op));
    }
    if depth > 1 {
        nest(plan, tail, slot + 1, depth - 1);
        // This loop may end where the inner one ends; all loops that end there say so.
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
    }
    let op = body(plan, slot);
    tail.push(TailOp::from(op));
    tail[at].target = Some(tail.len() - 1);
}

/// A RACCU operation, mostly on the iterator of a loop slot.
fn raccu(plan: &mut Plan<'_>, slot: u64) -> Op {
    let rng = &mut *plan.rng;
    let dynamic = rng.random_bool(0.6);
    let second = rng.random_bool(0.3);
    Op::new(
        Opcode::Raccu,
        &[
            (raccu::MODE, rng.random_range(0..8)),
            (raccu::OPERAND1_SD, u64::from(dynamic)),
            (raccu::OPERAND1, if dynamic { 15 - slot } else { rng.random_range(0..128) }),
            (raccu::OPERAND2_SD, u64::from(second)),
            (
                raccu::OPERAND2,
                if second { rng.random_range(0..16) } else { rng.random_range(0..128) },
            ),
            (raccu::RESULT, if rng.random_bool(0.9) { rng.random_range(0..12) } else { 15 - slot }),
        ],
    )
}

/// An instruction of a loop body.
fn body(plan: &mut Plan<'_>, slot: u64) -> Op {
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
        6 => Op::new(
            Opcode::Refi,
            &[
                (refi::PORT_NO, plan.rng.random_range(0..4)),
                (refi::INIT_ADDR_SD, 1),
                (refi::INIT_ADDR, if plan.rng.random_bool(0.7) { 15 - slot } else { 3 }),
                (refi::L1_ITER, plan.rng.random_range(0..4)),
            ],
        ),
        _ => {
            let (mode, _) = draw_mode(plan);
            Op::new(
                Opcode::Dpu,
                &[(dpu::MODE, mode.code().into()), (dpu::ACC_CLEAR, plan.rng.random_range(0..256))],
            )
        }
    }
}

/// A mode that writes the compare status.
fn draw_compare(plan: &mut Plan<'_>) -> DpuMode {
    let modes: Vec<DpuMode> = DpuMode::ALL.iter().copied().filter(|m| m.info().compares).collect();
    modes[plan.rng.random_range(0..modes.len())]
}

/// A compare, and branches on its status.
pub(super) fn branch(plan: &mut Plan<'_>) -> bool {
    let cell = plan.any_cell();
    if !plan.cells[cell].tail.is_empty() {
        return false;
    }
    let length = plan.rng.random_range(3..12);
    let mut tail: Vec<TailOp> = [
        Op::new(Opcode::Swb, &[(swb::HB_INDEX, 2), (swb::V_INDEX, 2)]),
        Op::new(Opcode::Swb, &[(swb::HB_INDEX, 2), (swb::SRC_PORT, 1), (swb::V_INDEX, 3)]),
        Op::new(Opcode::Dpu, &[(dpu::MODE, draw_compare(plan).code().into())]),
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
        let op = if plan.rng.random_bool(0.85) {
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
