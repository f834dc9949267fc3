// SPDX-License-Identifier: MIT OR Apache-2.0
//! Differences between the inputs driven in a waveform and those of its case.

use std::fmt;

use drra_isa::{CellId, ColumnId, TileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::Value;

/// An input that was not driven as the case specifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StimulusDifference {
    /// The input.
    pub driven: DrivenInput,
    /// Value in the case; `None` if the case has no value for the input.
    pub case: Option<Value>,
    /// Value in the waveform; `None` if nothing was driven.
    pub recorded: Option<Value>,
}

/// An input of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum DrivenInput {
    /// A word of the program of a cell.
    Word {
        /// The cell.
        cell: CellId,
        /// Number of the word in loading order, counted from 0.
        number: usize,
    },
    /// The immediate flag of a word of the program.
    Flag {
        /// The cell.
        cell: CellId,
        /// Number of the word in loading order, counted from 0.
        number: usize,
    },
    /// An initialised memory row of a tile.
    Row {
        /// The tile.
        tile: TileId,
        /// The row.
        row: usize,
    },
    /// An initialised block of a register file.
    Block {
        /// The cell.
        cell: CellId,
        /// The block.
        block: usize,
    },
    /// The I/O strap of a cell.
    IoCell {
        /// The cell.
        cell: CellId,
    },
    /// A block of the input buffer of a column.
    Buffer {
        /// The column.
        column: ColumnId,
        /// Its address.
        address: u32,
    },
}

impl DrivenInput {
    /// The kind of the input, for signatures.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Word { .. } => "word",
            Self::Flag { .. } => "flag",
            Self::Row { .. } => "row",
            Self::Block { .. } => "block",
            Self::IoCell { .. } => "io_cell",
            Self::Buffer { .. } => "buffer",
        }
    }
}

/// `word 3 of cell (0,1)`
impl fmt::Display for DrivenInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |cell: &CellId| format!("cell ({},{})", cell.row(), cell.col());
        match self {
            Self::Word { cell, number } => write!(f, "word {number} of {}", at(cell)),
            Self::Flag { cell, number } => {
                write!(f, "immediate flag of word {number} of {}", at(cell))
            }
            Self::Row { tile, row } => {
                write!(f, "initial row {row} of tile ({},{})", tile.row(), tile.col())
            }
            Self::Block { cell, block } => {
                write!(f, "initial block {block} of the register file of {}", at(cell))
            }
            Self::IoCell { cell } => write!(f, "I/O strap of {}", at(cell)),
            Self::Buffer { column, address } => {
                write!(f, "block {address} of the input buffer of column {}", column.col())
            }
        }
    }
}
