// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recorded design was driven with, where that is not what its case says.

use std::fmt;

use drra_isa::{CellId, ColumnId, TileId};

use crate::value::Value;

/// Something that was driven otherwise than the case says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StimulusDifference {
    /// What it is.
    pub driven: Driven,
    /// Value in the case; `None` if the case has nothing there.
    pub case: Option<Value>,
    /// Value in the recording; `None` if nothing was driven.
    pub recorded: Option<Value>,
}

/// Something that drives a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// A word of the program of a cell, counted from 0 in the order of the load.
    Word(CellId, usize),
    /// The immediate flag of such a word.
    Flag(CellId, usize),
    /// A row of a tile's memory that is initialised.
    Row(TileId, usize),
    /// A block of a register file that is initialised.
    Block(CellId, usize),
    /// Whether a cell is an I/O cell.
    IoCell(CellId),
    /// A block of the input buffer of a column.
    Buffer(ColumnId, u32),
}

impl Driven {
    /// Its kind, for signatures.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Word(..) => "word",
            Self::Flag(..) => "flag",
            Self::Row(..) => "row",
            Self::Block(..) => "block",
            Self::IoCell(_) => "io_cell",
            Self::Buffer(..) => "buffer",
        }
    }
}

/// `word 3 of cell (0,1)`
impl fmt::Display for Driven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |cell: &CellId| format!("cell ({},{})", cell.row(), cell.col());
        match self {
            Self::Word(at, word) => write!(f, "word {word} of {}", cell(at)),
            Self::Flag(at, word) => write!(f, "immediate flag of word {word} of {}", cell(at)),
            Self::Row(tile, row) => {
                write!(f, "initial row {row} of tile ({},{})", tile.row(), tile.col())
            }
            Self::Block(at, block) => {
                write!(f, "initial block {block} of the register file of {}", cell(at))
            }
            Self::IoCell(at) => write!(f, "I/O strap of {}", cell(at)),
            Self::Buffer(column, address) => {
                write!(f, "block {address} of the input buffer of column {}", column.col())
            }
        }
    }
}
