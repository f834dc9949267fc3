// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contents of a signal map: its statements, with the positions of the parts that are parsed again for each
//! register.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use drra_fabric::{PortId, ports::InputPort};
use drra_isa::Geometry;

use crate::samples::Edge;

/// A range of the text, in bytes.
pub type Span = Range<usize>;

/// A signal map as written. Except for the sizes in `fabric`, a `usize` is the position in the text where an expression
/// begins.
#[derive(Clone, Debug, Default)]
pub struct MapFile {
    /// Name of the map in errors.
    pub name: String,
    pub text: String,
    /// For each statement, the name of what it defines (`let cell`, `clock`, `cell[r][c].seq.pc`), and the span of the
    /// statement.
    pub statements: Vec<(String, Span)>,
    /// The fabric size that the map is meant for: `columns`, `tile_rows`, `rf_words`, `sram_blocks`.
    pub(super) fabric: Vec<(String, usize, Span)>,
    /// Named path prefixes; the first alternative that exists is used.
    pub prefixes: BTreeMap<String, Vec<Span>>,
    /// The rows of each table, each with its index as text.
    pub(super) tables: BTreeMap<String, Vec<(String, IndexValue)>>,
    /// The edge and the path. A map for a model that runs in lock-step needs no clock.
    pub clock: Option<(Edge, Span)>,
    /// The active level (true for high) and the path.
    pub reset: Option<(bool, Span)>,
    /// Cycle 0 ends this many edges after the first edge that samples this bit as 1, or, without this bit, after the
    /// first edge that samples the reset as inactive.
    pub(super) cycle_0: (Option<usize>, u32),
    pub ports: BTreeMap<InputPort, usize>,
    /// Cycles from a word to its immediate flag at cell (r,c).
    pub(super) flag_delay: Option<usize>,
    pub(super) outputs: BTreeMap<PortId, usize>,
    /// Outputs that the design lacks; a lock-step run does not compare them.
    pub excluded_outputs: BTreeSet<PortId>,
    /// Signals between blocks, as written.
    pub(super) signals: Vec<(String, usize, Span)>,
    pub registers: Vec<RegisterEntry>,
}

impl MapFile {
    /// The fabric size that the map is for. Dimensions that the map does not specify are taken from `usual`; if there
    /// is no such fabric, all dimensions are taken from `usual`.
    pub fn size(&self, usual: Geometry) -> Geometry {
        let mut size = usual;
        for (name, number, _) in &self.fabric {
            let named = sizes(&mut size).into_iter().find(|(known, _)| known == name);
            named.into_iter().for_each(|(_, size)| *size = *number);
        }
        if size.check().is_ok() { size } else { usual }
    }
}

/// The dimensions of a fabric, by their names in a map.
pub(super) fn sizes(geometry: &mut Geometry) -> [(&'static str, &mut usize); 4] {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = geometry;
    [
        ("columns", columns),
        ("tile_rows", tile_rows),
        ("rf_words", rf_words),
        ("sram_blocks", sram_blocks),
    ]
}

/// The statement of a map for fabrics of this size.
pub(crate) fn size_statement(mut geometry: Geometry) -> String {
    let sizes = sizes(&mut geometry).map(|(name, size)| format!("{name}: {size}"));
    format!("fabric {}", sizes.join(", "))
}

/// The registers that match one pattern.
#[derive(Clone, Debug)]
pub struct RegisterEntry {
    /// Register path, in which letters stand for indices.
    pub register: String,
    /// The position of the path.
    pub(super) span: Span,
    pub(super) kind: EntryKind,
    pub when: ComparisonWindow,
    /// A comment for readers, shown with the entry.
    pub note: Option<String>,
}

/// The contents of an entry.
#[derive(Clone, Debug)]
pub(super) enum EntryKind {
    /// The registers are shown by the expression that begins here.
    Expression(usize),
    /// A memory that the waveform does not show, reconstructed from its write port.
    Memory(usize),
    /// Excluded, with the reason.
    Excluded(String),
}

/// The cycles in which a register is compared, apart from conditions on signals.
#[derive(Clone, Debug, Default)]
pub struct ComparisonWindow {
    /// Cycles by which the signal lags behind the register; negative if it is ahead.
    pub offset: i32,
    pub from: CompareFrom,
    /// Compared while a register of the golden model has, or does not have, a given value.
    pub golden: Option<GoldenCondition>,
}

/// The beginning of the comparison of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareFrom {
    /// From cycle 0 on.
    #[default]
    Reset,
    /// From the cycle `Stimulus::load_end` on, in which every cell has all words of the case.
    LoadEnd,
    /// From this cycle on.
    Cycle(u64),
}

/// A condition on a register of the golden model, as written in an entry.
#[derive(Clone, Debug)]
pub struct GoldenCondition {
    /// Path of the register, with the letters of the entry.
    pub register: String,
    pub span: Span,
    /// True if the register must have the value, false if it must not have the value.
    pub equals: bool,
    pub value: u64,
}

impl MapFile {
    /// The text of a span.
    pub fn source(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

/// The value of an index or of a table row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexValue {
    /// As written in a path.
    pub(super) text: String,
    /// As a number in arithmetic.
    pub(crate) number: Option<i64>,
}

impl IndexValue {
    pub(super) fn of_row(text: &str) -> Self {
        text.parse::<i64>()
            .map_or_else(|_| Self { text: text.to_owned(), number: None }, Self::from)
    }
}

impl From<i64> for IndexValue {
    fn from(number: i64) -> Self {
        Self { text: number.to_string(), number: Some(number) }
    }
}
