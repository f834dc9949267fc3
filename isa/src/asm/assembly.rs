// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings and result of the assembler.

use std::collections::{BTreeMap, BTreeSet};

use super::error::Warning;
use crate::{
    Geometry,
    image::{MemoryImage, ProgramImage},
    instruction_set::InstructionSet,
    place::CellId,
};

/// The kind of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextKind {
    /// The assembly language of chapter 1, section 8.
    #[default]
    Source,
    /// A listing (7.1): headings are `r_c`, and only the low bits of values too wide for their field are kept (W05).
    Listing,
    /// A program of a stored case, which may fill the instruction memory to test how the hardware handles this.
    Case,
}

impl TextKind {
    /// Maximum number of words of a cell.
    pub(crate) fn most_words(self) -> usize {
        if self == Self::Case { Geometry::IMEM_DEPTH } else { Geometry::PROGRAM_WORDS }
    }
}

/// Settings of the assembler.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    /// Instruction set of the text. An `.ISA` line replaces a published revision with another one; a given description
    /// is kept, and `.ISA` can only name it.
    pub isa: InstructionSet,
    /// Fabric that the program is written for.
    pub geometry: Geometry,
    /// Kind of text.
    pub kind: TextKind,
    /// Cells that are I/O cells, in addition to those declared with `.IOCELL`.
    pub io_cells: BTreeSet<CellId>,
}

/// An assembled program.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Instruction words.
    pub image: ProgramImage,
    /// Memory contents of the data section.
    pub memory: MemoryImage,
    /// The I/O cells that the text declares and those of the settings.
    pub io_cells: BTreeSet<CellId>,
    /// Instruction set that the text was read with.
    pub isa: InstructionSet,
    /// Words of register files that the data section gives; other words of their rows are 0.
    pub given: BTreeSet<(CellId, usize)>,
    /// Warnings in text order.
    pub warnings: Vec<Warning>,
    /// Origin of each instruction or `.WORD`, in row-major order of the cells and ascending order of the addresses.
    pub lines: Vec<SourceLine>,
    /// Values of signed fields that the text gives as raw patterns, in the order of `lines`; empty for a listing.
    pub raw_values: Vec<RawValue>,
    /// The address of each label of a cell: that of the first word of the next instruction.
    pub labels: BTreeMap<(CellId, String), usize>,
}

/// Origin of an instruction or raw word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The cell that executes the instruction.
    pub cell: CellId,
    /// Address of the first word.
    pub address: usize,
    /// Line in the source, counted from 1.
    pub line: usize,
    /// The labels in front of it in alphabetical order, separated by commas; empty without a label.
    pub label: String,
    /// Cycle in which a schedule fetches the instruction, as counted in the schedule.
    pub fetch: Option<u64>,
}

/// A positive value written for a signed field whose sign bit it sets: the raw pattern of a negative value (4.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawValue {
    /// The cell that executes the instruction.
    pub cell: CellId,
    /// Address of the first word of the instruction.
    pub address: usize,
    /// Name of the field.
    pub field: String,
    /// The value as written.
    pub written: i64,
    /// The value that the field then has.
    pub meaning: i64,
}
