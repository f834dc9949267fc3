// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assembler (chapter 1, section 8).
//!
//! `lexer` makes tokens, `parser` parses statements and expressions, `expr` evaluates expressions, `data` fills the
//! memory image, `values` evaluates the fields of an instruction, and `layout` chooses word counts and encodes.

mod data;
mod expr;
mod layout;
mod lexer;
mod parser;
mod values;

use std::{collections::BTreeSet, ops::Range};

use crate::{
    geometry::Geometry,
    image::{MemoryImage, ProgramImage, line_span},
    instruction_set::InstructionSet,
    place::CellId,
};

/// Kind of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The assembly language of chapter 1, section 8.
    #[default]
    Source,
    /// A listing (7.1): headings are `r_c`, and only the low bits of values too wide for their field are kept (W05).
    Listing,
    /// A program of a stored case, which may fill the instruction memory to test how the hardware handles this.
    Case,
}

impl Mode {
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
    pub mode: Mode,
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
    /// I/O cells, both declared and given.
    pub io_cells: BTreeSet<CellId>,
    /// Instruction set that the text was read with.
    pub isa: InstructionSet,
    /// Warnings in text order.
    pub warnings: Vec<Warning>,
    /// Origin of each instruction or `.WORD`, in row-major order of the cells and ascending order of the addresses.
    pub lines: Vec<SourceLine>,
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
    /// Cycle in which a schedule fetches the instruction, as counted in the schedule.
    pub fetch: Option<u64>,
}

/// A warning `Wxx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// `W01` .. `W10`.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

/// The first error found in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {code} {message}")]
pub struct AsmError {
    /// `A01` .. `A22`, or `SYNC-E1` and `SYNC-E2` for schedules.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// The bytes of the text that the error is about.
    pub span: Range<usize>,
    /// What is wrong, or what was expected.
    pub message: String,
}

impl AsmError {
    /// An error about a whole line; lines are numbered from 1.
    pub(crate) fn of_line(
        code: &'static str,
        text: &str,
        line: usize,
        message: impl Into<String>,
    ) -> Self {
        Self { code, line, span: line_span(text, line), message: message.into() }
    }
}

impl Assembler {
    /// Assembles a text.
    ///
    /// # Errors
    /// The first error found, with its code from chapter 1, 8.6, its line and its bytes.
    pub fn assemble(&self, text: &str) -> Result<Assembly, AsmError> {
        let parsed = parser::parse(self, text)?;
        layout::finish(self, parsed)
    }
}

/// Location in the source: line and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceSpan {
    pub(crate) line: usize,
    pub(crate) span: Range<usize>,
}

impl SourceSpan {
    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> AsmError {
        AsmError { code, line: self.line, span: self.span.clone(), message: message.into() }
    }

    pub(crate) fn fail<T>(
        &self,
        code: &'static str,
        message: impl Into<String>,
    ) -> Result<T, AsmError> {
        Err(self.error(code, message))
    }

    pub(crate) fn to(&self, end: &SourceSpan) -> SourceSpan {
        SourceSpan { line: self.line, span: self.span.start..end.span.end.max(self.span.end) }
    }
}
