// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the scenarios of a case want to happen.

use drra_isa::{CellId, ColumnId, TileId};

/// What a scenario wants to happen; whether it does is measured by running the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// What moves.
    pub kind: IntentKind,
    /// First cycle of the movement, counted from the first decode of cell (0,0).
    pub start: u64,
    /// Cycle of the last item, counted from the first decode of cell (0,0) too.
    pub end: u64,
}

/// What an intent moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntentKind {
    /// Results on an output port of the DPU of a cell.
    DpuResult {
        cell: CellId,
        /// Output port.
        port: usize,
    },
    /// Words written by write port 0 or 1 of a cell.
    WriteBack {
        cell: CellId,
        /// Write port.
        port: usize,
    },
    /// Blocks written into the register file of a cell.
    BlockIn { cell: CellId },
    /// Blocks written into a tile.
    TileIn { tile: TileId },
    /// Blocks written into the output buffer of a column.
    BufferOut { column: ColumnId },
}
