// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands out of RACCU registers (chapter 2, 6.2): a static operand moves into a register that is loaded
//! before its instruction is decoded, so that what is expected stays as it is. Now and then the register changes
//! while its reader is on its way.

use drra_isa::{
    CellId, InstructionField, Opcode,
    instructions::{RaccuMode, io, loop_, raccu, refi, sram, wait},
};
use rand::RngExt;

use crate::{op::Op, plan::Plan};

/// Registers for operands; one more is for WAITs between operations, the others belong to the loop slots.
const REGISTERS: usize = 11;

/// The register of WAITs between operations.
pub(crate) const OF_WAITS: usize = REGISTERS;

/// Most words of a program that operands still move out of.
const MOST_WORDS: usize = 46;

/// How the 7 bits of a register become an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    /// So many low bits.
    Low(u32),
    /// Two's complement of so many bits, which the register has with 7.
    Signed(u32),
}

impl Conversion {
    /// The register that gives a raw value of a field; `None` if none does.
    fn register(self, raw: u64) -> Option<u64> {
        match self {
            Self::Low(bits) => (raw < 1 << bits).then_some(raw),
            Self::Signed(bits) => {
                let number = (raw as i64) << (64 - bits) >> (64 - bits);
                (-64..64).contains(&number).then_some(number as u64 & 127)
            }
        }
    }
}

/// An operand that can come from a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// 1: the operand comes from a register.
    pub(crate) sd: InstructionField,
    /// The operand, or the number of the register in its low 4 bits.
    pub(crate) field: InstructionField,
    /// Upper bits of a static operand.
    pub(crate) upper: Option<InstructionField>,
    conversion: Conversion,
}

const fn low(sd: InstructionField, field: InstructionField, bits: u32) -> Operand {
    Operand { sd, field, upper: None, conversion: Conversion::Low(bits) }
}

const fn signed(sd: InstructionField, field: InstructionField, bits: u32) -> Operand {
    Operand { sd, field, upper: None, conversion: Conversion::Signed(bits) }
}

const fn extended(
    sd: InstructionField,
    field: InstructionField,
    upper: InstructionField,
) -> Operand {
    Operand { sd, field, upper: Some(upper), conversion: Conversion::Low(6) }
}

const REFI: &[Operand] = &[
    low(refi::INIT_ADDR_SD, refi::INIT_ADDR, 6),
    low(refi::L1_ITER_SD, refi::L1_ITER, 6),
    low(refi::INIT_DELAY_SD, refi::INIT_DELAY, 6),
    low(refi::L1_STEP_SD, refi::L1_STEP, 6),
    extended(refi::L1_DELAY_SD, refi::L1_DELAY, refi::L1_DELAY_EXT),
    extended(refi::L2_ITER_SD, refi::L2_ITER, refi::L2_ITER_EXT),
    low(refi::L2_DELAY_SD, refi::L2_DELAY, 6),
];

const SRAM: &[Operand] = &[
    low(sram::INIT_ADDR_SD, sram::INIT_ADDR, 7),
    low(sram::INIT_DELAY_SD, sram::INIT_DELAY, 4),
    low(sram::L1_ITER_SD, sram::L1_ITER, 7),
    signed(sram::L1_STEP_SD, sram::L1_STEP, 8),
    low(sram::L1_DELAY_SD, sram::L1_DELAY, 6),
    low(sram::L2_ITER_SD, sram::L2_ITER, 7),
    signed(sram::L2_STEP_SD, sram::L2_STEP, 8),
    low(sram::L2_DELAY_SD, sram::L2_DELAY, 6),
];

const IO: &[Operand] = &[
    low(io::INIT_ADDR_SD, io::INIT_ADDR, 7),
    low(io::INIT_DELAY_SD, io::INIT_DELAY, 6),
    low(io::L1_ITER_SD, io::L1_ITER, 5),
    low(io::L1_STEP_SD, io::L1_STEP, 5),
];

const LOOP: &[Operand] = &[
    signed(loop_::START_SD, loop_::START, 6),
    low(loop_::ITER_SD, loop_::ITER, 6),
    signed(loop_::STEP_SD, loop_::STEP, 6),
];

