// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outputs of the fabric (chapter 5, 5.1 and 5.5).

use drra_fabric::ports::Block;
use drra_isa::{CellId, ColumnId, TileId, Unit};

use super::Fabric;

/// Status outputs (chapter 5, 5.5): functions of the registers of the current cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FabricStatus {
    /// Bit r*cols+c: the sequencer of cell (r,c) is in IDLE.
    pub cell_idle: u64,
    /// All cells are idle and no program word is in flight.
    pub all_idle: bool,
    /// Some address generator is active.
    pub agu_busy: bool,
}

/// A request to an input buffer in the current cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRead {
    /// Column.
    pub column: ColumnId,
    /// Block address.
    pub addr: u32,
}

/// A write to an output buffer in the current cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferWrite {
    /// Column.
    pub column: ColumnId,
    /// Block address.
    pub addr: u32,
    /// Contents, with masked words set to 0.
    pub data: Block,
    /// Bit k = 1: word k is not written.
    pub mask: u16,
}

impl Fabric {
    /// Status outputs of the current cycle.
    pub fn status(&self) -> FabricStatus {
        let idle = self
            .cells
            .iter()
            .enumerate()
            .fold(0, |m, (i, c)| m | u64::from(c.modules.block.seq.block.idle()) << i);
        FabricStatus {
            cell_idle: idle,
            all_idle: idle == u64::MAX >> (64 - self.cells.len())
                && self.ld_pipe.iter().all(|stage| !stage.valid),
            agu_busy: self.cells.iter().any(|c| c.modules.block.rf.busy())
                || self.columns.iter().any(|c| c.block.busy())
                || self.array.block.tiles.iter().any(|t| t.block.busy()),
        }
    }

    /// Units with an active address generator.
    pub fn generating(&self) -> impl Iterator<Item = Unit> + '_ {
        let cells = CellId::all(&self.geometry).zip(&self.cells);
        let cells = cells.filter(|(_, c)| c.modules.block.rf.busy()).map(|(cell, _)| cell.into());
        let columns = ColumnId::all(&self.geometry).zip(&self.columns);
        let columns = columns.filter(|(_, c)| c.block.busy()).map(|(column, _)| column.into());
        let tiles = TileId::all(&self.geometry).zip(&self.array.block.tiles);
        let tiles = tiles.filter(|(_, t)| t.block.busy()).map(|(tile, _)| tile.into());
        cells.chain(columns).chain(tiles)
    }

    /// True if all cells are idle, no program word is in flight and no generator is active:
    /// `all_idle & !agu_busy`.
    pub fn quiet(&self) -> bool {
        let status = self.status();
        status.all_idle && !status.agu_busy
    }

    /// Requests to the input buffers in the current cycle; they are answered in the next one.
    pub fn buffer_reads(&self) -> impl Iterator<Item = BufferRead> + '_ {
        ColumnId::all(&self.geometry).zip(&self.columns).filter_map(|(column, registers)| {
            registers.block.buffer_read().map(|addr| BufferRead { column, addr })
        })
    }

    /// Writes to the output buffers in the current cycle.
    pub fn buffer_writes(&self) -> impl Iterator<Item = BufferWrite> + '_ {
        ColumnId::all(&self.geometry).zip(&self.columns).filter_map(|(column, registers)| {
            let (addr, data, mask) = registers.block.buffer_write()?;
            Some(BufferWrite { column, addr, data, mask })
        })
    }
}
