// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that a program shall contain, told by what matters about them.

use crate::{
    InstructionField, Opcode,
    instructions::{CODE_BITS, WORD_BITS},
};

/// An instruction of which some fields matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The instruction.
    pub opcode: Opcode,
    /// Fields that matter with their raw values; the others have their defaults.
    pub fields: Vec<(InstructionField, u64)>,
    /// Immediate flag of its words.
    pub immediate: bool,
}

impl Wanted {
    /// The code of a first word: a HALT with another code is a word that may be no instruction.
    pub const CODE: InstructionField = InstructionField::new(0, WORD_BITS - CODE_BITS, CODE_BITS);

    /// An instruction with its immediate flag set.
    pub fn new(opcode: Opcode, fields: &[(InstructionField, u64)]) -> Self {
        Self { opcode, fields: fields.to_vec(), immediate: true }
    }

    /// The same instruction with more fields.
    pub fn with(mut self, fields: &[(InstructionField, u64)]) -> Self {
        self.fields.extend_from_slice(fields);
        self
    }
}
