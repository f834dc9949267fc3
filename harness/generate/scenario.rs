// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios: intent across cells, timed with the latency rules of the chapters so that data
//! really flow.

use rand::RngExt;

use super::op::Op;
use super::plan::IntentKind;
use super::plan::Plan;
use super::plan::TailOp;
use super::profile::Scenario;

/// AGUs in the order of the register file.
const WB: usize = 2;
const R0: usize = 3;
const R1: usize = 4;
const RB: usize = 5;

/// Values of `direction` of a ROUTE and of `rw` of an SRAM or IO.
const READ: u64 = 0;
const WRITE: u64 = 1;

/// A two-level address pattern; all ports of a movement share it, so that they run in step.
struct Pattern {
    l1_iter: u64,
    l1_delay: u64,
    l2_iter: u64,
    l2_delay: u64,
}

impl Pattern {
    /// Up to `most` items, a few of them with rows and delays.
    fn draw(plan: &mut Plan<'_>, most: u64) -> Self {
        let rng = &mut *plan.rng;
        let items = rng.random_range(1..=most.max(2));
        let mut pattern = Self { l1_iter: items - 1, l1_delay: 0, l2_iter: 0, l2_delay: 0 };
        if rng.random_bool(0.25) {
            pattern.l1_delay = rng.random_range(0..4);
        }
        if items >= 4 && rng.random_bool(0.3) {
            let rows = rng.random_range(2..=items / 2);
            pattern.l1_iter = items / rows - 1;
            pattern.l2_iter = rows - 1;
            pattern.l2_delay = if rng.random_bool(0.5) { rng.random_range(0..5) } else { 0 };
        }
        pattern
    }

    /// Cycles from the first to the last item.
    fn span(&self) -> u64 {
        let row = self.l1_iter * (1 + self.l1_delay) + 1;
        (self.l2_iter + 1) * row + self.l2_iter * self.l2_delay - 1
    }

    /// Fields of a REFI for words: steps of its own.
    fn words(&self, plan: &mut Plan<'_>) -> Vec<(&'static str, u64)> {
        let rng = &mut *plan.rng;
        let step = if rng.random_bool(0.7) { 1 } else { rng.random_range(1..16) };
        let mut fields = vec![
            ("init_addr", rng.random_range(0..plan.geometry.rf_depth as u64)),
            ("l1_iter", self.l1_iter),
            ("l1_step", step),
            ("l1_step_sign", u64::from(rng.random_bool(0.2))),
            ("l1_delay", self.l1_delay),
        ];
        if self.l2_iter > 0 {
            let step = rng.random_range(1..32u64);
            fields.extend([
                ("l2_iter", self.l2_iter & 31),
                ("l2_iter_ext", self.l2_iter >> 5),
                ("l2_step", step & 15),
                ("l2_step_ext", step >> 4),
                ("l2_delay", self.l2_delay),
            ]);
        }
        fields
    }

    /// Fields of a REFI for blocks.
    fn blocks(&self, plan: &mut Plan<'_>) -> Vec<(&'static str, u64)> {
        let first = plan.rng.random_range(0..plan.geometry.rf_blocks() as u64);
        vec![
            ("init_addr", first),
            ("l1_iter", self.l1_iter),
            ("l1_delay", self.l1_delay),
            ("l2_iter", self.l2_iter),
            ("l2_delay", self.l2_delay),
        ]
    }
}

/// Adds a scenario. False if there was no room for it.
pub(crate) fn add(plan: &mut Plan<'_>, scenario: Scenario) -> bool {
    match scenario {
        Scenario::Stream => stream(plan),
        Scenario::Copy => copy(plan),
        Scenario::TileLoad => tile(plan, READ),
        Scenario::TileStore => tile(plan, WRITE),
        Scenario::IoIn => io(plan, READ),
        Scenario::IoOut => io(plan, WRITE),
        Scenario::Permute => permute(plan),
        Scenario::Loops => loops(plan),
        Scenario::Branch => branch(plan),
        Scenario::Reconfigure => reconfigure(plan),
        Scenario::Conflict => conflict(plan),
    }
}

/// Cycles between the cycle an operand is on an input and its result on the output (chapter 4,
/// section 7).
fn latency(mode: u64) -> u64 {
    if matches!(mode, 21 | 24 | 26) { 4 } else { 1 }
}

