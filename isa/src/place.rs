// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in a fabric: cells, columns, tiles, and the units that own registers.
//!
//! A place is within the largest fabric of chapter 0, section 4. Whether it is part of a certain
//! fabric is asked with its [`Geometry`].

use std::fmt;
use std::str::FromStr;

use crate::Geometry;

/// A cell (r,c). Cells are ordered row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Kinds of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitKind {
    /// Cells.
    Cell,
    /// Columns.
    Column,
    /// Scratchpad tiles.
    Tile,
    /// What belongs to the fabric as a whole.
    Fabric,
}

/// An owner of registers. Units are ordered as in the state tables: cells, columns, tiles, fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// A cell.
    Cell(CellId),
    /// A column: what two cells, their home tile and the I/O unit share.
    Column(ColumnId),
    /// A scratchpad tile.
    Tile(TileId),
    /// The fabric itself: the load pipeline.
    Fabric,
}

/// Text that names no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no unit: write cell[r][c], col[c], tile[R][c], or nothing for the fabric")]
pub struct PlaceError {
    text: String,
}

/// A column number, if it is below the limit of chapter 0.
fn column(col: usize) -> Option<u8> {
    (col < Geometry::MAX_COLUMNS).then(|| u8::try_from(col).ok()).flatten()
}

impl CellId {
    /// Cell (row,col): row 0 or 1, column 0 to 31.
    pub fn new(row: usize, col: usize) -> Option<Self> {
        let row = (row < Geometry::ROWS).then(|| u8::try_from(row).ok()).flatten()?;
        Some(Self { row, col: column(col)? })
    }

    /// The cell with index r*columns+c.
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
    pub fn new(col: usize) -> Option<Self> {
        Some(Self { col: column(col)? })
    }

    /// The column with this index, which is its number.
    pub fn from_index(index: usize, geometry: &Geometry) -> Option<Self> {
        Self::new(index).filter(|c| c.is_in(geometry))
    }

    /// Index, which is the number of the column.
    pub fn index(self, _geometry: &Geometry) -> usize {
        self.col()
    }

    /// Number of the column.
    pub fn col(self) -> usize {
        usize::from(self.col)
    }

    /// Its cells, row 0 first.
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
    pub fn new(row: usize, col: usize) -> Option<Self> {
        let limits = 1..=Geometry::MAX_TILE_ROWS;
        let row = limits.contains(&row).then(|| u8::try_from(row).ok()).flatten()?;
        Some(Self { row, col: column(col)? })
    }

    /// Tile of row `row` counted from 0, as assembly language and images do.
    pub fn from_image_row(row: usize, col: usize) -> Option<Self> {
        Self::new(row.checked_add(1)?, col)
    }

    /// The tile with index (R-1)*columns+c.
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

    /// Row counted from 0, as assembly language and images do.
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

impl UnitKind {
    /// All kinds in the order of the state tables.
    pub const ALL: [Self; 4] = [Self::Cell, Self::Column, Self::Tile, Self::Fabric];

    /// Name, as in the fabric description.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Column => "column",
            Self::Tile => "tile",
            Self::Fabric => "fabric",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

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

impl fmt::Display for UnitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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

    /// The unit of a kind with this index among its kind.
    pub fn from_index(kind: UnitKind, index: usize, geometry: &Geometry) -> Option<Self> {
        match kind {
            UnitKind::Cell => CellId::from_index(index, geometry).map(Self::Cell),
            UnitKind::Column => ColumnId::from_index(index, geometry).map(Self::Column),
            UnitKind::Tile => TileId::from_index(index, geometry).map(Self::Tile),
            UnitKind::Fabric => (index == 0).then_some(Self::Fabric),
        }
    }

    /// What it is.
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

/// Prefix of the canonical path of its registers: `cell[r][c]`, `col[c]`, `tile[R][c]`, or nothing.
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
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
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
        find().ok_or_else(|| PlaceError { text: text.to_owned() })
    }
}

/// A decimal number without sign and leading zeros.
pub(crate) fn decimal(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_and_names_lead_back() {
        let g = Geometry { columns: 3, tile_rows: 2, ..Geometry::default() };
        let all: Vec<Unit> = Unit::all(&g).collect();
        assert_eq!(all.len(), 6 + 3 + 6 + 1);
        for (position, unit) in all.iter().enumerate() {
            assert_eq!(unit.position(&g), position);
            assert_eq!(Unit::from_index(unit.kind(), unit.index(&g), &g), Some(*unit));
            assert_eq!(unit.to_string().parse(), Ok(*unit));
            assert!(unit.is_in(&g));
        }
        assert!(all.is_sorted(), "units are ordered as in the state tables");
        let tile = TileId::new(2, 1).unwrap();
        assert_eq!((tile.index(&g), tile.to_string().as_str()), (4, "tile[2][1]"));
        assert_eq!(TileId::from_image_row(1, 1), Some(tile));
    }

    #[test]
    fn what_no_fabric_has_is_refused() {
        assert_eq!(CellId::new(2, 0), None);
        assert_eq!(CellId::new(0, 32), None);
        assert_eq!(ColumnId::new(usize::MAX), None);
        assert_eq!(TileId::new(0, 0), None);
        assert_eq!(TileId::new(8, 0), None);
        assert_eq!(TileId::from_image_row(usize::MAX, 0), None);
        let g = Geometry { columns: 2, tile_rows: 1, ..Geometry::default() };
        assert_eq!(Unit::from_index(UnitKind::Tile, 2, &g), None);
        assert!(!Unit::Tile(TileId::new(2, 0).unwrap()).is_in(&g));
        for text in ["cell", "cell[0]", "cell[0][1", "cell[00][1]", "cell[+0][1]", "tile[0][0]"] {
            assert!(text.parse::<Unit>().is_err(), "{text}");
        }
    }
}
