// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the golden model is seen to do, as far as bins depend on it.

use drra_isa::{
    InstructionField, Opcode,
    fabric::{AguId, images::AguCfg},
    instructions::BwConfig,
};

use crate::cross::named;

/// One thing that happens in a cycle, for groups that look at nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Observed<'a> {
    /// A cell decodes an instruction.
    Decode(&'a Decode),
    /// A configuration reaches an AGU.
    Launch(&'a Launch),
}

/// Kinds of observations; a group of bins depends on one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Decodes of an instruction.
    Decode(Opcode),
    /// Launches of AGUs.
    Launch,
}

impl Source {
    /// Number of kinds.
    pub(crate) const COUNT: usize = Opcode::ALL.len() + 1;

    /// Number of a kind, counted from 0.
    #[inline]
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Decode(opcode) => opcode.index(),
            Self::Launch => Opcode::ALL.len(),
        }
    }
}

impl Observed<'_> {
    /// Its kind.
    #[inline]
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Decode(decode) => Source::Decode(decode.opcode),
            Self::Launch(_) => Source::Launch,
        }
    }
}

/// A decode, with the state of the cell in the cycle of the decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decode {
    /// The instruction.
    pub(crate) opcode: Opcode,
    /// Its words; what follows the last one is not part of it.
    pub(crate) words: [u32; Opcode::MOST_WORDS],
    /// Number of its words.
    pub(crate) len: usize,
    /// Immediate flag of its first word.
    pub(crate) immediate: bool,
    /// Operand width of the cell's DPU.
    pub(crate) width: BwConfig,
    /// Bit k: loop slot k of the cell is active.
    pub(crate) active_loops: u8,
}

impl Decode {
    /// Raw value of a field in a word that the instruction always has.
    #[inline]
    pub(crate) fn get(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// As [`Self::get`], as an index.
    #[inline]
    pub(crate) fn index(&self, field: InstructionField) -> usize {
        self.get(field) as usize
    }

    /// Number of active loops in other slots than this one.
    pub(crate) fn other_loops(&self, slot: u64) -> usize {
        (self.active_loops & !(1 << slot)).count_ones() as usize
    }
}

/// A configuration that reaches an AGU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    /// The AGU.
    pub(crate) agu: AguId,
    /// The configuration.
    pub(crate) config: AguCfg,
    /// The AGU still works on the one before.
    pub(crate) busy: bool,
}

named! {
    /// Events that have a bin.
    Event {
        AguFromShadow "an AGU is launched from its shadow register",
        RefiReplaced "a REFI replaces one that waits in a shadow register",
        DpuFromShadow "the DPU is launched from its shadow register",
        DpuReplaced "a DPU instruction replaces one that waits",
        SameWord "w0 and w1 write the same word",
        BlockOverWord "a block is written over a word that w0 or w1 writes",
        ReadOfWritten "a word is read in the cycle in which it is written",
        BothRowsRead "both rows of a column read a block",
        BothRowsSend "both rows of a column issue a message",
        SeveralRoutes "two or more ROUTEs reach a tile in one cycle",
        Lost "a configuration is lost because its SRAM generator is busy",
        ReadAndWrite "a tile reads and writes different rows in one cycle",
        PassThrough "a tile reads the row that it writes",
        InitAgainstPattern "the initialisation port writes a tile that a pattern writes, too",
        LongProgram "a program has 63 words or more",
        FourLoops "a loop is configured while three others are active",
        WidthChange "the width of the lanes changes while the DPU works",
    }
}
