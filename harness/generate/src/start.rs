// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same programs with a different relative timing: one cell starts earlier or later than its sequences assume. The
//! start follows from the end of the load (chapter 5, 5.2), so a later start is a gap at the beginning of the program,
//! and an earlier start is a gap in the programs of all other cells.

use drra_isa::CellId;
use rand::RngExt;

use crate::{draw, op::Op, plan::CasePlan};

/// Maximum number of cycles by which a start moves.
const MOST: i64 = 4;

/// Moves the start of one cell with this chance. If it moves, no transfers are expected any more.
pub(crate) fn move_one(plan: &mut CasePlan<'_>, chance: f64) {
    if !plan.rng.random_bool(chance) {
        return;
    }
    let moved = draw::one_of(plan.rng, &plan.active);
    let cycles = loop {
        match plan.rng.random_range(-MOST..=MOST) {
            0 => {}
            cycles => break cycles,
        }
    };
    for cell in plan.active.clone() {
        if (cell == moved) == (cycles > 0) {
            delay(plan, cell, cycles.unsigned_abs());
        }
    }
    plan.expected.clear();
    plan.end += MOST as u64;
}

/// Puts a gap before the program of a cell.
fn delay(plan: &mut CasePlan<'_>, cell: CellId, cycles: u64) {
    let first = plan.first(cell);
    let cell = &mut plan.cells[cell];
    if cell.timed.is_empty() && !cell.tail.is_empty() {
        cell.timed.insert(first, Op::wait(cycles));
    } else {
        let timed = std::mem::take(&mut cell.timed);
        cell.timed = timed.into_iter().map(|(cycle, op)| (cycle + cycles, op)).collect();
    }
}
