// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs and the responsible instruction, as data.

use drra_case::Case;
use drra_diagnose::attribution::IssuedInstruction;
use drra_fabric::{BlockId, Register};

use super::recording::MismatchContext;
use crate::{
    data::{CellProgram, InstructionLocation, InstructionWords, ResponsibleInstruction},
    program::{DecodeCycles, cell_programs},
};

/// The words of an instruction that a cell decoded.
pub(super) fn words(d: &IssuedInstruction, io_cell: bool) -> InstructionWords {
    InstructionWords::first_of(&d.words.map(u64::from), io_cell)
}

/// The place of an instruction.
pub(super) fn place(d: &IssuedInstruction) -> InstructionLocation {
    let opcode = d.opcode();
    InstructionLocation { cell: d.cell, address: d.address, opcode }
}

/// True if a register changes at decode regardless of the flag, so that no flag releases an instruction to it.
pub(super) fn at_decode(register: Register) -> bool {
    register.id().rule().block() == BlockId::Sequencer
}

/// The responsible instruction; `first` is the register that differs first.
pub(super) fn responsible(
    r: &MismatchContext<'_>,
    d: &IssuedInstruction,
    first: Option<Register>,
) -> ResponsibleInstruction {
    // The flag may have come after the mismatch.
    let later = r.later.log().find(|l| l.cell == d.cell && l.cycle == d.cycle);
    let released = d.released.get().or_else(|| later.and_then(|l| l.released.get()));
    let by_flag = !first.is_some_and(at_decode);
    ResponsibleInstruction {
        cell: d.cell,
        address: d.address,
        instruction: words(d, r.is_io_cell(d.cell)),
        immediate: d.immediate,
        decoded: d.cycle,
        released: released.filter(|cycle| by_flag || *cycle == d.cycle),
    }
}

/// The programs of a case, with the cycles in which their instructions were decoded.
pub(super) fn program(r: &MismatchContext<'_>, case: &Case) -> Vec<CellProgram> {
    let responsible = r.explanation.responsible.as_ref();
    let mut decoded = DecodeCycles::new();
    for d in r.later.log() {
        decoded.entry((d.cell, d.address.into())).or_default().push(d.cycle);
    }
    let mut programs = cell_programs(case, &decoded);
    for program in &mut programs {
        for line in &mut program.lines {
            line.responsible = responsible
                .is_some_and(|d| d.cell == program.cell && usize::from(d.address) == line.address);
        }
    }
    programs
}
