// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads register files through a tile or an input buffer if a profile excludes the port that presets them. One cell
//! of each column requests the blocks for all cells of the column.

use drra_isa::{
    CellId, ColumnId, Geometry, Opcode,
    instructions::{RefiPortNo, io, refi, route, sram},
};

use crate::{
    constraint::{ResolvedConstraints, Situation},
    op::Op,
    plan::CasePlan,
};

/// The constraint that keeps the register files at 0 until a program writes them.
pub(crate) fn hindered(rules: &ResolvedConstraints) -> Option<usize> {
    let port = rules.excludes(Situation::RegisterFileInit)?;
    let lacks = |opcodes: &[Opcode], memory| {
        let lacking = opcodes.iter().find_map(|opcode| rules.lacks(*opcode));
        lacking.or_else(|| rules.excludes(memory)).is_some()
    };
    let tiles = lacks(&[Opcode::Route, Opcode::Sram, Opcode::Refi], Situation::TileInit);
    let buffers = lacks(&[Opcode::Io, Opcode::Refi], Situation::InputBuffers);
    (tiles && buffers).then_some(port)
}

/// Number of cycles reserved at the beginning of each program if register files must be loaded in this way, otherwise
/// 0: enough for the blocks of both cells of a column, and for the time for which their last REFI is considered active
/// when constraints are checked.
pub(crate) fn lead(rules: &ResolvedConstraints, geometry: &Geometry) -> u64 {
    let needed = rules.excludes(Situation::RegisterFileInit).is_some() && hindered(rules).is_none();
    if needed { (18 + Geometry::ROWS * geometry.rf_blocks()) as u64 } else { 0 }
}

/// Moves the contents of all register files into tiles and input buffers, and puts instructions that load these
/// contents before the programs.
pub(crate) fn add(plan: &mut CasePlan<'_>) {
    if plan.lead == 0 {
        return;
    }
    let contents = std::mem::take(&mut plan.memory.rf);
    for column in ColumnId::all(&plan.geometry) {
        let works =
            |c: &CellId| !plan.cells[*c].timed.is_empty() || !plan.cells[*c].tail.is_empty();
        let cells: Vec<CellId> =
            plan.active.iter().copied().filter(|c| c.column() == column && works(c)).collect();
        let of_cells = cells.iter().filter_map(|cell| contents.get(cell));
        let blocks: Vec<[u16; 16]> = of_cells.flat_map(|file| file.values().copied()).collect();
        // The first cell of a column starts when the second one does.
        let start = column.col() as u64 + 1;
        if cells.iter().any(|cell| send(plan, *cell, start, &blocks)) {
            for (k, cell) in cells.into_iter().enumerate() {
                receive(plan, cell, start + 1, k);
            }
        }
    }
}

/// Requests blocks; returns false, without changes, if constraints exclude that.
fn send(plan: &mut CasePlan<'_>, cell: CellId, start: u64, blocks: &[[u16; 16]]) -> bool {
    let (column, tile) = (cell.column(), cell.column().home_tile());
    let count = blocks.len() as u64;
    let strapped = plan.io_cells.contains(&cell);
    let depth = if strapped { 1 << 25 } else { plan.geometry.sram_blocks as u64 };
    let known = |at: u64| match strapped {
        true => plan.buffers.contains_key(&(column, at as u32)),
        false => plan.memory.sram.get(&tile).is_some_and(|b| b.contains_key(&(at as usize))),
    };
    let free = |first: &u64| (0..count).all(|k| !known((first + k) % depth));
    let first = (0..depth).find(free).unwrap_or(0);
    let ops = if strapped {
        let iter = (io::L1_ITER, count - 1);
        vec![(start + 1, Op::new(Opcode::Io, &[(io::INIT_ADDR, first), iter, (io::L1_STEP, 1)]))]
    } else {
        let row = (route::SELECT_DRRA_ROW, cell.row() as u64);
        let fields = [(sram::INIT_ADDR, first), (sram::L1_ITER, count - 1), (sram::L1_STEP, 1)];
        vec![(start, Op::new(Opcode::Route, &[row])), (start + 1, Op::new(Opcode::Sram, &fields))]
    };
    let memory = if strapped { Situation::InputBuffers } else { Situation::TileInit };
    let allows = |(_, op): &(u64, Op)| plan.enforcer.allows(op, strapped);
    if !ops.iter().all(allows) || plan.enforcer.rules.excludes(memory).is_some() {
        return false;
    }
    plan.cells[cell].timed.extend(ops);
    for (k, block) in (0..count).zip(blocks) {
        let at = (first + k) % depth;
        match strapped {
            true => plan.buffers.entry((column, at as u32)).or_insert(*block),
            false => plan.memory.sram.entry(tile).or_default().entry(at as usize).or_insert(*block),
        };
    }
    true
}

/// Adds the REFI that stores the blocks of a cell, which were requested in cycle `sent` after those of `k` other cells
/// (chapter 6, 10.2; chapter 7, A5).
fn receive(plan: &mut CasePlan<'_>, cell: CellId, sent: u64, k: usize) {
    let blocks = plan.geometry.rf_blocks();
    let delay = (4 + k * blocks + cell.row()) as u64;
    let fields = [
        (refi::PORT_NO, RefiPortNo::W0.code().into()),
        (refi::L1_ITER, blocks as u64 - 1),
        (refi::INIT_DELAY, delay),
        (refi::DIMARCH, 1),
    ];
    let first = plan.first(cell);
    let timed = &mut plan.cells[cell].timed;
    if timed.keys().all(|at| *at < first) {
        // Only the tail follows. It has no fixed cycles, so a WAIT delays it.
        timed.insert(sent + 2, Op::wait(first - sent - 2));
    }
    timed.insert(sent + 1, Op::new(Opcode::Refi, &fields));
}
