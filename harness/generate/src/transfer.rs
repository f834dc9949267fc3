// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data transfers that the sequences of a case are expected to cause.

use drra_isa::{CellId, ColumnId, TileId};

/// An expected transfer; running the case shows whether it takes place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The data that are transferred.
    pub kind: TransferKind,
    /// First cycle of the transfer, counted from the first decode of cell (0,0).
    pub start: u64,
    /// Cycle of the last item, also counted from the first decode of cell (0,0).
    pub end: u64,
}

/// Kinds of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransferKind {
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
