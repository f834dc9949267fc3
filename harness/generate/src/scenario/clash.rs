// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units that are reconfigured while they are active, and writers and paths that meet on purpose.

use std::cmp::Ordering;

use drra_fabric::AguId;
use drra_isa::{
    CellId, Opcode,
    instructions::{dpu, io, perm, refi, sram},
};
use rand::RngExt;

use super::{
    blocks::{TilePath, path},
    pattern::{AddressPattern, OF_BUFFERS, READ, block_agu},
    words::{READS, draw_mode},
};
use crate::{
    constraint::Situation,
    draw,
    op::Op,
    plan::{CasePlan, LaneSource, SETTLES},
};

/// An AGU gets a second configuration while its pattern runs or just after it, or a DPU gets several instructions in
/// quick succession, some of which may be replaced before they take effect.
pub(super) fn reconfigure(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    let pattern = AddressPattern::draw(plan, 24);
    if plan.rng.random_bool(0.7) {
        let agu = draw::one_of(plan.rng, AguId::ALL);
        let fields = if agu.is_block() { pattern.blocks(plan) } else { pattern.words(plan) };
        let start = plan.cells[cell].agu_free(agu).max(plan.first(cell)) + 4;
        if !plan.refi(cell, agu, start, &fields) {
            return false;
        }
        let again = start + plan.rng.random_range(0..=pattern.span() + 2);
        let second = AddressPattern::draw(plan, 8);
        let fields = if agu.is_block() { second.blocks(plan) } else { second.words(plan) };
        plan.cells[cell].keep_agu(agu, again);
        let ok = plan.refi(cell, agu, again + 1, &fields);
        plan.cells[cell].keep_agu(agu, again + second.span() + 3);
        plan.lasts(again + second.span() + 3);
        return ok;
    }
    // Several DPU instructions, about half of which wait for a flag.
    let at = plan.cells[cell].dpu.max(plan.first(cell)) + plan.rng.random_range(0..6);
    let mut cycle = at;
    for _ in 0..plan.rng.random_range(2..5) {
        let (mode, _) = draw_mode(plan);
        let control = plan.rng.random_range(0..4);
        let op = Op::dpu(mode, &[(dpu::CONTROL, control)]);
        let op = if plan.rng.random_bool(0.5) { op.deferred() } else { op };
        cycle = plan.place(cell, cycle, op) + plan.rng.random_range(1..4);
    }
    plan.cells[cell].dpu = cycle + 2;
    plan.lasts(cycle + 6);
    true
}

