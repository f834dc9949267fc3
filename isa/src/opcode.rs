// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction codes and lengths of words without a full decode.

use crate::field::InstructionWord;
use crate::instructions::CODE_BITS;
use crate::instructions::Opcode;
use crate::instructions::WORD_BITS;

impl Opcode {
    /// The instruction that begins with a word, in an I/O cell or another one.
    #[inline]
    pub fn of<W: InstructionWord>(first: W, io_cell: bool) -> Option<Self> {
        Self::new(first.bits() >> (WORD_BITS - CODE_BITS), io_cell)
    }

    /// Number of words of an instruction that begins with a word (chapter 1, section 1).
    #[inline]
    pub fn words<W: InstructionWord>(self, first: W) -> usize {
        let Some(field) = self.chunk_field() else { return self.max_words() };
        let following = field.get(&[first]) as usize;
        if following < self.max_words() { following + 1 } else { 1 }
    }

    /// The instruction with a mnemonic, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|o| o.name().eq_ignore_ascii_case(name))
    }
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
