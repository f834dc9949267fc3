// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes the relative timing of programs: one cell starts earlier or later than its sequences assume, or waits for a
//! very long time. The start of a cell is fixed by the end of the load (chapter 5, 5.2), so a later start is a gap at
//! the beginning of its program, and an earlier start is such a gap in the programs of all other cells.

use drra_isa::{CellId, instructions::wait};
use rand::RngExt;

use crate::{draw, op::Op, plan::CasePlan};

/// Maximum number of cycles by which a start moves.
const MAX_SHIFT: i64 = 4;

/// With this chance, moves the start of one cell and drops all expected transfers.
pub(crate) fn move_one(plan: &mut CasePlan<'_>, chance: f64) {
    if !plan.rng.random_bool(chance) {
        return;
    }
    let moved = draw::one_of(plan.rng, &plan.active);
    let cycles = loop {
        match plan.rng.random_range(-MAX_SHIFT..=MAX_SHIFT) {
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
    plan.end += MAX_SHIFT as u64;
}

/// Number of bits of the shortest long WAIT.
const LEAST_BITS: u32 = 12;

/// Maximum number of cycles of a long gap; more than the longest WAIT.
const MAX_GAP: u64 = 40_000;

/// Occasionally makes one cell wait for a long time. Gaps whose length has 12 bits have the chance `chance`, those of 13
/// bits about a third of it, and those of 14 bits and of up to `MAX_GAP` cycles about a ninth each. Returns the number of
/// cycles by which the case becomes longer, 0 without such a gap.
pub(crate) fn wait_long(plan: &mut CasePlan<'_>, chance: f64) -> u64 {
    let mut lengths = (LEAST_BITS..=wait::CYCLE.width()).zip([1.0, 3.0, 9.0, 9.0]);
    let drawn = lengths.find(|(_, rarer)| plan.rare.random_bool(chance / rarer));
    let Some((bits, _)) = drawn else { return 0 };
    let limit = if bits == wait::CYCLE.width() { MAX_GAP } else { 1 << bits };
    let gap = plan.rare.random_range(1 << (bits - 1)..limit);
    let cell = draw::one_of(&mut plan.rare, &plan.active);
    // The WAIT comes before one of the instructions, or after all of them.
    let mut cycles: Vec<u64> = plan.cells[cell].timed.keys().copied().collect();
    cycles.push(cycles.last().map_or(plan.first(cell), |last| last + 1));
    let at = draw::one_of(&mut plan.rare, &cycles);
    let timed = &mut plan.cells[cell].timed;
    let later = timed.split_off(&at);
    timed.extend(later.into_iter().map(|(cycle, op)| (cycle + gap, op)));
    timed.entry(at + gap).or_insert(Op::wait(1));
    plan.expected.clear();
    plan.end = plan.end.max(at + 1) + gap;
    gap
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
