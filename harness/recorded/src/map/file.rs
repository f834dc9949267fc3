// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a signal map says: its statements, with the places of what is read again for each register.

use std::{collections::BTreeMap, ops::Range};

use drra_isa::Geometry;

use super::ports::InputPort;
use crate::samples::Edge;

/// A place in the text, in bytes.
pub type Span = Range<usize>;

/// A signal map as it is written. A number of type `usize` without a name of its own says where an expression or a
/// path begins in the text.
#[derive(Clone, Debug, Default)]
pub struct MapFile {
    /// What it is called in errors.
    pub name: String,
    pub text: String,
    /// What each statement defines (`let cell`, `clock`, `cell[r][c].seq.pc`), and its place with its note.
    pub statements: Vec<(String, Span)>,
    /// The size of the fabric that it is meant for: `columns`, `tile_rows`, `rf_words`, `sram_blocks`.
    pub(super) fabric: Vec<(String, usize, Span)>,
    /// Beginnings of paths with a name; the first alternative that exists counts.
    pub prefixes: BTreeMap<String, Vec<Span>>,
    /// Rows by their index as text.
    pub(super) tables: BTreeMap<String, Vec<(String, Item)>>,
    /// The edge, and the path. A map for a model that is run in lock-step needs none.
    pub clock: Option<(Edge, Span)>,
    /// The level that is active, and the path.
    pub reset: Option<(bool, Span)>,
    /// Cycle 0 ends with the first edge that samples this as 1, this many edges later; without it with the first one
    /// that samples the reset as inactive.
    pub(super) cycle_0: (Option<usize>, u32),
    pub ports: BTreeMap<InputPort, usize>,
    /// Cycles from a word to its immediate flag at cell (r,c).
    pub(super) flag_delay: Option<usize>,
    /// By name, which is at the place.
    pub(super) outputs: BTreeMap<String, (usize, Span)>,
    /// Signals between blocks, as they are written.
    pub(super) signals: Vec<(String, usize, Span)>,
    pub registers: Vec<RegisterEntry>,
}

impl MapFile {
    /// The size of fabric that the map is for, as far as it says so; the rest is that of `usual`, and all of it if there
    /// is no such fabric.
    pub fn size(&self, usual: Geometry) -> Geometry {
        let mut size = usual;
        for (name, number, _) in &self.fabric {
            let named = sizes(&mut size).into_iter().find(|(known, _)| known == name);
            named.into_iter().for_each(|(_, size)| *size = *number);
        }
        if size.check().is_ok() { size } else { usual }
    }
}

/// The sizes of a fabric, by their names in a map.
pub(super) fn sizes(geometry: &mut Geometry) -> [(&'static str, &mut usize); 4] {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = geometry;
    [
        ("columns", columns),
        ("tile_rows", tile_rows),
        ("rf_words", rf_words),
        ("sram_blocks", sram_blocks),
    ]
}

/// The statement of a map that is for fabrics of this size.
pub(crate) fn size_statement(mut geometry: Geometry) -> String {
    let sizes = sizes(&mut geometry).map(|(name, size)| format!("{name}: {size}"));
    format!("fabric {}", sizes.join(", "))
}

/// Registers of one pattern.
#[derive(Clone, Debug)]
pub struct RegisterEntry {
    /// Path of a register in which a letter stands for every index.
    pub register: String,
    /// Where the path is.
    pub(super) span: Span,
    pub(super) kind: Kind,
    pub when: When,
    /// For readers; it is shown with the entry.
    pub note: Option<String>,
}

impl RegisterEntry {
    /// Why its registers are not compared, if it excludes them.
    pub fn excluded(&self) -> Option<&str> {
        match &self.kind {
            Kind::Excluded(reason) => Some(reason),
            Kind::Expression(_) | Kind::Memory(_) => None,
        }
    }
}

/// What an entry says of its registers.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// An expression that begins here shows them.
    Expression(usize),
    /// A memory that the waveform does not show, rebuilt from its write port.
    Memory(usize),
    /// Nothing does; why.
    Excluded(String),
}

/// When a register is compared, but for a condition on signals.
#[derive(Clone, Debug, Default)]
pub struct When {
    /// Cycles that the signal is later than the register; negative if it is earlier.
    pub offset: i32,
    pub from: CompareFrom,
    /// Compared while a register of the golden model has or has not a value.
    pub golden: Option<Golden>,
}

/// From when on a register is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareFrom {
    /// From cycle 0 on.
    #[default]
    Reset,
    /// From the first cycle on in which every cell has all words of the case.
    LoadEnd,
    Cycle(u64),
}

/// A condition on a register of the golden model.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Its path, with the letters of the entry.
    pub register: String,
    pub span: Span,
    /// Whether it must have the value or must not have it.
    pub equals: bool,
    pub value: u64,
}

impl MapFile {
    /// The text of a place.
    pub fn source(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

/// What an index or a row of a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// As written in a path.
    pub(super) text: String,
    /// In arithmetic.
    pub(crate) number: Option<i64>,
}

impl Item {
    pub(super) fn of_row(text: &str) -> Self {
        text.parse::<i64>()
            .map_or_else(|_| Self { text: text.to_owned(), number: None }, Self::from)
    }
}

impl From<i64> for Item {
    fn from(number: i64) -> Self {
        Self { text: number.to_string(), number: Some(number) }
    }
}
