// SPDX-License-Identifier: MIT OR Apache-2.0
//! The SiLago 1 instruction set (chapter 1 of the specification): description files, encoder and
//! decoder, assembly language, disassembler, and the text formats of program and memory images.
//!
//! The crate works on text and numbers only: it opens no files, prints nothing and knows nothing
//! of simulation.
//!
//! ```
//! use drra_isa::{Assembler, Revision};
//!
//! let program = Assembler::default().assemble("WAIT cycle=3\nHALT").unwrap();
//! let words = &program.image.cell(0, 0).unwrap();
//! assert_eq!(words[0].bits, 0b0111_0_000000000000011_0000000);
//! assert_eq!(Revision::R4.isa().instructions.len(), 14);
//! ```

mod asm;
mod codec;
mod contradiction;
mod describe;
mod description;
mod disasm;
mod doc;
pub mod fabric;
mod field;
mod geometry;
mod geometry_text;
mod image;
mod import;
mod instruction_set;
pub mod instructions;
mod json;
mod json_text;
mod lanes;
mod layout_difference;
mod meaning;
mod modes;
mod opcode;
mod place;
pub mod ports;
mod recipe;
mod revision;
mod rust;
mod sv;
mod sync;
mod tables;
mod test_bench;
mod wanted;

pub use asm::AsmError;
pub use asm::Assembler;
pub use asm::Assembly;
pub use asm::Mode;
pub use asm::SourceLine;
pub use asm::Warning;
pub use codec::Decoded;
pub use codec::decode;
pub use codec::encode;
pub use describe::DescribeError;
pub use describe::Described;
pub use describe::Loaded;
pub use describe::describe;
pub use description::Checked;
pub use description::Field;
pub use description::Finding;
pub use description::Instruction;
pub use description::Isa;
pub use description::ModeEntry;
pub use description::load;
pub use disasm::Listed;
pub use disasm::disassemble;
pub use disasm::instruction_text;
pub use disasm::listing_line;
pub use doc::markdown;
pub use field::BitField;
pub use field::InstructionField;
pub use field::InstructionWord;
pub use geometry::Geometry;
pub use geometry::SizeError;
pub use image::BlockWords;
pub use image::ImageError;
pub use image::MemoryImage;
pub use image::ProgramImage;
pub use image::Word;
pub use image::line_span;
pub use image::read_memory;
pub use image::read_program;
pub use import::Choice;
pub use import::Form;
pub use import::Import;
pub use import::Importer;
pub use instruction_set::InstructionSet;
pub use instructions::Opcode;
pub use lanes::CellInput;
pub use lanes::Lane;
pub use layout_difference::ForeignLayout;
pub use layout_difference::LayoutDifference;
pub use layout_difference::published_layout;
pub use modes::ModeInfo;
pub use modes::Operand;
pub use modes::Operands;
pub use modes::Saturation;
pub use opcode::PlacedField;
pub use place::CellId;
pub use place::ColumnId;
pub use place::PlaceError;
pub use place::TileId;
pub use place::Unit;
pub use place::UnitKind;
pub use recipe::Recipe;
pub use recipe::RecipeCell;
pub use recipe::Step;
pub use recipe::Steps;
pub use revision::Revision;
pub use rust::rust;
pub use sv::systemverilog;
pub use sync::SyncError;
pub use sync::read_sync_json;
pub use sync::read_sync_text;
pub use test_bench::read_test_bench;
pub use wanted::Wanted;
