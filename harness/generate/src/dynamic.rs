// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands from RACCU registers (chapter 2, 6.2): a static operand moves into a register that is loaded before its
//! instruction is decoded, so that expectations do not change. Occasionally the register changes while its reader is
//! in flight.

use std::sync::LazyLock;

use drra_isa::{
    CellId, InstructionField, Opcode, PlacedField,
    instructions::{RaccuMode, raccu},
};
use rand::RngExt;

use crate::{op::Op, plan::Plan};

/// Number of registers for operands; one more register is for WAITs between operations, and the rest belong to the loop
/// slots.
const REGISTERS: usize = 11;

/// The register of WAITs between operations.
pub(crate) const OF_WAITS: usize = REGISTERS;

/// Maximum number of words in a program whose operands may still be moved.
const MOST_WORDS: usize = 46;

/// An operand that can come from a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// If 1, the operand comes from a register.
    pub(crate) sd: InstructionField,
    /// The operand, or the number of the register in its low 4 bits.
    pub(crate) field: InstructionField,
    /// Upper bits of a static operand.
    pub(crate) upper: Option<InstructionField>,
    /// If true, the operand is the 7 bits of the register as a two's complement number; otherwise it is the low bits of
    /// the register.
    signed: bool,
}

/// For each instruction, the operands that can come from registers, in the order of its fields.
static OPERANDS: LazyLock<Vec<Vec<Operand>>> = LazyLock::new(|| {
    let of = |opcode: &Opcode| {
        let fields = opcode.fields();
        let operand = |placed: &PlacedField| {
            let upper = format!("{}_ext", placed.field.name);
            Some(Operand {
                sd: fields[placed.field.selector?].place,
                field: placed.place,
                upper: fields.iter().find(|p| p.field.name == upper).map(|p| p.place),
                // The other signed fields are no wider than the register, so their bits are its low bits.
                signed: placed.field.signed && matches!(opcode, Opcode::Loop | Opcode::Sram),
            })
        };
        fields.iter().filter_map(operand).collect()
    };
    Opcode::ALL.iter().map(of).collect()
});

/// The operands of an instruction that can come from registers.
pub(crate) fn operands(opcode: Opcode) -> &'static [Operand] {
    &OPERANDS[opcode.index()]
}

impl Operand {
    /// The register value that yields a raw value of the field; `None` if there is none.
    fn register(&self, raw: u64) -> Option<u64> {
        let up = 64 - self.field.width();
        let (number, least) =
            if self.signed { ((raw << up) as i64 >> up, -64) } else { (raw as i64, 0) };
        (least..least + 128).contains(&number).then_some(number as u64 & 127)
    }

    /// The value that a register must contain to replace the static operand of an instruction; `None` if the operand is
    /// 0, already comes from a register, or cannot come from one.
    pub(crate) fn wanted(&self, op: &Op) -> Option<u64> {
        let upper = self.upper.map_or(0, |upper| op.value(upper) << self.field.width());
        let raw = upper | op.value(self.field);
        let moves = op.value(self.sd) == 0 && raw != 0;
        self.register(raw).filter(|_| moves)
    }

    /// The same instruction with the operand from a register; `above` goes into the bits above the register number,
    /// which have no meaning.
    pub(crate) fn out_of(&self, op: &Op, register: usize, above: u64) -> Op {
        let mut op = op.clone();
        op.set(self.sd, 1);
        op.set(self.field, register as u64 | above << 4);
        if let Some(upper) = self.upper {
            op.set(upper, 0);
        }
        op.fit();
        op
    }
}

