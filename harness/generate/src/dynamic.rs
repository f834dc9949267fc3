// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands from RACCU registers (chapter 2, 6.2): a static operand moves into a register that is loaded before its
//! instruction is decoded, so that the expected transfers do not change. Occasionally the register changes while its
//! reader is in flight.

use drra_isa::{
    CellId, Opcode,
    instructions::{RaccuMode, raccu},
};
use rand::RngExt;

use crate::{
    op::Op,
    operand::{RegisterOperand, operands},
    plan::CasePlan,
};

/// Number of registers for operands; one more register is for WAITs between operations, and the rest belong to the loop
/// slots.
const REGISTERS: usize = 11;

/// The register of WAITs between operations.
pub(crate) const OF_WAITS: usize = REGISTERS;

/// Maximum number of words in a program whose operands may still be moved.
const MAX_WORDS: usize = 46;

/// An operation that loads a register with a number of 7 bits.
pub(crate) fn load(plan: &mut CasePlan<'_>, register: usize, value: u64) -> Op {
    let rng = &mut *plan.rng;
    let part = rng.random_range(0..128u64);
    let shift = rng.random_range(0..8u64);
    let right = value << shift | part & ((1 << shift) - 1);
    let (mode, a, part) = match rng.random_range(0..10u8) {
        // The number is not negative, and no bit is lost.
        0..3 if right < 64 => (RaccuMode::ShiftR, right, shift),
        0..3 if value >> shift << shift == value => {
            (RaccuMode::ShiftL, (value >> shift | part << (7 - shift)) & 127, shift)
        }
        0..7 => (RaccuMode::Add, value.wrapping_sub(part) & 127, part),
        _ => (RaccuMode::Sub, value.wrapping_add(part) & 127, part),
    };
    Op::new(
        Opcode::Raccu,
        &[
            (raccu::MODE, mode.code().into()),
            (raccu::OPERAND1, a),
            (raccu::OPERAND2, part),
            (raccu::RESULT, register as u64),
        ],
    )
}

/// Moves operands of the timed operations of all cells into registers; `chance` applies to each operation.
pub(crate) fn move_operands(plan: &mut CasePlan<'_>, chance: f64) {
    if chance == 0.0 {
        return;
    }
    for cell in plan.active.clone() {
        let cycles: Vec<u64> = plan.cells[cell].timed.keys().copied().collect();
        // First cycle in which each register may be loaded again.
        let mut used = [plan.first(cell); REGISTERS];
        for cycle in cycles {
            let many = operands(plan.cells[cell].timed[&cycle].opcode.unwrap_or(Opcode::Halt));
            if !many.is_empty() && plan.rng.random_bool(chance) {
                plan.aside(|plan| move_of(plan, cell, cycle, many, &mut used));
            }
        }
    }
}

/// Moves one operand of an operation if possible, and each further one with an even chance.
fn move_of(
    plan: &mut CasePlan<'_>,
    cell: CellId,
    cycle: u64,
    operands: &[RegisterOperand],
    used: &mut [u64; REGISTERS],
) {
    let first = plan.rng.random_range(0..operands.len());
    let mut moved = false;
    for k in 0..operands.len() {
        let operand = &operands[(first + k) % operands.len()];
        if moved && plan.rng.random_bool(0.5) || plan.words(cell) > MAX_WORDS {
            continue;
        }
        let op = plan.cells[cell].timed[&cycle].clone();
        let Some(value) = operand.wanted(&op, 0.2, plan.rng) else { continue };
        let register = plan.rng.random_range(0..REGISTERS);
        let timed = &plan.cells[cell].timed;
        let free = |at: &u64| !timed.contains_key(at);
        // The change of a register that waits for the flag of the reader is decoded one cycle before it.
        let deferred = plan.deferred > 0.0 && cycle > 0 && plan.rng.random_bool(0.12);
        let last = cycle - u64::from(deferred);
        let Some(at) = (used[register]..last).rev().find(free) else { continue };
        let above = if plan.rng.random_bool(0.2) { plan.rng.random_range(0..4) } else { 0 };
        let dynamic = operand.out_of(&op, register, above);
        let loaded = load(plan, register, value);
        let io_cell = plan.io_cells.contains(&cell);
        let allowed = plan.enforcer.tolerates(&dynamic, &op, io_cell);
        if !allowed || !plan.enforcer.allows(&loaded, io_cell) {
            continue;
        }
        plan.cells[cell].timed.insert(at, loaded);
        plan.cells[cell].timed.insert(cycle, dynamic);
        used[register] = cycle + 2;
        moved = true;
        if deferred || plan.rng.random_bool(0.2) {
            disturb(plan, cell, if deferred { last } else { cycle + 1 }, register, deferred);
        }
    }
}

/// Changes the register of an operand right after the operand was read: in the next cycle or, with a load that waits for
/// the flag of the reader, at the end of the same cycle. `at` is the cycle in which the load is decoded, if it is free.
fn disturb(plan: &mut CasePlan<'_>, cell: CellId, at: u64, register: usize, deferred: bool) {
    if plan.cells[cell].timed.contains_key(&at) {
        return;
    }
    let value = plan.rng.random_range(0..128);
    let op = load(plan, register, value);
    let op = if deferred { op.deferred() } else { op };
    if plan.enforcer.allows(&op, plan.io_cells.contains(&cell)) {
        plan.cells[cell].timed.insert(at, op);
    }
}
