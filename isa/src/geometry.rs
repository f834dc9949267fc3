// SPDX-License-Identifier: MIT OR Apache-2.0
//! Size of the fabric that a program is written for.

/// Size of a fabric (chapter 0, section 4). Rows of cells are always 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Columns of cells and of scratchpad tiles.
    pub cols: usize,
    /// Rows of scratchpad tiles.
    pub dimarch_rows: usize,
    /// Words of a register file, 32 or 64.
    pub rf_depth: usize,
    /// Blocks of a scratchpad tile.
    pub sram_depth: usize,
}

impl Geometry {
    /// Rows of cells.
    pub const ROWS: usize = 2;
    /// Words of instruction memory.
    pub const IMEM_DEPTH: usize = 64;
    /// Words of a block.
    pub const BLOCK_WORDS: usize = 16;

    /// Number of cells.
    pub fn cells(&self) -> usize {
        Self::ROWS * self.cols
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.dimarch_rows * self.cols
    }

    /// Blocks of a register file.
    pub fn rf_blocks(&self) -> usize {
        self.rf_depth / Self::BLOCK_WORDS
    }
}

impl Default for Geometry {
    fn default() -> Self {
        Self { cols: 8, dimarch_rows: 2, rf_depth: 64, sram_depth: 128 }
    }
}
