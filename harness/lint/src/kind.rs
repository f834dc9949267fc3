// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kinds of findings: their names, their sections in the chapters, and what to do about them.

use std::fmt;

use drra_isa::by_name;

/// The level of a kind. Its name precedes a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Shown by default; denied by `all`.
    Warning,
    /// Shown by default, because it can be intended; denied only by its name.
    Note,
    /// Shown only on request, because many right programs have it; denied only by its name.
    Hint,
}

impl Level {
    /// Name of the level.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Hint => "hint",
        }
    }
}

/// Defines the kinds: name, level, `chapter, section`, and what to do.
macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident $name:literal $level:ident $section:literal $help:literal,)+) => {
        /// A kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($(#[$doc])+ $kind,)+ }

        impl Kind {
            /// All kinds, in the order in which findings are listed.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Name of the kind.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// The kind with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// Its level.
            pub const fn level(self) -> Level {
                match self { $(Self::$kind => Level::$level,)+ }
            }

            /// The chapter and section that define what happens.
            pub const fn section(self) -> &'static str {
                match self { $(Self::$kind => $section,)+ }
            }

            /// What to do about a finding.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$kind => $help,)+ }
            }
        }
    };
}

kinds! {
    /// A configuration or message that does not start, because its unit is busy.
    Lost "lost" Warning "chapter 3, 6.5"
        "start it later; harness/guide/timing.md says when the unit is free again",
    /// A message or a block arrives in a tile in which no path was set for it.
    NoPath "no-path" Warning "chapter 6, section 12"
        "set a path first, as long as the hops and in the direction of the data",
    /// A path is replaced or closed while blocks are on it.
    RouteTears "route-tears" Warning "chapter 6, 10.5"
        "wait until the last block of the earlier path has passed",
    /// An operand arrives, and another operand of the same operation does not.
    OperandMissing "operand-missing" Warning "chapter 3, 4.3, and chapter 4, section 7"
        "let all operands arrive in the same cycle",
    /// An operation uses an input that is not connected.
    OperandUnconnected "operand-unconnected" Warning "chapter 5, section 3"
        "connect the input with a SWB",
    /// A word arrives at an input of a DPU that works, and its mode does not use the input.
    OperandUnused "operand-unused" Warning "chapter 4, section 7"
        "use a mode with this operand, or connect another input",
    /// An operand arrives in the cycle in which `acc_clear` clears the accumulator.
    OperandDropped "operand-dropped" Warning "chapter 4, 5.5"
        "start the DPU with the first operand, and leave one cycle between two groups",
    /// A write port stores a word, and no word arrives.
    StoreNothing "store-nothing" Warning "chapter 3, section 4"
        "store in the cycle in which a word arrives, and let its operands arrive",
    /// A write port stores, and its input is not connected.
    StoreUnconnected "store-unconnected" Warning "chapter 5, section 3"
        "connect the input with a SWB",
    /// A write port stores a sum to which operands are still added.
    StorePartial "store-partial" Warning "chapter 4, 5.5"
        "store one cycle after the last operand",
    /// A block is stored, and none arrives.
    BlockMissing "block-missing" Warning "chapter 6, 7.3"
        "store in the cycle in which the block arrives",
    /// A block arrives, and nothing stores it.
    BlockUnstored "block-unstored" Warning "chapter 6, 7.3"
        "store as many blocks as are read, in the cycle in which each arrives",
    /// A word of a register file is used that nothing wrote.
    ReadUnwritten "read-unwritten" Warning "chapter 3, section 4"
        "initialise the word, store it earlier, or check the start, step and count of the pattern",
    /// A row of a tile is read that nothing wrote.
    RowUnwritten "row-unwritten" Warning "chapter 6, section 5"
        "initialise the row, store it earlier, or check the start, step and count of the pattern",
    /// A read port reads a whole pattern, and nothing uses any word of it.
    PatternUntaken "pattern-untaken" Warning "chapter 5, 3.2"
        "connect an input and use it in these cycles, or remove the REFI",
    /// Two writers store the same word in the same cycle.
    TwoWriters "two-writers" Warning "chapter 3, 4.2"
        "let only one of them store the word",
    /// A loop is still active when its program ends.
    LoopActive "loop-active" Warning "chapter 2, section 9"
        "let the program reach endpc as often as the loop iterates",
    /// A switchbox input is connected to a source outside the fabric.
    SourceOutside "source-outside" Warning "chapter 5, 3.3"
        "give a source inside the fabric",
    /// A switchbox input is connected to a cell without a program.
    SourceIdle "source-idle" Warning "chapter 3, 4.3, and chapter 4, section 6"
        "give a source that has a program",
    /// A switchbox input is connected again before anything could use the first connection.
    InputTwice "input-twice" Warning "chapter 5, 2.3"
        "remove one of the two, or connect another input",
    /// A target in a program is not the start of an instruction of the program.
    Target "target" Warning "chapter 2, 5.3 and section 13"
        "give the address of an instruction, by a label",
    /// The slots of nested loops are in the wrong order, or the loops overlap.
    LoopOrder "loop-order" Warning "chapter 2, section 9"
        "give inner loops higher slots, and end them inside the outer ones",
    /// A field or value that the chapters call without effect.
    NoEffect "no-effect" Warning "chapter 1, section 3"
        "give a value with an effect, or remove the field",
    /// A deferred instruction is replaced before a flag releases it.
    Replaced "replaced" Warning "chapter 2, section 7"
        "release the first one before the second one is decoded",
    /// A deferred instruction is never released.
    NeverReleased "never-released" Warning "chapter 2, section 7"
        "let an instruction with flag 1 follow",
    /// A register of the RACCU is read that nothing set.
    RaccuUnset "raccu-unset" Warning "chapter 2, section 8"
        "set the register with a RACCU or a LOOP first; slot k of a LOOP is R(15-k)",
    /// A RACCU writes the register of a loop slot that is not active.
    RaccuInactive "raccu-inactive" Warning "chapter 2, section 8"
        "use one of R0 to R11; the value in R12 to R15 lasts one cycle",
    /// A value that the text gives for a signed field and that stands for another one.
    SignedRaw "signed-raw" Warning "chapter 1, 4.2"
        "write the signed value",
    /// A mode that works on 16 bits while BW asks for narrower lanes.
    WidthIgnored "width-ignored" Warning "chapter 4, 4.3"
        "use a mode that works on lanes, or BW int16",
    /// A result exceeds 16 bits and wraps, because saturation is off.
    Wraps "wraps" Note "chapter 4, 5.4"
        "use control=sat_int or sat_fx, or scale the operands",
    /// `expon` of a positive value.
    ExponPositive "expon-positive" Note "chapter 4, section 9"
        "subtract the maximum first",
    /// A division by 0.
    DivisionByZero "division-by-zero" Note "chapter 4, section 10"
        "check the divisor",
    /// A field of a DPU that its mode ignores.
    FieldIgnored "field-ignored" Hint "chapter 4, 5.5 and section 6"
        "remove the field",
    /// A RACCU counts in a register that nothing sets before.
    CounterUnset "counter-unset" Hint "chapter 2, section 8"
        "set the register with a RACCU first, if it must not start at 0",
    /// A program ends without HALT.
    HaltMissing "halt-missing" Hint "chapter 2, 5.3"
        "end the program with HALT",
    /// A pattern passes the end of its memory.
    AddressWraps "address-wraps" Hint "chapter 3, 6.6"
        "check init_addr, the steps and the counts",
    /// A word is read that nothing takes.
    WordUntaken "word-untaken" Hint "chapter 5, section 3"
        "connect an input, or read fewer words",
}

by_name! {
    Kind "kind of finding",
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// True for kinds about the text of single fields. Compilers fill fields that have no effect, so listings and
    /// schedules are not checked for them.
    pub const fn is_field(self) -> bool {
        matches!(self, Self::NoEffect | Self::SignedRaw | Self::FieldIgnored)
    }
}
