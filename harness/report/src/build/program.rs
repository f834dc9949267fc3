// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs and the responsible instruction, as data.

use std::collections::BTreeMap;

use drra_case::Case;
use drra_diagnose::attribution::IssuedInstruction;
use drra_fabric::{BlockId, Register};
use drra_isa::{CellId, Revision, Word};

use super::recording::Recording;
use crate::data::{
    CellProgram, InstructionPlace, InstructionWords, ProgramLine, ResponsibleInstruction,
};

/// Maximum number of decodes listed for each line.
const DECODES: usize = 8;

/// The words of an instruction that a cell decoded.
pub(super) fn words(d: &IssuedInstruction, io_cell: bool) -> InstructionWords {
    InstructionWords::first_of(&d.words.map(u64::from), io_cell)
}

/// The place of an instruction.
pub(super) fn place(d: &IssuedInstruction) -> InstructionPlace {
    let opcode = d.opcode();
    InstructionPlace { cell: d.cell, address: d.address, opcode }
}

/// True if a register changes at decode regardless of the flag, so that nothing is released into it.
pub(super) fn at_decode(register: Register) -> bool {
    register.id().rule().block() == BlockId::Sequencer
}

/// The responsible instruction; `first` is the register that differs first.
pub(super) fn responsible(
    r: &Recording<'_>,
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
pub(super) fn program(r: &Recording<'_>, case: &Case) -> Vec<CellProgram> {
    let responsible = r.explanation.responsible.as_ref();
    let mut decoded = Decodes::new();
    for d in r.later.log() {
        let cycles = decoded.entry((d.cell, d.address.into())).or_default();
        if cycles.len() < DECODES {
            cycles.push(d.cycle);
        }
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

/// Cycles in which instructions are decoded, by cell and address.
pub(crate) type Decodes = BTreeMap<(CellId, usize), Vec<u64>>;

/// The programs of a case, with the cycles in which their instructions are decoded.
pub(crate) fn cell_programs(case: &Case, decodes: &Decodes) -> Vec<CellProgram> {
    let mut programs = Vec::new();
    for (cell, all) in case.program.cells() {
        let io = case.io_cells.contains(&cell);
        let decoded = |address| decodes.get(&(cell, address)).cloned().unwrap_or_default();
        let lines = drra_isa::disassemble(Revision::R4.isa(), all, io).into_iter();
        let lines = lines.map(|at| line(all, at.address, io, decoded(at.address)));
        programs.push(CellProgram { cell, io, lines: lines.collect() });
    }
    programs
}

/// The line of a program at an address, which must exist in the program.
pub(crate) fn line(words: &[Word], address: usize, io: bool, decoded: Vec<u64>) -> ProgramLine {
    let bits: Vec<u64> = words[address..].iter().map(|word| word.bits).collect();
    ProgramLine {
        address,
        instruction: InstructionWords::first_of(&bits, io),
        immediate: words[address].immediate,
        responsible: false,
        decoded,
    }
}
