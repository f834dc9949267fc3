// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of a case, line by line.

use std::collections::BTreeMap;

use drra_case::Case;
use drra_isa::{CellId, Revision, Word};

use crate::data::{CellProgram, InstructionWords, ProgramLine};

/// Cycles in which instructions are decoded, by cell and address.
pub type DecodeCycles = BTreeMap<(CellId, usize), Vec<u64>>;

/// The programs of a case, with the cycles in which their instructions are decoded.
pub fn cell_programs(case: &Case, decodes: &DecodeCycles) -> Vec<CellProgram> {
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
pub fn line(words: &[Word], address: usize, io: bool, decoded: Vec<u64>) -> ProgramLine {
    let bits: Vec<u64> = words[address..].iter().map(|word| word.bits).collect();
    ProgramLine {
        address,
        instruction: InstructionWords::first_of(&bits, io),
        immediate: words[address].immediate,
        responsible: false,
        decoded,
    }
}
