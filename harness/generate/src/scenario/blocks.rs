// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transfers of blocks over the NoC and to and from the external buffers, and permutations of blocks.

use drra_isa::{
    CellId, ColumnId, Opcode, TileId,
    instructions::{io, perm, route, sram},
};
use rand::RngExt;

use super::pattern::{AddressPattern, OF_BUFFERS, OF_TILES, READ, block_agu};
use crate::{draw, op::Op, plan::CasePlan, transfer::TransferKind};

/// A path from the home tile of a column: tiles up, then sideways.
#[derive(Clone, Copy)]
pub(super) struct TilePath {
    pub(super) up: u64,
    pub(super) east: bool,
    pub(super) aside: u64,
}

impl TilePath {
    /// The ROUTE that opens the path.
    pub(super) fn route(self, direction: u64) -> Op {
        let fields = [
            (route::VERTICAL_DIR, 1),
            (route::VERTICAL_HOPS, self.up),
            (route::HORIZONTAL_DIR, u64::from(self.east)),
            (route::HORIZONTAL_HOPS, self.aside),
            (route::DIRECTION, direction),
        ];
        Op::new(Opcode::Route, &fields)
    }
}

/// Draws a path from the home tile of a column. Returns its tiles, the home tile first, and the path.
pub(super) fn path(plan: &mut CasePlan<'_>, column: ColumnId) -> (Vec<TileId>, TilePath) {
    let (rows, cols, col) = (plan.geometry.tile_rows, plan.geometry.columns, column.col());
    let stays = plan.enforcer.rules.keeps_columns();
    let rng = &mut *plan.rng;
    let up = rng.random_range(0..rows.min(8));
    let east = rng.random_bool(0.5);
    let room = if east { cols - 1 - col } else { col }.min(7);
    let limit = if rng.random_bool(0.8) { room.min(2) } else { room };
    let aside = rng.random_range(0..=limit);
    let aside = if stays { 0 } else { aside };
    let tile = |row, col| TileId::from_image_row(row, col).expect("a tile of the fabric");
    let mut tiles = vec![column.home_tile()];
    tiles.extend((1..=up).map(|v| tile(v, col)));
    tiles.extend((1..=aside).map(|h| tile(up, if east { col + h } else { col - h })));
    (tiles, TilePath { up: up as u64, east, aside: aside as u64 })
}

/// Rows of a tile that a pattern addresses.
struct PatternRows {
    first: u64,
    step: i8,
    row_step: i8,
}

/// Blocks between a tile and a register file (chapter 6, section 10).
pub(super) fn tile(plan: &mut CasePlan<'_>, direction: u64) -> bool {
    let cell = plan.any_cell();
    let cell = plan.sender(cell);
    if plan.io_cells.contains(&cell) || !plan.has_room(cell) && plan.enforcer.rules.keeps_columns()
    {
        return false; // in an I/O cell, code 13 is IO
    }
    let (row, column) = (cell.row(), cell.column());
    let (tiles, way) = path(plan, column);
    let hops = tiles.len() as u64 - 1;
    let target = tiles[hops as usize];
    let agu = block_agu(direction);
    let pattern = AddressPattern::draw(plan, 8);
    let busy = tiles.iter().fold(plan.column[column], |f, t| f.max(plan.tile[*t]));
    let from = busy.max(plan.cells[cell].agu_free(agu)) + plan.pause();

    let mut open = way.route(direction);
    open.set(route::SELECT_DRRA_ROW, row as u64);
    let p = plan.place(cell, from, open);
    let delay = if plan.rng.random_bool(0.15) { 0 } else { plan.rng.random_range(0..16) };
    let step = if plan.rng.random_bool(0.7) { 1i8 } else { plan.rng.random_range(-16..16) };
    let first = draw::address(plan.rng, plan.geometry.sram_blocks.ilog2(), step.into());
    let rows = PatternRows { first, step, row_step: plan.rng.random_range(-16..16i8) };
    let of_tile = pattern.or_long(plan, OF_TILES);
    let mut sram = of_tile.sram(direction, rows.first, delay, hops);
    sram.set(sram::L1_STEP, rows.step as u64);
    sram.set(sram::L2_STEP, rows.row_step as u64);
    let s = plan.place(cell, p + 1, sram.clone());
    plan.accesses(target, s + 4 + hops + delay, &sram);
    let (start, there) = if direction == READ {
        let w = s + 6 + 2 * hops + delay + row as u64;
        (w, w)
    } else {
        (s + 3 + delay, s + 4 + hops + delay)
    };
    let of_file = of_tile.for_file();
    let fields = of_file.blocks(plan);
    if !plan.refi(cell, agu, start, &fields) {
        return false;
    }
    let end = there + of_file.span();
    if direction == READ {
        fill_rows(plan, target, &rows, &pattern);
        plan.expect(TransferKind::BlockIn { cell }, start, end);
    } else {
        plan.expect(TransferKind::TileIn { tile: target }, there, end);
    }
    let end = end.max(there + of_tile.span());
    plan.lasts(end + 1);
    for t in tiles {
        plan.tile[t] = end + 2;
    }
    plan.column[column] = end + 2;
    plan.keep_blocks(cell, agu, end + 2);
    true
}

