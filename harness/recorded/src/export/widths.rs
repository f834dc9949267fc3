// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths of the ports that depend on the size of the fabric (chapter 5, 5.1).

use drra_isa::Geometry;

/// Widths in bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    /// Row of tiles, counted from 1.
    pub(super) tile_row: usize,
    /// Column of cells and tiles.
    pub(super) column: usize,
    /// Address in a tile.
    pub(super) sram_address: usize,
    /// Block of a register file.
    pub(super) rf_block: usize,
}

impl Widths {
    /// Those of a fabric.
    pub(super) fn of(geometry: &Geometry) -> Self {
        Self {
            tile_row: bits(geometry.tile_rows + 1),
            column: bits(geometry.columns),
            sram_address: bits(geometry.sram_blocks),
            rf_block: bits(geometry.rf_blocks()),
        }
    }
}

/// Bits that hold the values 0 to `count` - 1, at least one.
fn bits(count: usize) -> usize {
    (usize::BITS - (count - 1).leading_zeros()).max(1) as usize
}