/// Makes writers or paths meet at a cell or its column; returns false if that is not possible.
type ClashFn = fn(&mut CasePlan<'_>, CellId) -> bool;

/// The meetings with their weights. Their order determines which one a random number selects.
const MEETINGS: [(ClashFn, u32); 6] =
    [(meeting, 6), (pass_through, 2), (closed, 1), (writers, 3), (messages, 3), (passing, 1)];

/// Several writers or paths are made to collide.
pub(super) fn conflict(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    // Messages from both sides of a tile need three columns.
    if plan.geometry.columns > 2 && plan.rng.random_bool(0.6) {
        return meeting(plan, cell);
    }
    draw::weighted(plan.rng, &MEETINGS).is_some_and(|meet| meet(plan, cell))
}

/// Both word ports write the same addresses and, in many cases, the block port writes in the same cycles; in an I/O
/// cell, the block port then gets blocks with masked words.
fn writers(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    let strapped = |c: &CellId| plan.io_cells.contains(c) && plan.has_room(*c);
    let strapped: Vec<CellId> = plan.active.iter().copied().filter(strapped).collect();
    let any = strapped.is_empty() || plan.rng.random_bool(0.5);
    let cell = if any { cell } else { draw::one_of(plan.rng, &strapped) };
    let ports: &[AguId] = if plan.rng.random_bool(0.6) {
        &[AguId::W0, AguId::W1, AguId::Wb]
    } else {
        &[AguId::W0, AguId::W1]
    };
    let free = ports.iter().fold(plan.first(cell), |f, &p| f.max(plan.cells[cell].agu_free(p)));
    let mut start = free + 8 + plan.pause();
    let pattern = AddressPattern::draw(plan, 16);
    let words = pattern.words(plan);
    if ports.len() == 3 && plan.io_cells.contains(&cell) {
        start = start.max(plan.column[cell.column()] + 8 + cell.row() as u64);
        masked_blocks(plan, cell, start, &pattern);
    }
    let until = start + pattern.span() + 2;
    for (k, &agu) in ports.iter().enumerate() {
        let source = plan.near(cell);
        let fields = if agu.is_block() { pattern.blocks(plan) } else { words.clone() };
        let connected = agu.is_block() || {
            let read = LaneSource::read(source, k);
            plan.connect(cell, k as u64, read, free, start - 2)
        };
        if !connected || !plan.refi(cell, agu, start, &fields) {
            return false;
        }
        if !agu.is_block() {
            let fields = pattern.words(plan);
            plan.refi_if_free(source, READS[k], start, &fields, until);
        }
        plan.cells[cell].keep_agu(agu, until);
    }
    plan.lasts(until + 1);
    true
}

/// Blocks from address 0 of the input buffer that arrive at an I/O cell from `start` on, some of their words masked, and
/// in many cases a PERM that executes in cycle `start`.
fn masked_blocks(plan: &mut CasePlan<'_>, cell: CellId, start: u64, pattern: &AddressPattern) {
    let mask = plan.rng.random_range(1..0xffff);
    let fields = [
        (io::RW, READ),
        (io::L1_ITER, pattern.l1_iter.min(OF_BUFFERS[0])),
        (io::L1_DELAY, pattern.l1_delay),
        (io::MASK, mask),
    ];
    let at = start - 6 - cell.row() as u64;
    plan.cells[cell].timed.entry(at).or_insert(Op::new(Opcode::Io, &fields));
    let block = plan.block();
    plan.buffers.entry((cell.column(), 0)).or_insert(block);
    if plan.rng.random_bool(0.4) {
        let block = plan.rng.random_range(0..plan.geometry.rf_blocks() as u64);
        let op = Op::new(Opcode::Perm, &[(perm::BLOCK, block), (perm::DISTANCE, 1)]);
        plan.cells[cell].timed.entry(start - 1).or_insert(op);
    }
    plan.column[cell.column()] = start + pattern.span() + 3;
}

/// One cell, or two cells of one column or of nearby columns, send ROUTEs and transfers at about the same time; then
/// their register files read or write blocks.
fn messages(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    let column = cell.column();
    let from = plan.tile.all.iter().fold(plan.column[column], |f, t| f.max(*t));
    let beside = |c: &CellId| c.column() == column && *c != cell && plan.has_room(*c);
    let beside = plan.active.iter().copied().find(beside);
    let beside = beside.filter(|_| plan.rng.random_bool(0.6));
    let other = beside.unwrap_or_else(|| plan.near(cell));
    let mut last = from;
    for c in [cell, other] {
        let (_, way) = path(plan, c.column());
        let route = way.route(plan.rng.random_range(0..2));
        let skew = plan.rng.random_range(0..2);
        let p = plan.place(c, from + 3 + skew, route);
        for _ in 0..plan.rng.random_range(1..4) {
            let transfer = any_transfer(plan, c, 3, 6);
            last = last.max(plan.place(c, p + 1, transfer));
        }
    }
    let start = last + 2 + plan.rng.random_range(0..12);
    for c in [cell, other] {
        let agu = draw::one_of(plan.rng, &[AguId::Wb, AguId::Rb, AguId::Rb]);
        let at = start + plan.rng.random_range(0..2);
        let first = plan.rng.random_range(0..plan.geometry.rf_blocks() as u64);
        let iter = plan.rng.random_range(0..8);
        let fields = [(refi::INIT_ADDR, first), (refi::L1_ITER, iter)];
        if plan.cells[c].agu_free(agu) < last && plan.refi(c, agu, at, &fields) {
            plan.cells[c].keep_agu(agu, at + 10);
            last = last.max(at);
        }
    }
    plan.settle(last);
    plan.lasts(last + SETTLES);
    true
}

/// A transfer that a cell supports (an SRAM or, in an I/O cell, an IO), with a delay below `delays` and at most
/// `blocks` blocks.
fn any_transfer(plan: &mut CasePlan<'_>, cell: CellId, delays: u64, blocks: u64) -> Op {
    let rng = &mut *plan.rng;
    let rw = rng.random_range(0..2);
    let row = rng.random_range(0..128);
    let delay = rng.random_range(0..delays);
    let iter = rng.random_range(0..blocks);
    let (opcode, fields) = if plan.io_cells.contains(&cell) {
        (Opcode::Io, [io::RW, io::INIT_ADDR, io::INIT_DELAY, io::L1_ITER])
    } else {
        (Opcode::Sram, [sram::RW, sram::INIT_ADDR, sram::INIT_DELAY, sram::L1_ITER])
    };
    let fields: Vec<_> = fields.into_iter().zip([rw, row, delay, iter]).collect();
    Op::new(opcode, &fields)
}

/// Paths and configurations reach one tile from two or three of its sides, once or several times.
fn meeting(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    let columns = plan.geometry.columns;
    let next = (cell.col() + plan.rng.random_range(0..3)).saturating_sub(1).min(columns - 1);
    // Most tiles between two columns with cells can be reached from three sides.
    let between = columns > 2 && plan.rng.random_bool(0.6);
    let target = if between { next.clamp(1, columns - 2) } else { next };
    // A cell for each side: below the tile, to its east, and to its west.
    let mut senders: Vec<CellId> = Vec::new();
    for side in [Ordering::Equal, Ordering::Greater, Ordering::Less] {
        let enters = |c: &CellId| c.col().cmp(&target) == side && c.col().abs_diff(target) < 8;
        let cells = plan.active.iter().copied().filter(|c| enters(c) && plan.has_room(*c));
        let mut cells: Vec<CellId> = cells.collect();
        // I/O cells have no SRAM.
        if plan.rng.random_bool(0.8) && !cells.iter().all(|c| plan.io_cells.contains(c)) {
            cells.retain(|c| !plan.io_cells.contains(c));
        }
        if !cells.is_empty() {
            senders.push(draw::one_of(plan.rng, &cells));
        }
    }
    if senders.len() < 2 {
        return false;
    }
    if senders.len() > 2 && plan.rng.random_bool(0.5) {
        senders.remove(draw::one_of(plan.rng, &[0, 0, 1, 2]));
    }
    let mut meet = plan.all_free() + plan.pause() + 18;
    for _ in 0..plan.rng.random_range(1..5) {
        meet = meet_once(plan, &mut senders, target, meet) + plan.rng.random_range(5..10);
    }
    plan.settle(meet);
    plan.lasts(meet + SETTLES);
    true
}

/// Makes messages of some cells meet in a tile of column `target`, in cycle `meet` or the first cycle after it in which
/// all cells are free to send. Returns that cycle. The ROUTEs arrive together, or one arrives a few cycles earlier and
/// the others find its path in use. Each path ends in the tile or continues, possibly over the edge of the array:
/// straight on or, for the path from the south, to a side (chapter 6, 6.3).
fn meet_once(plan: &mut CasePlan<'_>, senders: &mut [CellId], target: usize, mut meet: u64) -> u64 {
    senders.rotate_left(plan.rng.random_range(0..senders.len()));
    let up = plan.rng.random_range(0..plan.geometry.tile_rows.min(8)) as u64;
    let hops = |c: &CellId| up + c.col().abs_diff(target) as u64;
    let gap = plan.rng.random_range(1..4);
    // Cycles from the first to the other ROUTEs; then the SRAM of the first one usually meets them.
    let early = draw::one_of(plan.rng, &[0, 0, 0, 0, 0, 1, 1, 2, 4]);
    // A message decoded in t is at tile k of its path in t + 1 + k; the home tile is tile 0.
    let taken = |plan: &CasePlan<'_>, meet: u64| {
        let free = |c: &CellId, at: u64| !plan.cells[*c].timed.contains_key(&(at - hops(c)));
        !senders.iter().all(|c| free(c, meet) && free(c, meet + gap))
    };
    while taken(plan, meet) {
        meet += 1;
    }
    // The SRAMs of all paths configure the same AGU of this tile.
    let rw = plan.rng.random_range(0..2);
    let alike = early == 0 && plan.rng.random_bool(0.5);
    for (k, &c) in senders.iter().enumerate() {
        let (hops, aside) = (hops(&c), c.col().abs_diff(target) as u64);
        let on = if alike { 0 } else { draw::one_of(plan.rng, &[0, 0, 1, 1, 1, 2]) };
        let turns = aside == 0 && on > 0 && plan.rng.random_bool(0.7);
        let east = if turns { plan.rng.random_bool(0.5) } else { c.col() < target };
        let straight = aside == 0 && !turns;
        let (up, aside) = if straight { ((up + on).min(7), 0) } else { (up, (aside + on).min(7)) };
        let route = TilePath { up, east, aside }.route(plan.rng.random_range(0..2));
        let mut transfer = any_transfer(plan, c, 2, 4);
        if transfer.is(Opcode::Sram) {
            transfer.set(sram::HOPS, hops + plan.rng.random_range(0..=on));
            if alike {
                transfer.set(sram::RW, rw);
            }
        }
        let first = k == 0 && early > 0;
        let (before, after) = match first {
            true => (early, draw::one_of(plan.rng, &[0, 0, 0, gap])),
            false => (0, gap + u64::from(!alike && plan.rng.random_bool(0.3))),
        };
        plan.place(c, meet - before - hops, route);
        if first || alike || plan.rng.random_bool(0.6) {
            plan.place(c, meet + after - hops, transfer);
        }
    }
    meet
}

