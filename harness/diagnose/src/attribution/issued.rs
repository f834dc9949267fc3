// SPDX-License-Identifier: MIT OR Apache-2.0
//! An instruction that a cell decoded, and what its fields specify about its destination.

use std::{cell::Cell, rc::Rc};

use drra_fabric::{
    AguId, CellInput, Generator, MessageId,
    fields::{loop_op, raccu_op},
};
use drra_isa::{
    BitField, CellId, Opcode, Revision, instruction_text,
    instructions::{DpuMode, RefiPortNo, dpu, io, perm, refi, sram, swb},
};

/// An instruction that a sequencer decoded in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedInstruction {
    /// Cell that decoded the instruction.
    pub cell: CellId,
    /// Cycle of the decode; for a WAIT, the first cycle.
    pub cycle: u64,
    /// Address of the first word.
    pub address: u8,
    /// The word at that address and the two words after it.
    pub words: [u32; 3],
    /// Its immediate flag.
    pub immediate: bool,
    /// Cycle in which the immediate flag of this or a later instruction releases it to its unit; the decode cycle for
    /// instructions that do not wait for a flag. `None`: not yet.
    pub released: Cell<Option<u64>>,
    opcode: Option<Opcode>,
    /// True if the cell is an I/O cell.
    io_cell: bool,
}

/// The instruction that caused a configuration, message or access, if there is one.
pub type Cause = Option<Rc<IssuedInstruction>>;

impl IssuedInstruction {
    /// The instruction that a cell decodes in a cycle; no flag has released it yet.
    pub(super) fn new(
        cell: CellId,
        io_cell: bool,
        cycle: u64,
        address: u8,
        words: [u32; 3],
        immediate: bool,
    ) -> Self {
        let opcode = Opcode::of(words[0], io_cell);
        let released = Cell::new(None);
        Self { cell, cycle, address, words, immediate, released, opcode, io_cell }
    }

    /// The opcode; `None` if the code is not an instruction.
    pub fn opcode(&self) -> Option<Opcode> {
        self.opcode
    }

    /// Name of the instruction; `.WORD` if the code is not an instruction, as in assembly language.
    pub fn mnemonic(&self) -> &'static str {
        self.opcode.map_or(".WORD", Opcode::name)
    }

    /// Assembly text.
    pub fn text(&self) -> String {
        instruction_text(Revision::R4.isa(), &self.words.map(u64::from), self.io_cell)
    }

    /// Fields that are numbers of RACCU registers: their names and the numbers.
    pub fn dynamic_fields(&self) -> Vec<(&'static str, usize)> {
        let words = self.words.map(u64::from);
        let decoded = drra_isa::decode(Revision::R4.isa(), &words, self.io_cell);
        decoded.map_or_else(Vec::new, |d| {
            let fields = d.instruction.fields.iter().enumerate();
            let dynamic = fields.filter(|(_, f)| f.selector.is_some_and(|s| d.values[s] != 0));
            dynamic.map(|(at, f)| (f.name.as_str(), d.values[at] as usize % 16)).collect()
        })
    }

    /// Mode of a DPU instruction.
    pub fn dpu_mode(&self) -> Option<DpuMode> {
        self.is(Opcode::Dpu).then(|| DpuMode::from_bits(dpu::MODE.get(&self.words)))
    }

    /// The cell input whose selection an SWB sets.
    pub fn input(&self) -> Option<CellInput> {
        let number = self.is(Opcode::Swb).then(|| swb::V_INDEX.get(&self.words))?;
        CellInput::from_index(usize::try_from(number).ok()?)
    }

    /// The AGU that a REFI configures (chapter 3, section 5).
    pub fn agu(&self) -> Option<AguId> {
        let port = self.is(Opcode::Refi).then(|| refi::PORT_NO.get(&self.words))?;
        // The flag `dimarch` is in the third word.
        let third = Opcode::Refi.words(self.words[0]) == 3;
        match (RefiPortNo::from_bits(port), third && refi::DIMARCH.is_set(&self.words)) {
            (RefiPortNo::W0, false) => Some(AguId::W0),
            (RefiPortNo::W1, false) => Some(AguId::W1),
            (RefiPortNo::W0, true) => Some(AguId::Wb),
            (RefiPortNo::R0, false) => Some(AguId::R0),
            (RefiPortNo::R1, false) => Some(AguId::R1),
            (RefiPortNo::R0, true) => Some(AguId::Rb),
            (RefiPortNo::W1 | RefiPortNo::R1, true) => None,
        }
    }

    /// The generator that an SRAM or IO sets up.
    pub fn generator(&self) -> Option<Generator> {
        let rw = match self.opcode? {
            Opcode::Sram => sram::RW,
            Opcode::Io => io::RW,
            _ => return None,
        };
        Some(if rw.is_set(&self.words) { Generator::Write } else { Generator::Read })
    }

    /// Mode and distance of a PERM.
    pub fn permutation(&self) -> Option<(u8, u16)> {
        let field = |f: drra_isa::InstructionField| f.get(&self.words);
        let both = || (field(perm::MODE) as u8, field(perm::DISTANCE) as u16);
        self.is(Opcode::Perm).then(both)
    }

    /// True for an instruction that acts on the sequencer alone: it configures no unit and has no result.
    pub fn is_control(&self) -> bool {
        let control = [Opcode::Halt, Opcode::Jump, Opcode::Wait, Opcode::Branch];
        self.opcode.is_none_or(|opcode| control.contains(&opcode))
    }

    /// True for a message to the NoC.
    pub fn is_message(&self) -> bool {
        matches!(self.opcode, Some(Opcode::Route | Opcode::Sram))
    }

    /// True for a message to the NoC or to the I/O unit.
    pub fn sends(&self) -> bool {
        self.is_message() || self.is(Opcode::Io)
    }

    /// The bits of the dynamic fields in the decoder's output.
    pub fn dynamic_bits(&self) -> u64 {
        let dynamic = self.dynamic_fields();
        let bits = |fields: &[(&str, BitField)]| {
            let fields = fields.iter().filter(|(name, _)| dynamic.iter().any(|(n, _)| n == name));
            fields.fold(0, |bits, (_, field)| bits | field.mask())
        };
        match MessageId::ALL.iter().find(|m| m.name() == self.mnemonic()) {
            Some(message) => {
                let fields = message.info().fields.iter();
                let fields = fields.map(|f| (f.name.as_str(), BitField::new(f.lsb, f.width)));
                bits(&fields.collect::<Vec<_>>())
            }
            None if self.is(Opcode::Loop) => {
                bits(&[("start", loop_op::START), ("iter", loop_op::ITER), ("step", loop_op::STEP)])
            }
            None => bits(&[("operand1", raccu_op::A), ("operand2", raccu_op::B)]),
        }
    }

    /// True for an instruction with this opcode.
    pub fn is(&self, opcode: Opcode) -> bool {
        self.opcode == Some(opcode)
    }

    /// Releases the instruction to its unit with the flag of `cycle`, unless an earlier flag did.
    pub(super) fn release(&self, cycle: u64) {
        if self.released.get().is_none() {
            self.released.set(Some(cycle));
        }
    }
}

/// The cause, if it satisfies the predicate.
pub(super) fn only(cause: &Cause, wanted: impl Fn(&IssuedInstruction) -> bool) -> Cause {
    cause.clone().filter(|i| wanted(i))
}

/// The first cause that exists.
pub(super) fn first<const N: usize>(causes: [Cause; N]) -> Cause {
    causes.into_iter().flatten().next()
}
