// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction memory (chapter 2, section 4).

use drra_fabric::{GroupId, Slots};

use crate::idle::Clocked;

/// `imem` and `imem_imm`.
#[derive(Clone, Debug)]
pub(super) struct InstructionMemory {
    pub(super) words: [u32; 64],
    /// Bit a: flag of the word at address a.
    pub(super) flags: u64,
}

impl InstructionMemory {
    pub(super) fn new() -> Self {
        Self { words: [0; 64], flags: 0 }
    }

    /// Writes the memory into the image of a cell.
    pub(super) fn pack(&self, slots: &Slots, image: &mut [u64]) {
        image[slots.of(GroupId::SeqImemImm)] = self.flags;
        let (pairs, _) = self.words.as_chunks::<2>();
        for (word, [even, odd]) in image[slots.of(GroupId::SeqImem)..].iter_mut().zip(pairs) {
            *word = u64::from(*odd) << 32 | u64::from(*even);
        }
    }
}

impl Clocked for InstructionMemory {
    /// A word that is loaded: address, word, flag.
    type Inputs = Option<(u8, u32, bool)>;

    fn next(&mut self, load: &Self::Inputs) -> bool {
        if let Some((address, instr, imm)) = *load {
            self.words[usize::from(address)] = instr;
            self.flags = self.flags & !(1 << address) | u64::from(imm) << address;
        }
        load.is_some()
    }
}
