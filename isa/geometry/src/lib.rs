// SPDX-License-Identifier: MIT OR Apache-2.0
//! Size of the fabric that a program is written for.
//!
//! The build script that builds the models needs sizes as well. The crate has few dependencies, because all of them are
//! compiled before that script runs.
//!
//! ```
//! use drra_geometry::Geometry;
//!
//! let size: Geometry = "2x2-rf32-sram16".parse().unwrap();
//! assert_eq!((size.cells(), size.tiles(), size.rf_blocks()), (4, 4, 2));
//! ```

#![warn(missing_docs)]

use std::{fmt, str::FromStr};

/// Size of a fabric (chapter 0, section 4). There are always 2 rows of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A reason why a fabric size is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// A text that is not a size.
    #[error(
        "`{0}` is not a fabric size; write columns x tile rows, then register file words if not 64 and SRAM blocks if not \
         128: 8x2, 2x2-rf32-sram16"
    )]
    Text(String),
    /// A size that is not allowed by chapter 0.
    #[error("{what} of a fabric must be {range}, not {found}")]
    Range {
        /// Name of the dimension, as in files.
        part: &'static str,
        /// The dimension as text.
        what: &'static str,
        /// The permitted values.
        range: &'static str,
        /// The actual value.
        found: usize,
    },
}

impl Geometry {
    /// Maximum number of columns of a fabric.
    pub const MAX_COLUMNS: usize = 32;
    /// Maximum number of rows of scratchpad tiles of a fabric.
    pub const MAX_TILE_ROWS: usize = 7;
    /// The largest fabric of chapter 0, section 4.
    pub const LARGEST: Self = Self {
        columns: Self::MAX_COLUMNS,
        tile_rows: Self::MAX_TILE_ROWS,
        rf_words: 64,
        sram_blocks: 128,
    };
    /// The fabric of chapter 0, section 4, with all defaults.
    pub const DEFAULT: Self = Self { columns: 8, tile_rows: 2, rf_words: 64, sram_blocks: 128 };
    /// Rows of cells.
    pub const ROWS: usize = 2;
    /// Words of instruction memory.
    pub const IMEM_DEPTH: usize = 64;
    /// Maximum number of usable words of a program (chapter 2, section 4).
    pub const PROGRAM_WORDS: usize = Self::IMEM_DEPTH - 1;
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

    /// Checks that this size is allowed by chapter 0, section 4.
    ///
    /// # Errors
    /// The first dimension that is out of range.
    pub fn check(&self) -> Result<(), SizeError> {
        let &Self { columns, tile_rows, rf_words, sram_blocks } = self;
        let parts = [
            ("columns", "columns", "2 to 32", columns, (2..=Self::MAX_COLUMNS).contains(&columns)),
            (
                "tile_rows",
                "tile rows",
                "1 to 7",
                tile_rows,
                (1..=Self::MAX_TILE_ROWS).contains(&tile_rows),
            ),
            ("rf_words", "register file words", "32 or 64", rf_words, matches!(rf_words, 32 | 64)),
            (
                "sram_blocks",
                "SRAM blocks",
                "a power of two from 2 to 128",
                sram_blocks,
                sram_blocks.is_power_of_two() && (2..=128).contains(&sram_blocks),
            ),
        ];
        match parts.into_iter().find(|(.., valid)| !valid) {
            Some((part, what, range, found, _)) => {
                Err(SizeError::Range { part, what, range, found })
            }
            None => Ok(()),
        }
    }
}

impl Default for Geometry {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Columns x tile rows, followed by the dimensions that differ from the default: `8x2`, `2x2-rf32-sram16`.
impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.tile_rows)?;
        if self.rf_words != Self::DEFAULT.rf_words {
            write!(f, "-rf{}", self.rf_words)?;
        }
        if self.sram_blocks != Self::DEFAULT.sram_blocks {
            write!(f, "-sram{}", self.sram_blocks)?;
        }
        Ok(())
    }
}

impl FromStr for Geometry {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let unknown = || SizeError::Text(text.to_owned());
        let number = |digits: &str| {
            // Signs and leading zeros are rejected, because they would allow a second name for a size.
            let plain = !digits.starts_with(['+', '0']);
            digits.parse().ok().filter(|_| plain).ok_or_else(unknown)
        };
        let mut parts = text.split('-');
        let (columns, tile_rows) =
            parts.next().and_then(|first| first.split_once('x')).ok_or_else(unknown)?;
        let mut size =
            Self { columns: number(columns)?, tile_rows: number(tile_rows)?, ..Self::DEFAULT };
        for part in parts {
            if let Some(words) = part.strip_prefix("rf") {
                size.rf_words = number(words)?;
            } else if let Some(blocks) = part.strip_prefix("sram") {
                size.sram_blocks = number(blocks)?;
            } else {
                return Err(unknown());
            }
        }
        size.check()?;
        Ok(size)
    }
}
