// SPDX-License-Identifier: MIT OR Apache-2.0
//! Size of the fabric that a program is written for.

/// Size of a fabric (chapter 0, section 4). Rows of cells are always 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Columns of cells and of scratchpad tiles.
    pub columns: usize,
    /// Rows of scratchpad tiles.
    pub tile_rows: usize,
    /// Words of a register file, 32 or 64.
    pub rf_words: usize,
    /// Blocks of a scratchpad tile.
    pub sram_blocks: usize,
}

impl Geometry {
    /// Most columns that a fabric can have.
    pub const MAX_COLUMNS: usize = 32;
    /// Most rows of scratchpad tiles that a fabric can have.
    pub const MAX_TILE_ROWS: usize = 7;
    /// The largest fabric of chapter 0, section 4.
    pub const LARGEST: Self = Self {
        columns: Self::MAX_COLUMNS,
        tile_rows: Self::MAX_TILE_ROWS,
        rf_words: 64,
        sram_blocks: 128,
    };
    /// Rows of cells.
    pub const ROWS: usize = 2;
    /// Words of instruction memory.
    pub const IMEM_DEPTH: usize = 64;
    /// Words of 16 bits in a 256-bit block.
    pub const BLOCK_WORDS: usize = 16;

    /// Number of cells.
    pub fn cells(&self) -> usize {
        Self::ROWS * self.columns
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.tile_rows * self.columns
    }

    /// Blocks of a register file.
    pub fn rf_blocks(&self) -> usize {
        self.rf_words / Self::BLOCK_WORDS
    }
}

impl Default for Geometry {
    fn default() -> Self {
        Self { columns: 8, tile_rows: 2, rf_words: 64, sram_blocks: 128 }
    }
}
