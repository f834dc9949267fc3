// SPDX-License-Identifier: MIT OR Apache-2.0
//! The SiLago 1 instruction set (chapter 1 of the specification): description files, encoder and decoder, assembly
//! language, disassembler, and the text formats of program and memory images. Programs name cells and tiles, so sizes
//! and places of a fabric are here as well.
//!
//! The crate works on text and numbers only: it opens no files, prints nothing and simulates nothing. It knows no
//! registers; `drra-fabric` describes them.
//!
//! ```
//! use drra_isa::{Assembler, CellId, Revision, disassemble};
//!
//! let program = Assembler::default().assemble("WAIT cycle=3\nHALT").unwrap();
//! let words = program.image.cell(CellId::FIRST).unwrap();
//! assert_eq!(words[0].bits, 0b0111_0_000000000000011_0000000);
//!
//! let lines = disassemble(Revision::R4.isa(), words, false);
//! assert_eq!(lines[0].text, "WAIT (cycle_sd=s, cycle=3)");
//! ```

#![warn(missing_docs)]

mod asm;
mod codec;
mod description;
mod disasm;
mod field;
mod image;
mod import;
mod instruction_set;
pub mod instructions;
mod json;
mod layout_difference;
mod meaning;
mod modes;
mod names;
mod opcode;
mod place;
mod revision;
mod similar;
mod stored;
mod tables;
mod test_bench;

pub use asm::{AsmError, Assembler, Assembly, RawValue, SourceLine, TextKind, Warning};
pub use codec::{DecodedInstruction, decode, encode};
pub use description::{Field, Finding, Instruction, Isa, LoadResult, ModeEntry, load};
pub use disasm::{ListingLine, disassemble, instruction_fields, instruction_text};
pub use drra_geometry::{Geometry, SizeError};
pub use field::{BitField, InstructionField};
pub use image::{
    BlockWords, Blocks, ImageError, MemoryImage, ProgramImage, Word, read_memory, read_program,
};
pub use import::{
    ImportedProgram, Importer, RevisionChoice, TextFormat, read_sync_json, read_sync_text,
};
pub use instruction_set::InstructionSet;
pub use instructions::Opcode;
pub use layout_difference::{ForeignLayout, published_layout};
pub use modes::{ModeInfo, Operand, OperandSet, Saturation};
pub use opcode::PlacedField;
pub use place::{CellId, ColumnId, TileId, Unit, UnitKind, UnitNameError, decimal};
pub use revision::Revision;
pub use similar::similar;
pub use stored::{SizeNumbers, SizeText, UnknownName, text_schema};
pub use test_bench::read_test_bench;
