// SPDX-License-Identifier: MIT OR Apache-2.0
//! One instruction as the sequencer sees it.

use drra_isa::{InstructionField, Opcode, PlacedField};

/// An instruction, with the words that follow it if it is shorter than the longest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// `None`: its first word does not begin an instruction.
    pub(crate) opcode: Option<Opcode>,
    /// The words; as many as the longest instruction has.
    pub(crate) words: [u64; Opcode::MAX_WORDS],
    /// Number of words.
    pub(crate) len: usize,
    /// Immediate flag of the first word.
    pub(crate) immediate: bool,
}

impl Instruction {
    /// The instruction that begins with the first of these words.
    pub(crate) fn new(words: [u64; Opcode::MAX_WORDS], immediate: bool, io_cell: bool) -> Self {
        let opcode = Opcode::of(words[0], io_cell);
        let len = opcode.map_or(1, |o| o.words(words[0]));
        Self { opcode, words, len, immediate }
    }

    /// True for an instruction of that kind.
    pub(crate) fn is(&self, opcode: Opcode) -> bool {
        self.opcode == Some(opcode)
    }

    /// Raw value of a field that every instruction of this kind has.
    pub(crate) fn value(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// Raw value of a field; its default if its word is absent.
    pub(crate) fn decoded(&self, placed: &PlacedField) -> u64 {
        if placed.place.word() < self.len { self.value(placed.place) } else { placed.field.default }
    }

    /// Value of a field, or 0 if its word is absent.
    pub(crate) fn present(&self, field: InstructionField) -> u64 {
        if field.word() < self.len { self.value(field) } else { 0 }
    }

    /// Instruction address that a JUMP, BRANCH or LOOP names.
    pub(crate) fn target(&self) -> Option<usize> {
        let field = self.opcode.and_then(Opcode::target_field)?;
        Some(self.value(field) as usize)
    }

    /// A number that depends on all bits, for choices that should differ between words.
    pub(crate) fn mixed(&self, salt: u64) -> u64 {
        // The finaliser of SplitMix64, applied to one word after another.
        let mix = |mut z: u64| {
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        self.words[..self.len]
            .iter()
            .fold(salt, |z, word| mix(z.wrapping_add(*word).wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }
}
