// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction codes and word counts without a full decode, and the mapping from an instruction to its description.

use std::sync::LazyLock;

use crate::{
    description::{Field, Instruction},
    field::{self, InstructionField},
    instructions::{CODE_BITS, Opcode, WORD_BITS, branch, jump, loop_},
    revision::Revision,
};

const _: () = assert!(field::WORD_BITS == WORD_BITS, "fields have the width of the description");

/// A field of an instruction: its position, and its name, default and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedField {
    /// Position of the field in the words.
    pub place: InstructionField,
    /// Entry of the field in the description.
    pub field: &'static Field,
}

/// The entry of an instruction in the description.
struct InstructionEntry {
    instruction: &'static Instruction,
    fields: Vec<PlacedField>,
}

/// The instructions in the order of [`Opcode::ALL`].
static DESCRIBED: LazyLock<Vec<InstructionEntry>> = LazyLock::new(|| {
    let isa = Revision::R4.isa();
    let described = |opcode: &Opcode| {
        let found = isa.instructions.iter().find(|i| i.name == opcode.name());
        let instruction = found.expect("the instructions are generated from this description");
        let fields = instruction.fields.iter().map(|field| {
            let word = instruction.chunks_of(isa, field).1;
            let lsb = field.lsb - (instruction.max_chunk - 1 - word) * isa.word_bits;
            PlacedField { place: InstructionField::new(word, lsb, field.width), field }
        });
        InstructionEntry { instruction, fields: fields.collect() }
    };
    Opcode::ALL.iter().map(described).collect()
});

impl Opcode {
    /// The largest number of words of any instruction.
    pub const MAX_WORDS: usize = {
        let (mut most, mut i) = (0, 0);
        while i < Self::ALL.len() {
            if Self::ALL[i].max_words() > most {
                most = Self::ALL[i].max_words();
            }
            i += 1;
        }
        most
    };

    /// The instruction that starts with a word, in an I/O cell or an ordinary cell.
    #[inline]
    pub fn of(first: impl Into<u64>, io_cell: bool) -> Option<Self> {
        Self::new(first.into() >> (WORD_BITS - CODE_BITS), io_cell)
    }

    /// Number of words of the instruction that starts with a word (chapter 1, section 1).
    #[inline]
    pub fn words(self, first: impl Into<u64>) -> usize {
        let Some(field) = self.chunk_field() else { return self.max_words() };
        let following = field.get(&[first.into()]) as usize;
        if following < self.max_words() { following + 1 } else { 1 }
    }

    /// The field of a LOOP, JUMP or BRANCH that contains an instruction address (chapter 2); the field is in the first
    /// word.
    pub const fn target_field(self) -> Option<InstructionField> {
        match self {
            Self::Loop => Some(loop_::ENDPC),
            Self::Jump => Some(jump::PC),
            Self::Branch => Some(branch::FALSE_PC),
            Self::Halt
            | Self::Refi
            | Self::Dpu
            | Self::Swb
            | Self::Wait
            | Self::Bw
            | Self::Raccu
            | Self::Route
            | Self::Sram
            | Self::Perm
            | Self::Io => None,
        }
    }

    /// The instruction with a mnemonic (case-insensitive).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|o| o.name().eq_ignore_ascii_case(name))
    }

    /// Index in [`Self::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Description of the instruction in the revision that the hardware implements.
    pub fn description(self) -> &'static Instruction {
        DESCRIBED[self.index()].instruction
    }

    /// Fields of the instruction in the order of the description, padding included.
    pub fn fields(self) -> &'static [PlacedField] {
        &DESCRIBED[self.index()].fields
    }
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
