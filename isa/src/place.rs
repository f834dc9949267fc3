// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in a fabric: cells, columns, tiles, and the units that own registers.
//!
//! A place lies within the largest fabric of chapter 0, section 4. The [`Geometry`] of a
//! particular fabric shows whether it exists there.

mod unit;

use std::fmt;

use crate::Geometry;

pub use unit::{Unit, UnitKind, UnitNameError};

/// A cell (r,c), by default cell (0,0). Cells are ordered row-major.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId {
    row: u8,
    col: u8,
}

/// A column c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId {
    col: u8,
}

/// A scratchpad tile (R,c); R counts from 1, as in the chapters. Tiles are ordered row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId {
    row: u8,
    col: u8,
}

impl CellId {
    /// Cell (0,0), to which a text applies until it names another one.
    pub const FIRST: Self = Self { row: 0, col: 0 };

    /// Cell (row,col): row 0 or 1, column 0 to 31.
    #[inline]
    pub fn new(row: usize, col: usize) -> Option<Self> {
        let row = (row < Geometry::ROWS).then(|| u8::try_from(row).ok()).flatten()?;
        Some(Self { row, col: column(col)? })
    }

    /// The cell with index r*columns+c.
    #[inline]
    pub fn from_index(index: usize, geometry: &Geometry) -> Option<Self> {
        Self::new(index / geometry.columns, index % geometry.columns)
    }

    /// Index r*columns+c.
    pub fn index(self, geometry: &Geometry) -> usize {
        self.row() * geometry.columns + self.col()
    }

    /// Row, 0 or 1.
    pub fn row(self) -> usize {
        usize::from(self.row)
    }

    /// Column.
    pub fn col(self) -> usize {
        usize::from(self.col)
    }

    /// The column that the cell belongs to.
    pub fn column(self) -> ColumnId {
        ColumnId { col: self.col }
    }

    /// True if a fabric has this cell.
    pub fn is_in(self, geometry: &Geometry) -> bool {
        self.col() < geometry.columns
    }

    /// All cells of a fabric, row-major.
    pub fn all(geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        let geometry = *geometry;
        (0..geometry.cells()).filter_map(move |i| Self::from_index(i, &geometry))
    }
}

impl ColumnId {
    /// Column 0 to 31.
    #[inline]
    pub fn new(col: usize) -> Option<Self> {
        Some(Self { col: column(col)? })
    }

    /// The column with this index, which is its number.
    #[inline]
    pub fn from_index(index: usize, geometry: &Geometry) -> Option<Self> {
        Self::new(index).filter(|c| c.is_in(geometry))
    }

    /// Index of the column, which is its number.
    pub fn index(self, _geometry: &Geometry) -> usize {
        self.col()
    }

    /// Number of the column.
    pub fn col(self) -> usize {
        usize::from(self.col)
    }

    /// The cells of the column, row 0 first.
    pub fn cells(self) -> [CellId; Geometry::ROWS] {
        [0, 1].map(|row| CellId { row, col: self.col })
    }

    /// The tile of row 1 on top of the column.
    pub fn home_tile(self) -> TileId {
        TileId { row: 1, col: self.col }
    }

    /// True if a fabric has this column.
    pub fn is_in(self, geometry: &Geometry) -> bool {
        self.col() < geometry.columns
    }

    /// All columns of a fabric.
    pub fn all(geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        (0..geometry.columns).filter_map(Self::new)
    }
}

impl TileId {
    /// Tile (row,col) with row 1 to 7, column 0 to 31.
    #[inline]
    pub fn new(row: usize, col: usize) -> Option<Self> {
        let limits = 1..=Geometry::MAX_TILE_ROWS;
        let row = limits.contains(&row).then(|| u8::try_from(row).ok()).flatten()?;
        Some(Self { row, col: column(col)? })
    }

    /// Tile of row `row`, counted from 0 as in the assembly language and in images.
    pub fn from_image_row(row: usize, col: usize) -> Option<Self> {
        Self::new(row.checked_add(1)?, col)
    }

    /// The tile with index (R-1)*columns+c.
    #[inline]
    pub fn from_index(index: usize, geometry: &Geometry) -> Option<Self> {
        let tile = Self::from_image_row(index / geometry.columns, index % geometry.columns)?;
        tile.is_in(geometry).then_some(tile)
    }

    /// Index (R-1)*columns+c.
    pub fn index(self, geometry: &Geometry) -> usize {
        self.image_row() * geometry.columns + self.col()
    }

    /// Row, counted from 1.
    pub fn row(self) -> usize {
        usize::from(self.row)
    }

    /// Row, counted from 0 as in the assembly language and in images.
    pub fn image_row(self) -> usize {
        self.row() - 1
    }

    /// Column.
    pub fn col(self) -> usize {
        usize::from(self.col)
    }

    /// The column below.
    pub fn column(self) -> ColumnId {
        ColumnId { col: self.col }
    }

    /// True if a fabric has this tile.
    pub fn is_in(self, geometry: &Geometry) -> bool {
        self.row() <= geometry.tile_rows && self.col() < geometry.columns
    }

    /// All tiles of a fabric, row-major.
    pub fn all(geometry: &Geometry) -> impl Iterator<Item = Self> + use<> {
        let geometry = *geometry;
        (0..geometry.tiles()).filter_map(move |i| Self::from_index(i, &geometry))
    }
}

/// `cell[r][c]`
impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell[{}][{}]", self.row, self.col)
    }
}

/// `col[c]`
impl fmt::Display for ColumnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "col[{}]", self.col)
    }
}

/// `tile[R][c]`
impl fmt::Display for TileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile[{}][{}]", self.row, self.col)
    }
}

/// A column number, if it is below the limit of chapter 0.
fn column(col: usize) -> Option<u8> {
    (col < Geometry::MAX_COLUMNS).then(|| u8::try_from(col).ok()).flatten()
}

/// A decimal number without a sign or leading zeros.
pub fn decimal(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}
