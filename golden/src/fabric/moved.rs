// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which columns and tiles the last edge has changed: of the others only those are executed that something new
//! can reach.

use drra_isa::Geometry;

use super::Fabric;
use crate::{bits::ones, rest};

/// What the last step has changed, and what passes from the columns to the tiles in this one.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    /// Bit c: registers of column c.
    pub(super) columns: u32,
    /// Bit c: what column c hands to its home tile is not what it handed on in the cycle before.
    pub(super) home: u32,
    /// Registers of tiles.
    pub(super) tiles: TileSet,
}

impl Moved {
    /// Everything is new after reset.
    pub(super) fn all() -> Self {
        Self { columns: u32::MAX, home: u32::MAX, tiles: TileSet([u32::MAX; _]) }
    }
}

/// A set of tiles: for each row of tiles, bit c for column c.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TileSet([u32; Geometry::MAX_TILE_ROWS]);

impl TileSet {
    /// Puts tile `i`, counted by rows of `cols`, into the set.
    pub(super) fn insert(&mut self, i: usize, cols: usize) {
        self.0[i / cols] |= 1 << (i % cols);
    }

    /// True if the home tile of a column is in the set.
    pub(super) fn has_home(&self, column: usize) -> bool {
        self.0[0] >> column & 1 == 1
    }

    /// The tiles of the set in a fabric of `rows` times `cols` tiles, ascending.
    pub(super) fn tiles(self, rows: usize, cols: usize) -> impl Iterator<Item = usize> {
        let of_row = move |row: usize| {
            let columns = u64::from(self.0[row]) & ((1 << cols) - 1);
            ones(columns).map(move |column| row * cols + column)
        };
        (0..rows).flat_map(of_row)
    }
}

impl Fabric {
    /// The tiles that something new may reach in this cycle. All others are at rest: they and all that reaches
    /// them are as in the cycle before, in which they did not change.
    ///
    /// Messages, blocks and the initialisation port come to a tile from its neighbours, in the home row from
    /// the column, too. Requests for its segments come from the neighbours to the south and west, which make
    /// them of what reaches these (chapter 6, 6.1 to 6.3, 7.2 and 7.4).
    pub(super) fn due_tiles(&self, new_port: bool) -> TileSet {
        if !rest::allowed() {
            return Moved::all().tiles;
        }
        let moved = &self.moved.tiles.0;
        let mut near = TileSet::default();
        for (row, set) in near.0.iter_mut().enumerate() {
            let of = |row: Option<usize>| row.and_then(|row| moved.get(row)).copied().unwrap_or(0);
            let own = moved[row];
            *set = own | own << 1 | own >> 1 | of(row.checked_sub(1)) | of(Some(row + 1));
        }
        near.0[0] |= self.moved.home | u32::from(new_port);
        let mut due = near;
        for (row, set) in due.0.iter_mut().enumerate() {
            *set |= near.0[row] << 1 | if row > 0 { near.0[row - 1] } else { 0 };
        }
        due
    }
}