/// An operation that loads a register with a number of 7 bits.
pub(crate) fn load(plan: &mut Plan<'_>, register: usize, value: u64) -> Op {
    let rng = &mut *plan.rng;
    let part = rng.random_range(0..128u64);
    let (mode, a) = if rng.random_bool(0.7) {
        (RaccuMode::Add, value.wrapping_sub(part) & 127)
    } else {
        (RaccuMode::Sub, value.wrapping_add(part) & 127)
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
pub(crate) fn move_operands(plan: &mut Plan<'_>, chance: f64) {
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
    plan: &mut Plan<'_>,
    cell: CellId,
    cycle: u64,
    operands: &[Operand],
    used: &mut [u64; REGISTERS],
) {
    let first = plan.rng.random_range(0..operands.len());
    let mut moved = false;
    for k in 0..operands.len() {
        let operand = &operands[(first + k) % operands.len()];
        if moved && plan.rng.random_bool(0.5) || plan.words(cell) > MOST_WORDS {
            continue;
        }
        let op = plan.cells[cell].timed[&cycle].clone();
        let Some(value) = operand.wanted(&op) else { continue };
        let register = plan.rng.random_range(0..REGISTERS);
        let timed = &plan.cells[cell].timed;
        let free = |at: &u64| !timed.contains_key(at);
        let Some(at) = (used[register]..cycle).rev().find(free) else { continue };
        let above = if plan.rng.random_bool(0.2) { plan.rng.random_range(0..4) } else { 0 };
        let dynamic = operand.out_of(&op, register, above);
        let loaded = load(plan, register, value);
        let io_cell = plan.io_cells.contains(&cell);
        let allowed = plan.keeper.tolerates(&dynamic, &op, io_cell);
        if !allowed || !plan.keeper.allows(&loaded, io_cell) {
            continue;
        }
        plan.cells[cell].timed.insert(at, loaded);
        plan.cells[cell].timed.insert(cycle, dynamic);
        used[register] = cycle + 1;
        moved = true;
        disturb(plan, cell, cycle, register, used);
    }
}

/// Occasionally changes a register while its reader is in flight: right after it was read, or in the same cycle, by an
/// operation that waits for the flag of the reader.
fn disturb(
    plan: &mut Plan<'_>,
    cell: CellId,
    cycle: u64,
    register: usize,
    used: &mut [u64; REGISTERS],
) {
    let before = plan.rng.random_bool(0.4);
    let at = if before { cycle.wrapping_sub(1) } else { cycle + 1 };
    if !plan.rng.random_bool(0.3) || plan.cells[cell].timed.contains_key(&at) {
        return;
    }
    let value = plan.rng.random_range(0..128);
    let op = load(plan, register, value);
    let op = if before { op.deferred() } else { op };
    let late = !before || at >= plan.first(cell) && plan.deferred > 0.0;
    if late && plan.keeper.allows(&op, plan.io_cells.contains(&cell)) {
        plan.cells[cell].timed.insert(at, op);
        used[register] = used[register].max(cycle + 2);
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::instructions::{io, loop_, refi, sram, wait};

    use super::*;

    /// Chapter 2, 6.2: `{r[6], r[4:0]}` passes -32..31 unchanged, and s8 passes -64..63 unchanged.
    #[test]
    fn registers_of_values() {
        let of = |opcode, field| {
            *operands(opcode).iter().find(|operand| operand.field == field).unwrap()
        };
        let [start, step] = [of(Opcode::Loop, loop_::START), of(Opcode::Sram, sram::L1_STEP)];
        assert_eq!(start.register(0x3d), Some(0x7d)); // -3
        assert_eq!(step.register(0xc0), Some(0x40)); // -64
        assert_eq!(step.register(0x40), None); // 64
        let cycle = of(Opcode::Wait, wait::CYCLE);
        assert_eq!([cycle.register(127), cycle.register(128)], [Some(127), None]);
        // The upper bits of a delay are in a field of their own; the step of an IO is the low 5 bits of the register.
        assert_eq!(of(Opcode::Refi, refi::L1_DELAY).upper, Some(refi::L1_DELAY_EXT));
        assert_eq!(of(Opcode::Io, io::L1_STEP).register(31), Some(31));
    }
}
