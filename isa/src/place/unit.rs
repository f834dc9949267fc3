// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units: the owners of registers.

use std::{fmt, str::FromStr};

use super::{CellId, ColumnId, TileId, decimal};
use crate::{Geometry, names::identities};

identities! {
    array
    /// Kinds of units, in the order of the state tables.
    #[derive(Default)]
    UnitKind {
        /// Cells.
        #[default]
        Cell = "cell",
        /// Columns.
        Column = "column",
        /// Scratchpad tiles.
        Tile = "tile",
        /// The fabric as a whole.
        Fabric = "fabric",
    }
}

/// An owner of registers. Units are ordered as in the state tables: cells, columns, tiles, fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// A cell.
    Cell(CellId),
    /// A column: the resources shared by two cells, their home tile and the I/O unit.
    Column(ColumnId),
    /// A scratchpad tile.
    Tile(TileId),
    /// The fabric itself: the load pipeline.
    Fabric,
}

/// A text that does not name a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a unit: write cell[r][c], col[c], tile[R][c], or nothing for the fabric")]
pub struct UnitNameError {
    text: String,
}

impl UnitNameError {
    /// The error for a text that does not name a unit.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }
}

impl UnitKind {
    /// Number of units of this kind.
    pub fn count(self, geometry: &Geometry) -> usize {
        match self {
            Self::Cell => geometry.cells(),
            Self::Column => geometry.columns,
            Self::Tile => geometry.tiles(),
            Self::Fabric => 1,
        }
    }
}

impl Unit {
    /// All units in table order: cells row-major, columns, tiles row-major, fabric.
    pub fn all(geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        let geometry = *geometry;
        UnitKind::ALL.into_iter().flat_map(move |kind| Self::of_kind(kind, &geometry))
    }

    /// All units of one kind.
    pub fn of_kind(kind: UnitKind, geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        let geometry = *geometry;
        (0..kind.count(&geometry)).filter_map(move |i| Self::from_index(kind, i, &geometry))
    }

    /// The unit of a kind with this index among the units of its kind.
    pub fn from_index(kind: UnitKind, index: usize, geometry: &Geometry) -> Option<Self> {
        match kind {
            UnitKind::Cell => CellId::from_index(index, geometry).map(Self::Cell),
            UnitKind::Column => ColumnId::from_index(index, geometry).map(Self::Column),
            UnitKind::Tile => TileId::from_index(index, geometry).map(Self::Tile),
            UnitKind::Fabric => (index == 0).then_some(Self::Fabric),
        }
    }

    /// Kind of unit.
    pub fn kind(self) -> UnitKind {
        match self {
            Self::Cell(_) => UnitKind::Cell,
            Self::Column(_) => UnitKind::Column,
            Self::Tile(_) => UnitKind::Tile,
            Self::Fabric => UnitKind::Fabric,
        }
    }

    /// Index among the units of its kind.
    pub fn index(self, geometry: &Geometry) -> usize {
        match self {
            Self::Cell(cell) => cell.index(geometry),
            Self::Column(column) => column.index(geometry),
            Self::Tile(tile) => tile.index(geometry),
            Self::Fabric => 0,
        }
    }

    /// Index among all units, in table order.
    pub fn position(self, geometry: &Geometry) -> usize {
        let before = UnitKind::ALL.into_iter().take_while(|k| *k != self.kind());
        before.map(|k| k.count(geometry)).sum::<usize>() + self.index(geometry)
    }

    /// True if a fabric has this unit.
    pub fn is_in(self, geometry: &Geometry) -> bool {
        match self {
            Self::Cell(cell) => cell.is_in(geometry),
            Self::Column(column) => column.is_in(geometry),
            Self::Tile(tile) => tile.is_in(geometry),
            Self::Fabric => true,
        }
    }
}

impl From<CellId> for Unit {
    fn from(cell: CellId) -> Self {
        Self::Cell(cell)
    }
}

impl From<ColumnId> for Unit {
    fn from(column: ColumnId) -> Self {
        Self::Column(column)
    }
}

impl From<TileId> for Unit {
    fn from(tile: TileId) -> Self {
        Self::Tile(tile)
    }
}

/// Prefix of the canonical paths of the unit's registers: `cell[r][c]`, `col[c]`, `tile[R][c]`, or nothing.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell(cell) => cell.fmt(f),
            Self::Column(column) => column.fmt(f),
            Self::Tile(tile) => tile.fmt(f),
            Self::Fabric => Ok(()),
        }
    }
}

impl FromStr for Unit {
    type Err = UnitNameError;

    fn from_str(text: &str) -> Result<Self, UnitNameError> {
        let find = || {
            if text.is_empty() {
                return Some(Self::Fabric);
            }
            let (name, rest) = text.split_once('[')?;
            let numbers: Vec<usize> =
                rest.strip_suffix(']')?.split("][").map(decimal).collect::<Option<_>>()?;
            match (name, numbers.as_slice()) {
                ("cell", &[row, col]) => CellId::new(row, col).map(Self::Cell),
                ("col", &[col]) => ColumnId::new(col).map(Self::Column),
                ("tile", &[row, col]) => TileId::new(row, col).map(Self::Tile),
                _ => None,
            }
        };
        find().ok_or_else(|| UnitNameError::new(text))
    }
}
