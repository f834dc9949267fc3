// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands of instructions that can come from RACCU registers (chapter 2, 6.2).

use std::sync::LazyLock;

use drra_isa::{InstructionField, Opcode, PlacedField};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::op::Op;

/// An operand that can come from a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterOperand {
    /// If 1, the operand comes from a register.
    pub(crate) sd: InstructionField,
    /// The operand, or the number of the register in its low 4 bits.
    pub(crate) field: InstructionField,
    /// Upper bits of a static operand.
    pub(crate) upper: Option<InstructionField>,
    /// If true, the sign of the operand is bit 6 of the register (conversions s6 and s8 of chapter 2, 6.2); otherwise
    /// the operand is the low bits of the register.
    signed: bool,
}

/// For each instruction, the operands that can come from registers, in the order of its fields.
static OPERANDS: LazyLock<Vec<Vec<RegisterOperand>>> = LazyLock::new(|| {
    let of = |opcode: &Opcode| {
        let fields = opcode.fields();
        let operand = |placed: &PlacedField| {
            let upper = format!("{}_ext", placed.field.name);
            Some(RegisterOperand {
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
pub(crate) fn operands(opcode: Opcode) -> &'static [RegisterOperand] {
    &OPERANDS[opcode.index()]
}

impl RegisterOperand {
    /// The register value that yields a raw value of the field; `None` if there is none.
    fn register(&self, raw: u64) -> Option<u64> {
        let up = 64 - self.field.width();
        let (number, least) =
            if self.signed { ((raw << up) as i64 >> up, -64) } else { (raw as i64, 0) };
        (least..least + 128).contains(&number).then_some(number as u64 & 127)
    }

    /// The bits of the register that the operand ignores.
    fn ignored(&self) -> u64 {
        let width = self.field.width() + self.upper.map_or(0, InstructionField::width);
        match width {
            // The sign comes from the uppermost bit.
            ..7 if self.signed => 127 & !(1 << 6 | ((1 << (width - 1)) - 1)),
            ..7 => 127 & !((1 << width) - 1),
            _ => 0,
        }
    }

    /// The value that a register must contain to replace the static operand of an instruction; in half of the cases,
    /// the bits that the operand ignores are random. `None` if the operand already comes from a register, if no
    /// register value yields it, or if it is 0, except with the chance `zero`.
    pub(crate) fn wanted(&self, op: &Op, zero: f64, rng: &mut ChaCha8Rng) -> Option<u64> {
        let upper = self.upper.map_or(0, |upper| op.value(upper) << self.field.width());
        let raw = upper | op.value(self.field);
        if op.value(self.sd) != 0 || raw == 0 && !rng.random_bool(zero) {
            return None;
        }
        let value = self.register(raw)?;
        let ignored = if rng.random_bool(0.5) { rng.random::<u64>() & self.ignored() } else { 0 };
        Some(value ^ ignored)
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
