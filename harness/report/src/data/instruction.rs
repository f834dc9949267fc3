// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions and programs.

use drra_isa::{CellId, Opcode, Revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The words of one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionWords {
    /// The word at the address of the instruction, followed by the other words that belong to it.
    pub words: Vec<u64>,
    /// True if the cell is an I/O cell, which has IO instead of SRAM.
    pub io_cell: bool,
    /// Assembly text, without fields that have their default value. Derived from the words.
    #[serde(default)]
    decoded: String,
}

impl InstructionWords {
    /// The instruction that starts at the first of these words.
    pub fn first_of(words: &[u64], io_cell: bool) -> Self {
        let len = drra_isa::decode(Revision::R4.isa(), words, io_cell).map_or(1, |d| d.len);
        let words = words[..len.min(words.len())].to_vec();
        let decoded = drra_isa::instruction_text(Revision::R4.isa(), &words, io_cell);
        Self { words, io_cell, decoded }
    }

    /// The instruction's opcode; `None` if the code is not an instruction.
    pub fn opcode(&self) -> Option<Opcode> {
        Opcode::of(self.words.first().copied()?, self.io_cell)
    }

    /// Assembly text, without fields that have their default value.
    pub fn text(&self) -> String {
        drra_isa::instruction_text(Revision::R4.isa(), &self.words, self.io_cell)
    }
}

/// The instruction that is responsible for a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponsibleInstruction {
    /// Cell that decoded the instruction.
    pub cell: CellId,
    /// Address of the first word.
    pub address: u8,
    /// The instruction.
    pub instruction: InstructionWords,
    /// Its immediate flag.
    pub immediate: bool,
    /// Cycle of the decode.
    pub decoded: u64,
    /// Cycle in which its own flag or that of a later instruction released it to its unit, or in which it was decoded
    /// if it waits for no flag. Absent if it was not released, or if it was released after the decode but the register
    /// that differs changes at decode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<u64>,
}

/// An instruction, identified by its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InstructionPlace")]
pub struct InstructionLocation {
    /// Cell that decoded the instruction.
    pub cell: CellId,
    /// Address of the first word.
    pub address: u8,
    /// The opcode; absent if the code is not an instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opcode: Option<Opcode>,
}

/// Program of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellProgram {
    /// The cell.
    pub cell: CellId,
    /// True for an I/O cell.
    pub io: bool,
    /// Its lines.
    pub lines: Vec<ProgramLine>,
}

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramLine {
    /// Address of the first word.
    pub address: usize,
    /// The instruction.
    pub instruction: InstructionWords,
    /// Immediate flag of the first word.
    pub immediate: bool,
    /// True for the responsible instruction.
    pub responsible: bool,
    /// Recorded cycles in which the instruction is decoded; in reports of version 1.0, at most the first 8.
    pub decoded: Vec<u64>,
}
