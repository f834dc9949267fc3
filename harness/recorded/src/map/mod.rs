// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signal maps: which signals of a dump show which registers of the golden model. A map is read
//! ([`MapFile::parse`]) and then bound to the names of a dump ([`SignalMap::resolve`]).

mod at;
mod bind;
mod bindings;
mod constant;
mod entry;
mod expression;
mod file;
mod finder;
mod layout;
mod loose;
mod pattern;
mod ports;
mod problem;
mod resolve;
mod signal_map;
mod template;
mod term;
mod unique;

pub use expression::{Expression, ExpressionError, Piece, SignalValues};
pub use file::{
    ClockEdge, ClockEntry, CompareFrom, CycleZeroEntry, FabricSize, GoldenEntry, Level, MapFile,
    Prefix, RegisterEntry, ResetEntry, Table, VERSION, schema,
};
pub use pattern::PatternError;
pub use ports::{InputPort, MappedPorts};
pub use problem::{Fault, MapError, MapProblem};
pub use signal_map::{
    Amounts, CycleZero, EntryUse, Excluded, GoldenTest, Lacking, MappedMemory, MappedRegister,
    RegisterMap, Reset, SignalMap,
};
pub use template::TemplateError;
pub use term::{
    BitTerm, EnumTerm, IfTerm, Initial, MemoryTerm, NarrowTerm, Number, SliceTerm, Term,
    TranslateTerm,
};
