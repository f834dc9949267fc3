// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units that are configured while they work; writers and paths that meet on purpose.

use rand::RngExt;

use super::R0;
use super::R1;
use super::RB;
use super::READ;
use super::WB;
use super::blocks::path;
use super::pattern::Pattern;
use super::words::draw_mode;
use crate::op::Op;
use crate::plan::Plan;

/// A unit gets a new configuration while it works, or two of which only the later counts.
pub(super) fn reconfigure(plan: &mut Plan<'_>) -> bool {
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
pub(super) fn conflict(plan: &mut Plan<'_>) -> bool {
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
    let up = plan.rng.random_range(0..plan.geometry.tile_rows.min(8)) as u64;
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
    let row = plan.rng.random_range(0..plan.geometry.sram_blocks as u64);
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