/// A path that goes north from a home tile, possibly over the edge of the array, and a path that enters this tile from
/// the east, together with the first ROUTE or up to three cycles later (chapter 6, 6.3 and 6.5).
fn passing(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    let col = cell.col();
    let beside = |c: &CellId| c.col() == col + 1;
    let Some(other) = plan.active.iter().copied().find(beside) else { return false };
    let rows = plan.geometry.tile_rows.min(7) as u64;
    let busy = plan.all_free();
    let at = busy + plan.pause() + 8;
    let skew = draw::one_of(plan.rng, &[0, 1, 1, 2, 2, 3]);
    let up = plan.rng.random_range(1..=rows);
    for (c, at, up, aside) in [(cell, at + 1, up.max(2), 0), (other, at + skew, 0, 1)] {
        let route = TilePath { up, east: false, aside }.route(plan.rng.random_range(0..2));
        let mut transfer = any_transfer(plan, c, 2, 4);
        if transfer.is(Opcode::Sram) {
            transfer.set(sram::HOPS, up + aside);
        }
        let p = plan.place(c, at, route);
        plan.place(c, p + 1, transfer);
    }
    plan.settle(at);
    plan.lasts(at + SETTLES);
    true
}

/// Messages on closed segments: a path to the next column is cut by a path that stays in that column, and
/// configurations follow the cut path nevertheless; or there never was a path.
fn closed(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    let col = cell.col();
    let beside = if col + 1 < plan.geometry.columns { col + 1 } else { col - 1 };
    let cutter = plan.active.iter().copied().find(|c| c.col() == beside);
    if plan.io_cells.contains(&cell) || plan.enforcer.excludes(Situation::SramWithoutPath) {
        return false;
    }
    let busy = plan.all_free();
    let from = busy + plan.pause() + 3;
    let up = plan.rng.random_range(0..plan.geometry.tile_rows.min(8)) as u64;
    let way = |aside| TilePath { up, east: beside > col, aside };
    let direction = plan.rng.random_range(0..2);
    let mut last = from;
    if let Some(cutter) = cutter {
        last = plan.place(cell, from, way(1).route(direction));
        last = plan.place(cutter, last + 2, way(0).route(direction));
    }
    for _ in 0..plan.rng.random_range(1..3) {
        let mut transfer = any_transfer(plan, cell, 2, 4);
        transfer.set(sram::HOPS, up + 1);
        last = plan.place(cell, last + 2, transfer);
    }
    plan.settle(last);
    plan.lasts(last + 12);
    true
}

