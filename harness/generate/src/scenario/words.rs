// SPDX-License-Identifier: MIT OR Apache-2.0
//! Movements of words: through DPUs, or straight from register file to register file.

use rand::RngExt;

use super::R0;
use super::R1;
use super::pattern::Pattern;
use crate::op::Op;
use crate::plan::IntentKind;
use crate::plan::Plan;

/// Cycles between the cycle an operand is on an input and its result on the output (chapter 4,
/// section 7).
fn latency(mode: u64) -> u64 {
    if matches!(mode, 21 | 24 | 26) { 4 } else { 1 }
}

/// A mode whose result is on an output, and that output: the modes without output (idle and its
/// unnamed relatives, loads) take part now and then, without an intent.
pub(super) fn draw_mode(plan: &mut Plan<'_>) -> (u64, Option<u64>) {
    let mode = plan.rng.random_range(0..32);
    let port = match mode {
        0 | 6 | 11 | 15 | 27 | 31 => None,
        // One channel only.
        8 | 19 | 20 | 21 | 22 | 24 | 26 | 28 | 29 => Some(0),
        25 => Some(1),
        _ => Some(plan.rng.random_range(0..2)),
    };
    (mode, port)
}

/// Words from a register file through DPUs into a register file.
pub(super) fn stream(plan: &mut Plan<'_>) -> bool {
    let source = plan.any_cell();
    let stages = [1, 1, 1, 2, 2, 3][plan.rng.random_range(0..6usize)];
    let mut cells = Vec::new();
    let mut at = source;
    for _ in 0..stages {
        at = plan.near(at);
        if !cells.contains(&at) {
            cells.push(at);
        }
    }
    let at = cells[cells.len() - 1];
    let sink = plan.near(at);
    let write = plan.rng.random_range(0..2usize);
    let pattern = Pattern::draw(plan, 24);

    // When everything that takes part is free.
    let mut free = plan.first(source).max(plan.first(sink));
    for &agu in &[R0, R1] {
        free = free.max(plan.cells[source].agu[agu]);
    }
    free = free.max(plan.cells[sink].agu[write]).max(plan.cells[sink].input[write]);
    for &cell in &cells {
        free = free.max(plan.first(cell)).max(plan.cells[cell].dpu);
        free = (2..6).fold(free, |f, v| f.max(plan.cells[cell].input[v]));
    }
    let mut start = free + 9 + plan.pause();
    let end = start + pattern.span();

    let r0 = pattern.words(plan);
    let r1 = pattern.words(plan);
    if !plan.refi(source, R0, start, &r0) || !plan.refi(source, R1, start, &r1) {
        return false;
    }
    let mut feed = [(source, 0, 0), (source, 0, 1)];
    for &cell in &cells {
        let (mode, port) = draw_mode(plan);
        let since = start.saturating_sub(20).max(free);
        for input in 2..6u64 {
            let from = feed[(input % 2) as usize];
            if !plan.connect(cell, input, from, since, start.saturating_sub(2)) {
                return false;
            }
        }
        if plan.rng.random_bool(0.3) {
            let config = plan.rng.random_range(0..4);
            let bw = Op::new("BW", &[("config", config)]);
            plan.place_within(cell, since, start.saturating_sub(2), bw);
        }
        let constant = match plan.rng.random_range(0..3u8) {
            0 => 0,
            1 => plan.rng.random_range(1..8),
            _ => plan.rng.random_range(0..256u64),
        };
        let op = Op::new(
            "DPU",
            &[
                ("mode", mode),
                ("control", plan.rng.random_range(0..4)),
                ("acc_clear", constant),
                ("io_change", [0, 0, 1, 2, 3][plan.rng.random_range(0..5usize)]),
            ],
        );
        // Modes with a constant find it in the internal registers: a load is in force in the cycle
        // of the first operand, which becomes the constant.
        let uses_ir = matches!(mode, 3 | 9 | 12 | 14 | 30);
        let mut first = start;
        if uses_ir && !plan.cells[cell].timed.contains_key(&(start - 1)) {
            let load = Op::new("DPU", &[("mode", 11)]);
            if plan.place_within(cell, since, start - 2, load).is_none() {
                return false;
            }
            plan.cells[cell].timed.insert(start - 1, op);
            first = start + 1;
        } else if plan.place_within(cell, since, start - 2, op).is_none() {
            return false;
        }
        let delay = latency(mode);
        let last = first + delay + pattern.span() - (first - start);
        if let Some(port) = port
            && pattern.l1_iter + pattern.l2_iter > 1
        {
            let kind = IntentKind::DpuResult { cell, port: port as usize };
            plan.intend(kind, first + delay, last);
        }
        let shown = port.unwrap_or(0);
        plan.cells[cell].dpu = last + 2;
        for input in 2..6 {
            plan.cells[cell].input[input] = last + 2;
        }
        start = first + delay;
        // The next stage combines the result with itself or with the second word stream, which is
        // still there if there was no delay in between.
        feed =
            [(cell, 1, shown), if plan.rng.random_bool(0.5) { feed[1] } else { (cell, 1, shown) }];
        if port.is_none() {
            return true;
        }
    }
    let w = pattern.words(plan);
    let since = start.saturating_sub(20).max(free);
    if !plan.connect(sink, write as u64, feed[0], since, start.saturating_sub(2))
        || !plan.refi(sink, write, start, &w)
    {
        return false;
    }
    let last = start + pattern.span();
    if pattern.l1_iter + pattern.l2_iter > 1 {
        plan.intend(IntentKind::WriteBack { cell: sink, port: write }, start, last);
    }
    for agu in [R0, R1] {
        plan.cells[source].agu[agu] = end + 2;
    }
    plan.cells[sink].agu[write] = last + 2;
    plan.cells[sink].input[write] = last + 2;
    true
}

/// Words from one register file straight into another: no register in between.
pub(super) fn copy(plan: &mut Plan<'_>) -> bool {
    let source = plan.any_cell();
    let sink = plan.near(source);
    let read = plan.rng.random_range(0..2usize);
    let write = plan.rng.random_range(0..2usize);
    let pattern = Pattern::draw(plan, 32);
    let free = plan.cells[source].agu[R0 + read]
        .max(plan.cells[sink].agu[write])
        .max(plan.cells[sink].input[write])
        .max(plan.first(source))
        .max(plan.first(sink));
    let start = free + 5 + plan.pause();
    let (r, w) = (pattern.words(plan), pattern.words(plan));
    let end = start + pattern.span();
    if !plan.connect(sink, write as u64, (source, 0, read as u64), free, start - 2)
        || !plan.refi(source, R0 + read, start, &r)
        || !plan.refi(sink, write, start, &w)
    {
        return false;
    }
    if pattern.l1_iter + pattern.l2_iter > 1 {
        plan.intend(IntentKind::WriteBack { cell: sink, port: write }, start, end);
    }
    plan.cells[source].agu[R0 + read] = end + 2;
    plan.cells[sink].agu[write] = end + 2;
    plan.cells[sink].input[write] = end + 2;
    true
}