const RACCU: &[Operand] =
    &[low(raccu::OPERAND1_SD, raccu::OPERAND1, 7), low(raccu::OPERAND2_SD, raccu::OPERAND2, 7)];

const WAIT: &[Operand] = &[low(wait::CYCLE_SD, wait::CYCLE, 7)];

/// The operands of an instruction that can come from registers.
pub(crate) const fn operands(opcode: Opcode) -> &'static [Operand] {
    match opcode {
        Opcode::Refi => REFI,
        Opcode::Sram => SRAM,
        Opcode::Io => IO,
        Opcode::Wait => WAIT,
        Opcode::Loop => LOOP,
        Opcode::Raccu => RACCU,
        Opcode::Halt
        | Opcode::Dpu
        | Opcode::Swb
        | Opcode::Jump
        | Opcode::Bw
        | Opcode::Branch
        | Opcode::Route
        | Opcode::Perm => &[],
    }
}

impl Operand {
    /// What a register has to hold for the static operand of an instruction; `None` if the operand is 0, comes
    /// from a register already, or no register gives it.
    pub(crate) fn wanted(&self, op: &Op) -> Option<u64> {
        let upper = self.upper.map_or(0, |upper| op.value(upper) << self.field.width());
        let raw = upper | op.value(self.field);
        let moves = op.value(self.sd) == 0 && raw != 0;
        self.conversion.register(raw).filter(|_| moves)
    }

    /// The same instruction with the operand out of a register; bits of the field above the number of the
    /// register mean nothing.
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

/// Moves operands of the timed operations of all cells into registers, of each with this chance.
pub(crate) fn move_operands(plan: &mut Plan<'_>, chance: f64) {
    if chance == 0.0 {
        return;
    }
    for cell in plan.active.clone() {
        let cycles: Vec<u64> = plan.cells[cell].timed.keys().copied().collect();
        // Cycle in which a register was read or written last.
        let mut used = [plan.first(cell); REGISTERS];
        for cycle in cycles {
            let many = operands(plan.cells[cell].timed[&cycle].opcode.unwrap_or(Opcode::Halt));
            if !many.is_empty() && plan.rng.random_bool(chance) {
                plan.aside(|plan| move_of(plan, cell, cycle, many, &mut used));
            }
        }
    }
}

/// Moves operands of one operation, each with an even chance and at least one if one can.
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

/// Changes a register while its reader is on its way: at once after it was read, or in the same cycle, by an
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
    use super::*;

    /// Every flag of the instruction description has its operand.
    #[test]
    fn every_flag_is_known() {
        for &opcode in Opcode::ALL {
            let flags = opcode.fields().iter().filter(|p| p.field.name.ends_with("_sd"));
            let mut described: Vec<_> = flags.map(|p| (p.place.word(), p.place)).collect();
            let mut known: Vec<_> = operands(opcode).iter().map(|o| (o.sd.word(), o.sd)).collect();
            let order = |all: &mut Vec<(usize, InstructionField)>| {
                all.sort_by_key(|(_, field)| format!("{field:?}"));
            };
            order(&mut described);
            order(&mut known);
            assert_eq!(described, known, "{opcode:?}");
            for operand in operands(opcode) {
                let name = |field: InstructionField| {
                    let placed = opcode.fields().iter().find(|p| p.place == field).unwrap();
                    placed.field.name.clone()
                };
                assert_eq!(name(operand.sd), name(operand.field) + "_sd", "{opcode:?}");
            }
        }
    }

    /// Chapter 2, 6.2: `{r[6], r[4:0]}` passes -32..31 unchanged, s8 -64..63.
    #[test]
    fn registers_of_values() {
        assert_eq!(Conversion::Signed(6).register(0x3d), Some(0x7d)); // -3
        assert_eq!(Conversion::Signed(8).register(0xc0), Some(0x40)); // -64
        assert_eq!(Conversion::Signed(8).register(0x40), None); // 64
        assert_eq!(Conversion::Low(7).register(127), Some(127));
        assert_eq!(Conversion::Low(7).register(128), None);
    }
}