/// A tile reads and writes in the same cycles, usually the same rows.
fn pass_through(plan: &mut CasePlan<'_>, cell: CellId) -> bool {
    if plan.io_cells.contains(&cell) {
        return false;
    }
    let column = cell.column();
    let (tiles, way) = path(plan, column);
    let hops = tiles.len() as u64 - 1;
    let from = tiles.iter().fold(plan.column[column], |f, t| f.max(plan.tile[*t])) + plan.pause();
    let direction = plan.rng.random_range(0..2);
    let p = plan.place(cell, from, way.route(direction));
    let pattern = AddressPattern::draw(plan, 6);
    let row = plan.rng.random_range(0..plan.geometry.sram_blocks as u64);
    let first = plan.rng.random_range(0..2);
    let sram = pattern.sram(first, row, 8, hops);
    let s = plan.place(cell, p + 1, sram.clone());
    plan.accesses(tiles[hops as usize], s + 4 + hops + 8, &sram);
    // The second configuration arrives later, and its delay is shorter by the same number of cycles.
    let other = if plan.rng.random_bool(0.8) { row } else { row + 1 };
    let second = pattern.sram(1 - first, other, 0, hops);
    let s2 = plan.place(cell, s + 1, second);
    if s2 > s + 8 {
        return false;
    }
    let op = plan.cells[cell].timed.get_mut(&s2).expect("placed above");
    op.set(sram::INIT_DELAY, 8 - (s2 - s));
    let start = s + 3 + 8;
    let agu = block_agu(direction);
    let fields = pattern.blocks(plan);
    plan.refi_if_free(cell, agu, start, &fields, start + pattern.span() + 2);
    let end = start + hops + pattern.span() + 8;
    for t in tiles {
        plan.tile[t] = end;
    }
    plan.column[column] = end;
    plan.lasts(end);
    true
}
