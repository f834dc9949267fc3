// SPDX-License-Identifier: MIT OR Apache-2.0
//! The SiLago 1 instruction set (chapter 1 of the specification): description files, encoder and decoder, assembly
//! language, disassembler, and the text formats of program and memory images. The description of the fabric is here as
//! well.
//!
//! The crate works on text and numbers only: it opens no files, prints nothing and simulates nothing.
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
mod describe;
mod description;
mod disasm;
mod doc;
pub mod fabric;
mod field;
mod geometry;
mod image;
mod import;
mod instruction_set;
pub mod instructions;
mod interconnect;
mod json;
mod layout_difference;
mod meaning;
mod modes;
mod names;
mod opcode;
mod place;
pub mod ports;
mod revision;
mod rust;
mod stored;
mod sv;
mod tables;
mod test_bench;

pub use asm::{AsmError, Assembler, Assembly, Mode, SourceLine, Warning};
pub use codec::{Decoded, decode, encode};
pub use describe::{DescribeError, Described, Loaded, describe};
pub use description::{Checked, Field, Finding, Instruction, Isa, ModeEntry, load};
pub use disasm::{Listed, disassemble, instruction_fields, instruction_text};
pub use doc::markdown;
pub use field::{BitField, InstructionField};
pub use geometry::{Geometry, SizeError};
pub use image::{
    BlockWords, Blocks, ImageError, MemoryImage, ProgramImage, Word, line_span, read_memory,
    read_program,
};
pub use import::{Choice, Form, Import, Importer, read_sync_json, read_sync_text};
pub use instruction_set::InstructionSet;
pub use instructions::Opcode;
pub use interconnect::{CellInput, Lane};
pub use layout_difference::{ForeignLayout, published_layout};
pub use modes::{ModeInfo, Operand, Operands, Saturation};
pub use opcode::PlacedField;
pub use place::{CellId, ColumnId, PlaceError, TileId, Unit, UnitKind};
pub use revision::Revision;
pub use rust::rust;
pub use stored::{SizeNumbers, UnknownName};
pub use sv::systemverilog;
pub use test_bench::read_test_bench;
