// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ends of connections, with the indices of the hardware: the lanes that cells drive, and the cell inputs that the
//! switchbox connects to lanes (chapter 5, section 3). Neighbours of tiles (chapter 6, section 1) are here as well.

use drra_isa::{Geometry, TileId, identities};

use crate::Side;

identities! {
    array
    /// A lane that a cell drives.
    Lane {
        /// Read port 0 of the register file.
        Rf0 = "rdata_0",
        /// Read port 1 of the register file.
        Rf1 = "rdata_1",
        /// Output 0 of the DPU.
        Dpu0 = "dpu_out_0",
        /// Output 1 of the DPU.
        Dpu1 = "dpu_out_1",
    }
}

identities! {
    array
    /// An input of a cell that can be connected to a lane.
    CellInput {
        /// Write port 0 of the register file.
        Write0 = "wdata_0",
        /// Write port 1 of the register file.
        Write1 = "wdata_1",
        /// Operand 0 of the DPU.
        Dpu0 = "dpu_in_0",
        /// Operand 1 of the DPU.
        Dpu1 = "dpu_in_1",
        /// Operand 2 of the DPU.
        Dpu2 = "dpu_in_2",
        /// Operand 3 of the DPU.
        Dpu3 = "dpu_in_3",
    }
}

impl Side {
    /// The side at the other end of the tile; adjacent tiles meet at opposite sides.
    pub const fn opposite(self) -> Self {
        match self {
            Self::N => Self::S,
            Self::S => Self::N,
            Self::E => Self::W,
            Self::W => Self::E,
        }
    }

    /// The tile on this side of a tile; `None` beyond the edge of the fabric, and for side S of row 1, where the neighbour is
    /// the column.
    pub fn neighbour(self, of: TileId, geometry: &Geometry) -> Option<TileId> {
        let (row, col) = (of.row(), of.col());
        let found = match self {
            Self::N => TileId::new(row + 1, col),
            Self::S => TileId::new(row - 1, col),
            Self::E => TileId::new(row, col + 1),
            Self::W => TileId::new(row, col.checked_sub(1)?),
        };
        found.filter(|tile| tile.is_in(geometry))
    }
}
