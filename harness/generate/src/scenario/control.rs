// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control flow behind the timed part of a program: nested loops, branches.

use rand::RngExt;

use super::words::draw_mode;
use crate::op::Op;
use crate::plan::Plan;
use crate::plan::TailOp;

/// Nested loops behind the timed part of a program: the iterators feed the RACCU, whose results are
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
    let mut op = Op::new("LOOP", &[("loopid", slot), ("start", start), ("iter", iter)]);
    if plan.rng.random_bool(0.4) {
        op.set("step", plan.rng.random_range(0..64));
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
            let shared = tail[at + 1..].iter().find(|t| t.op.is("LOOP")).and_then(|t| t.target);
            for inner in tail[at + 1..].iter_mut().filter(|t| t.op.is("LOOP")) {
                if inner.target == shared {
                    let link = inner.op.value("link") | 1 << slot;
                    inner.op.set("link", link);
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
        "RACCU",
        &[
            ("mode", rng.random_range(0..8)),
            ("operand1_sd", u64::from(dynamic)),
            ("operand1", if dynamic { 15 - slot } else { rng.random_range(0..128) }),
            ("operand2_sd", u64::from(second)),
            ("operand2", if second { rng.random_range(0..16) } else { rng.random_range(0..128) }),
            ("result", if rng.random_bool(0.9) { rng.random_range(0..12) } else { 15 - slot }),
        ],
    )
}

/// An instruction of a loop body.
fn body(plan: &mut Plan<'_>, slot: u64) -> Op {
    match plan.rng.random_range(0..8u8) {
        0..4 => raccu(plan, slot),
        4 => Op::wait(plan.rng.random_range(1..6)),
        5 => Op::new(
            "WAIT",
            &[("cycle_sd", 1), ("cycle", if plan.rng.random_bool(0.8) { 15 - slot } else { 2 })],
        ),
        6 => Op::new(
            "REFI",
            &[
                ("port_no", plan.rng.random_range(0..4)),
                ("init_addr_sd", 1),
                ("init_addr", if plan.rng.random_bool(0.7) { 15 - slot } else { 3 }),
                ("l1_iter", plan.rng.random_range(0..4)),
            ],
        ),
        _ => {
            let (mode, _) = draw_mode(plan);
            Op::new("DPU", &[("mode", mode), ("acc_clear", plan.rng.random_range(0..256))])
        }
    }
}

/// A compare, and branches on its status.
pub(super) fn branch(plan: &mut Plan<'_>) -> bool {
    let cell = plan.any_cell();
    if !plan.cells[cell].tail.is_empty() {
        return false;
    }
    let length = plan.rng.random_range(3..12);
    let mut tail: Vec<TailOp> = [
        Op::new("SWB", &[("hb_index", 2), ("v_index", 2)]),
        Op::new("SWB", &[("hb_index", 2), ("src_port", 1), ("v_index", 3)]),
        Op::new("DPU", &[("mode", [13, 14, 16, 22, 23][plan.rng.random_range(0..5usize)])]),
        Op::new("REFI", &[("port_no", 2), ("l1_iter", length)]),
        Op::new("REFI", &[("port_no", 3), ("init_addr", 40), ("l1_iter", length)]),
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
            Op::new("BRANCH", &[("mode", mode)])
        } else {
            Op::new("JUMP", &[])
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