/// Puts data into those rows of a tile that a pattern reads and that have none yet.
fn fill_rows(plan: &mut CasePlan<'_>, tile: TileId, rows: &PatternRows, pattern: &AddressPattern) {
    let depth = plan.geometry.sram_blocks as i64;
    for l2 in 0..=pattern.l2_iter as i64 {
        for l1 in 0..=pattern.l1_iter as i64 {
            let steps = l2 * i64::from(rows.row_step) + l1 * i64::from(rows.step);
            let address = (rows.first as i64 + steps).rem_euclid(depth) as usize;
            let known = plan.memory.sram.get(&tile).is_some_and(|b| b.contains_key(&address));
            if !known {
                let block = plan.block();
                plan.memory.sram.entry(tile).or_default().insert(address, block);
            }
        }
    }
}

/// Blocks between an external buffer and a register file (chapter 7, A5).
pub(super) fn io(plan: &mut CasePlan<'_>, direction: u64) -> bool {
    let candidates: Vec<CellId> =
        plan.active.iter().copied().filter(|c| plan.io_cells.contains(c)).collect();
    if candidates.is_empty() {
        return false;
    }
    let cell = draw::one_of(plan.rng, &candidates);
    let (row, column) = (cell.row(), cell.column());
    let agu = block_agu(direction);
    let mut pattern = AddressPattern::draw(plan, 6).or_long(plan, OF_BUFFERS);
    (pattern.l2_iter, pattern.l2_delay) = (0, 0);
    let from = plan.column[column].max(plan.cells[cell].agu_free(agu)) + plan.pause();
    let most = if plan.rng.random_bool(0.1) { 64 } else { 24 };
    let delay = plan.rng.random_range(0..most);
    let step = plan.rng.random_range(-16..16i64);
    // Some of the addresses fit in a register.
    let bits = if plan.rng.random_bool(0.3) { 7 } else { 25 };
    let first = draw::address(plan.rng, bits, step);
    let mask = if plan.rng.random_bool(0.6) { 0 } else { plan.rng.random_range(0..0xffff) };
    let op = Op::new(
        Opcode::Io,
        &[
            (io::RW, direction),
            (io::INIT_ADDR, first),
            (io::INIT_DELAY, delay),
            (io::L1_ITER, pattern.l1_iter),
            (io::L1_STEP, step as u64),
            (io::L1_DELAY, pattern.l1_delay),
            (io::MASK, mask),
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
            plan.buffers.entry((column, address)).or_insert(block);
        }
        plan.expect(TransferKind::BlockIn { cell }, start, end);
    } else {
        plan.expect(TransferKind::BufferOut { column }, start + 1, end + 1);
    }
    plan.column[column] = end + 3;
    plan.keep_blocks(cell, agu, end + 2);
    true
}

/// A few permutations of a cell's blocks.
pub(super) fn permute(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    let mut at = plan.first(cell) + 2 * plan.pause();
    for _ in 0..plan.rng.random_range(2..6) {
        let distance = match plan.rng.random_range(0..4u8) {
            0 => plan.rng.random_range(0..0x1_0000),
            1 => 16,
            _ => plan.rng.random_range(0..20u64),
        };
        let op = Op::new(
            Opcode::Perm,
            &[
                (perm::MODE, plan.rng.random_range(0..8)),
                (perm::BLOCK, plan.rng.random_range(0..4)),
                (perm::DISTANCE, distance),
            ],
        );
        // A PERM waits for the flag of the next instruction up to twice as often as other instructions do.
        let op = plan.maybe_deferred(op);
        let op = plan.maybe_deferred(op);
        at = plan.place(cell, at, op) + plan.rng.random_range(1..4);
    }
    plan.lasts(at + 3);
    true
}