/// A mode whose result is on an output, and that output: the modes without output (idle and its
/// unnamed relatives, loads) take part now and then, without an intent.
fn draw_mode(plan: &mut Plan<'_>) -> (u64, Option<u64>) {
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
fn stream(plan: &mut Plan<'_>) -> bool {
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
fn copy(plan: &mut Plan<'_>) -> bool {
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

/// Tiles of a path from the home tile of a column, vertical moves first.
fn path(plan: &mut Plan<'_>, col: usize) -> (Vec<usize>, Vec<(&'static str, u64)>) {
    let (rows, cols) = (plan.geometry.dimarch_rows, plan.geometry.cols);
    let rng = &mut *plan.rng;
    let up = rng.random_range(0..rows.min(8));
    let east = rng.random_bool(0.5);
    let room = if east { cols - 1 - col } else { col }.min(7);
    let limit = if rng.random_bool(0.8) { room.min(2) } else { room };
    let aside = rng.random_range(0..=limit);
    let mut tiles = vec![col];
    tiles.extend((1..=up).map(|v| v * cols + col));
    tiles.extend((1..=aside).map(|h| up * cols + if east { col + h } else { col - h }));
    let fields = vec![
        ("vertical_dir", 1),
        ("vertical_hops", up as u64),
        ("horizontal_dir", u64::from(east)),
        ("horizontal_hops", aside as u64),
    ];
    (tiles, fields)
}

/// Blocks between a tile and a register file (chapter 6, section 10).
fn tile(plan: &mut Plan<'_>, direction: u64) -> bool {
    let cell = plan.any_cell();
    if plan.io_cells.contains(&cell) {
        return false; // its code 13 is IO
    }
    let (row, col) = plan.place_of(cell);
    let (tiles, mut route) = path(plan, col);
    let hops = tiles.len() as u64 - 1;
    let target = tiles[hops as usize];
    let agu = if direction == READ { WB } else { RB };
    let pattern = Pattern::draw(plan, 8);
    let busy = tiles.iter().fold(plan.column[col], |f, t| f.max(plan.tile[*t]));
    let from = busy.max(plan.cells[cell].agu[agu]) + plan.pause();

    route.push(("direction", direction));
    route.push(("select_drra_row", row as u64));
    let p = plan.place(cell, from, Op::new("ROUTE", &route));
    let depth = plan.geometry.sram_depth as u64;
    let first = plan.rng.random_range(0..depth);
    let delay = plan.rng.random_range(0..16);
    let step = if plan.rng.random_bool(0.7) { 1i8 } else { plan.rng.random_range(-16..16) };
    let row_step = plan.rng.random_range(-16..16i8);
    let sram = Op::new(
        "SRAM",
        &[
            ("rw", direction),
            ("init_addr", first),
            ("init_delay", delay),
            ("l1_iter", pattern.l1_iter),
            ("l1_step", step as u8 as u64),
            ("l1_delay", pattern.l1_delay),
            ("l2_iter", pattern.l2_iter),
            ("l2_step", row_step as u8 as u64),
            ("l2_delay", pattern.l2_delay),
            ("hops", hops),
        ],
    );
    let s = plan.place(cell, p + 1, sram);
    let (start, there) = if direction == READ {
        let w = s + 6 + 2 * hops + delay + row as u64;
        (w, w)
    } else {
        (s + 3 + delay, s + 4 + hops + delay)
    };
    let fields = pattern.blocks(plan);
    if !plan.refi(cell, agu, start, &fields) {
        return false;
    }
    let end = there + pattern.span();
    if direction == READ {
        for l2 in 0..=pattern.l2_iter {
            for l1 in 0..=pattern.l1_iter {
                let address =
                    (first as i64 + l2 as i64 * i64::from(row_step) + l1 as i64 * i64::from(step))
                        .rem_euclid(depth as i64);
                let place = (target / plan.geometry.cols, target % plan.geometry.cols);
                let known = plan
                    .memory
                    .sram
                    .get(&place)
                    .is_some_and(|b| b.contains_key(&(address as usize)));
                if !known {
                    let block = plan.block();
                    plan.memory.sram.entry(place).or_default().insert(address as usize, block);
                }
            }
        }
        plan.intend(IntentKind::BlockIn { cell }, start, end);
    } else {
        plan.intend(IntentKind::TileIn { tile: target }, there, end);
    }
    for t in tiles {
        plan.tile[t] = end + 2;
    }
    plan.column[col] = end + 2;
    plan.cells[cell].agu[agu] = end + 2;
    true
}

/// Blocks between an external buffer and a register file (chapter 7, A5).
fn io(plan: &mut Plan<'_>, direction: u64) -> bool {
    let candidates: Vec<usize> =
        plan.active.iter().copied().filter(|c| plan.io_cells.contains(c)).collect();
    if candidates.is_empty() {
        return false;
    }
    let cell = candidates[plan.rng.random_range(0..candidates.len())];
    let (row, col) = plan.place_of(cell);
    let agu = if direction == READ { WB } else { RB };
    let mut pattern = Pattern::draw(plan, 6);
    (pattern.l2_iter, pattern.l2_delay) = (0, 0);
    let from = plan.column[col].max(plan.cells[cell].agu[agu]) + plan.pause();
    let first = plan.rng.random_range(0..1u64 << 25);
    let delay = plan.rng.random_range(0..24);
    let step = plan.rng.random_range(-16..16i64);
    let mask = if plan.rng.random_bool(0.6) { 0 } else { plan.rng.random_range(0..0xffff) };
    let op = Op::new(
        "IO",
        &[
            ("rw", direction),
            ("init_addr", first),
            ("init_delay", delay),
            ("l1_iter", pattern.l1_iter),
            ("l1_step", step as u64),
            ("l1_delay", pattern.l1_delay),
            ("mask", mask),
        ],
    );
    let s = plan.place(cell, from, op);
    let start = if direction == READ { s + 6 + delay + row as u64 } else { s + 3 + delay };
    let fields = pattern.blocks(plan);
    if !plan.refi(cell, agu, start, &fields) {
        return false;
    }
    let end = start + pattern.span();
    if direction == READ {
        for k in 0..=pattern.l1_iter as i64 {
            let address = (first as i64 + k * step).rem_euclid(1 << 25) as u32;
            let block = plan.block();
            plan.buffers.entry((col, address)).or_insert(block);
        }
        plan.intend(IntentKind::BlockIn { cell }, start, end);
    } else {
        plan.intend(IntentKind::BufferOut { col }, start + 1, end + 1);
    }
    plan.column[col] = end + 3;
    plan.cells[cell].agu[agu] = end + 2;
    true
}

/// A few permutations of a cell's blocks.
fn permute(plan: &mut Plan<'_>) -> bool {
    let cell = plan.any_cell();
    let mut at = plan.first(cell) + 2 * plan.pause();
    for _ in 0..plan.rng.random_range(1..4) {
        let distance = match plan.rng.random_range(0..4u8) {
            0 => plan.rng.random_range(0..0x1_0000),
            1 => 16,
            _ => plan.rng.random_range(0..20u64),
        };
        let op = Op::new(
            "PERM",
            &[
                ("mode", plan.rng.random_range(0..8)),
                ("block", plan.rng.random_range(0..4)),
                ("distance", distance),
            ],
        );
        let op = plan.maybe_deferred(op);
        at = plan.place(cell, at, op) + plan.rng.random_range(1..4);
    }
    plan.end = plan.end.max(at + 3);
    true
}

/// Nested loops behind the timed part of a program: the iterators feed the RACCU, whose results are
/// operands of REFI, LOOP and WAIT.
fn loops(plan: &mut Plan<'_>) -> bool {
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
fn branch(plan: &mut Plan<'_>) -> bool {
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

/// A unit gets a new configuration while it works, or two of which only the later counts.
fn reconfigure(plan: &mut Plan<'_>) -> bool {
    let cell = plan.any_cell();
    let pattern = Pattern::draw(plan, 24);
    if plan.rng.random_bool(0.7) {
        let agu = plan.rng.random_range(0..6usize);
        let block = agu == WB || agu == RB;
        let fields = if block { pattern.blocks(plan) } else { pattern.words(plan) };
        let start = plan.cells[cell].agu[agu].max(plan.first(cell)) + 4;
        if !plan.refi(cell, agu, start, &fields) {
            return false;
        }
        let again = start + plan.rng.random_range(0..=pattern.span() + 2);
        let second = Pattern::draw(plan, 8);
        let fields = if block { second.blocks(plan) } else { second.words(plan) };
        plan.cells[cell].agu[agu] = again;
        let ok = plan.refi(cell, agu, again + 1, &fields);
        plan.cells[cell].agu[agu] = again + second.span() + 3;
        plan.end = plan.end.max(again + second.span() + 3);
        return ok;
    }
    // Two DPU instructions, the first one waiting for a flag.
    let at = plan.cells[cell].dpu.max(plan.first(cell)) + plan.rng.random_range(0..6);
    let mut cycle = at;
    for _ in 0..plan.rng.random_range(2..5) {
        let (mode, _) = draw_mode(plan);
        let control = plan.rng.random_range(0..4);
        let op = Op::new("DPU", &[("mode", mode), ("control", control)]);
        let op = if plan.rng.random_bool(0.5) { op.deferred() } else { op };
        cycle = plan.place(cell, cycle, op) + plan.rng.random_range(1..4);
    }
    plan.cells[cell].dpu = cycle + 2;
    plan.end = plan.end.max(cycle + 6);
    true
}

/// Several writers or paths meet on purpose.
fn conflict(plan: &mut Plan<'_>) -> bool {
    let cell = plan.any_cell();
    let (_, col) = plan.place_of(cell);
    match plan.rng.random_range(0..10u8) {
        0..3 => return meeting(plan, cell),
        3..5 => return pass_through(plan, cell),
        _ => {}
    }
    if plan.rng.random_bool(0.5) {
        // Both write ports, and the block port now and then, at the same addresses.
        let ports: &[usize] = if plan.rng.random_bool(0.5) { &[0, 1, WB] } else { &[0, 1] };
        let free = ports.iter().fold(plan.first(cell), |f, &p| f.max(plan.cells[cell].agu[p]));
        let start = free + 8 + plan.pause();
        let pattern = Pattern::draw(plan, 16);
        let words = pattern.words(plan);
        for (k, &agu) in ports.iter().enumerate() {
            let source = plan.near(cell);
            if agu < 2 && !plan.connect(cell, k as u64, (source, 0, k as u64), free, start - 2) {
                return false;
            }
            let fields = if agu == WB { pattern.blocks(plan) } else { words.clone() };
            if !plan.refi(cell, agu, start, &fields) {
                return false;
            }
            plan.cells[cell].agu[agu] = start + pattern.span() + 2;
        }
        for port in [R0, R1] {
            let fields = pattern.words(plan);
            if plan.cells[cell].agu[port] < start && plan.refi(cell, port, start, &fields) {
                plan.cells[cell].agu[port] = start + pattern.span() + 2;
            }
        }
        plan.end = plan.end.max(start + pattern.span() + 3);
        return true;
    }
    // Paths and configurations of one column, or of two neighbours, in the same cycles.
    let from = plan.tile.iter().fold(plan.column[col], |f, t| f.max(*t));
    let other = plan.near(cell);
    let mut last = from;
    for c in [cell, other] {
        let col = plan.place_of(c).1;
        let (_, mut route) = path(plan, col);
        route.push(("direction", plan.rng.random_range(0..2)));
        let skew = plan.rng.random_range(0..2);
        let p = plan.place(c, from + 3 + skew, Op::new("ROUTE", &route));
        for _ in 0..plan.rng.random_range(1..4) {
            let sram = Op::new(
                if plan.io_cells.contains(&c) { "IO" } else { "SRAM" },
                &[
                    ("rw", plan.rng.random_range(0..2)),
                    ("init_addr", plan.rng.random_range(0..128)),
                    ("init_delay", plan.rng.random_range(0..3)),
                    ("l1_iter", plan.rng.random_range(0..6)),
                ],
            );
            last = last.max(plan.place(c, p + 1, sram));
        }
        let agu = [WB, RB][plan.rng.random_range(0..2usize)];
        let start = last + 2 + plan.rng.random_range(0..12);
        let fields = [("l1_iter", plan.rng.random_range(0..8))];
        if plan.cells[c].agu[agu] < last && plan.refi(c, agu, start, &fields) {
            plan.cells[c].agu[agu] = start + 10;
            last = last.max(start);
        }
    }
    plan.tile.fill(last + 24);
    plan.column.fill(last + 24);
    plan.end = plan.end.max(last + 24);
    true
}

/// Paths and configurations of two columns reach one tile from different sides in the same cycle.
fn meeting(plan: &mut Plan<'_>, cell: usize) -> bool {
    let other = plan.near(cell);
    let target_col = plan.place_of(cell).1;
    let other_col = plan.place_of(other).1;
    if other_col == target_col {
        return false;
    }
    let up = plan.rng.random_range(0..plan.geometry.dimarch_rows.min(8)) as u64;
    let busy = plan.tile.iter().chain(&plan.column).fold(0, |f, t| f.max(*t));
    // A message decoded in t is at the k-th tile of its path in t + 1 + k.
    let meet = busy + plan.pause() + 12;
    let gap = plan.rng.random_range(1..4);
    for (c, col) in [(cell, target_col), (other, other_col)] {
        let aside = col.abs_diff(target_col) as u64;
        let hops = up + aside;
        let route = Op::new(
            "ROUTE",
            &[
                ("vertical_dir", 1),
                ("vertical_hops", up),
                ("horizontal_dir", u64::from(col < target_col)),
                ("horizontal_hops", aside),
                ("direction", plan.rng.random_range(0..2)),
            ],
        );
        let mut sram = Op::new(
            if plan.io_cells.contains(&c) { "IO" } else { "SRAM" },
            &[
                ("rw", plan.rng.random_range(0..2)),
                ("init_addr", plan.rng.random_range(0..128)),
                ("init_delay", plan.rng.random_range(0..2)),
                ("l1_iter", plan.rng.random_range(0..4)),
            ],
        );
        if sram.is("SRAM") {
            sram.set("hops", hops);
        }
        plan.place(c, meet - hops, route);
        plan.place(c, meet + gap - hops, sram);
    }
    plan.tile.fill(meet + 24);
    plan.column.fill(meet + 24);
    plan.end = plan.end.max(meet + 24);
    true
}

/// A tile reads and writes in the same cycles, mostly the same rows.
fn pass_through(plan: &mut Plan<'_>, cell: usize) -> bool {
    if plan.io_cells.contains(&cell) {
        return false;
    }
    let col = plan.place_of(cell).1;
    let (tiles, mut route) = path(plan, col);
    let hops = tiles.len() as u64 - 1;
    let from = tiles.iter().fold(plan.column[col], |f, t| f.max(plan.tile[*t])) + plan.pause();
    let direction = plan.rng.random_range(0..2);
    route.push(("direction", direction));
    let p = plan.place(cell, from, Op::new("ROUTE", &route));
    let pattern = Pattern::draw(plan, 6);
    let row = plan.rng.random_range(0..plan.geometry.sram_depth as u64);
    let first = plan.rng.random_range(0..2);
    let s = plan.place(cell, p + 1, access(first, row, 8, hops, &pattern));
    // The second configuration comes later and waits so much less.
    let other = if plan.rng.random_bool(0.8) { row } else { row + 1 };
    let second = access(1 - first, other, 0, hops, &pattern);
    let s2 = plan.place(cell, s + 1, second);
    if s2 > s + 8 {
        return false;
    }
    let op = plan.cells[cell].timed.get_mut(&s2).expect("placed above");
    op.set("init_delay", 8 - (s2 - s));
    let start = s + 3 + 8;
    let agu = if direction == READ { WB } else { RB };
    let fields = pattern.blocks(plan);
    if plan.cells[cell].agu[agu] < start && plan.refi(cell, agu, start, &fields) {
        plan.cells[cell].agu[agu] = start + pattern.span() + 2;
    }
    let end = start + hops + pattern.span() + 8;
    for t in tiles {
        plan.tile[t] = end;
    }
    plan.column[col] = end;
    plan.end = plan.end.max(end);
    true
}

/// An SRAM instruction for a pattern that starts at a row.
fn access(rw: u64, row: u64, delay: u64, hops: u64, pattern: &Pattern) -> Op {
    Op::new(
        "SRAM",
        &[
            ("rw", rw),
            ("init_addr", row),
            ("init_delay", delay),
            ("l1_iter", pattern.l1_iter),
            ("l1_delay", pattern.l1_delay),
            ("l2_iter", pattern.l2_iter),
            ("l2_delay", pattern.l2_delay),
            ("hops", hops),
        ],
    )
}
