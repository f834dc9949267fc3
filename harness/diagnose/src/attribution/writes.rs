// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes to memories, with their causes.

use drra_isa::{CellId, TileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::issued::Cause;

/// The writers of a register file, highest priority first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Writer")]
pub enum RfWriter {
    /// Initialisation port of the fabric.
    Init,
    /// Block write by the AGU wb.
    Wb,
    /// Write port 0.
    W0,
    /// Write port 1.
    W1,
    /// A permutation, which writes back the whole block that it reads.
    Perm,
}

/// A write to a register file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RfWrite {
    /// Cycle whose edge writes.
    pub cycle: u64,
    /// Cell of the register file.
    pub cell: CellId,
    /// Lowest address that can be written; bits of `words` are relative to it.
    pub first: usize,
    /// Bit k: word `first`+k is written.
    pub words: u16,
    /// The writer.
    pub writer: RfWriter,
    /// Instruction that set up the writer.
    pub by: Cause,
}

/// A write to the memory of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWrite {
    /// Cycle whose edge writes.
    pub cycle: u64,
    /// Tile of the memory.
    pub tile: TileId,
    /// Address of the 256-bit row that is written.
    pub row: usize,
    /// True if written by the initialisation port of the fabric.
    pub init: bool,
    /// Instruction that set up the write generator.
    pub by: Cause,
}

impl RfWrite {
    /// True if the write affects a word of a cell.
    pub(super) fn covers(&self, cell: CellId, word: usize) -> bool {
        let bit = word.checked_sub(self.first).filter(|bit| *bit < 16);
        self.cell == cell && bit.is_some_and(|bit| self.words >> bit & 1 == 1)
    }
}
