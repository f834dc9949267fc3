// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signal maps define which signals of a waveform show which registers of the golden model. A map is parsed
//! ([`MapFile::parse`]) and then bound to the names of a waveform ([`SignalMap::resolve`]).

mod bound;
mod evaluate;
mod expression;
mod file;
mod find;
mod grammar;
mod pattern;
mod problem;
mod reader;

pub use bound::{
    CycleZero, EntryUse, GoldenTest, MappedMemory, MappedPorts, MappedRegister, RegisterMap, Reset,
    SignalMap,
};
pub use evaluate::{Expression, ExpressionError, SignalValues, ValuePiece};
pub(crate) use file::size_statement;
pub use file::{CompareFrom, ComparisonWindow, GoldenCondition, MapFile, RegisterEntry, Span};
pub use grammar::quoted;
pub(crate) use grammar::word;
pub(crate) use pattern::{RegisterPattern, of_unit};
pub use problem::{MapError, MapProblem};
