// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run as numbers over the cycles.

use std::collections::BTreeMap;

use drra_isa::{CellId, Geometry, TileId, ports::Block};

use super::{statistics::Statistics, track::Track};
use crate::data::CellProgram;

/// Values of a track of a sequencer.
pub(crate) mod sequencing {
    /// It stores its program. Smaller values are addresses of the instructions that are decoded.
    pub(crate) const LOAD: i64 = 64;
    /// Plus the address of the WAIT that holds the program.
    pub(crate) const HOLD: i64 = 128;
}

/// A run on the golden model, cycle by cycle.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the program.
    pub name: String,
    /// Size of the fabric.
    pub geometry: Geometry,
    /// First cycle that is shown.
    pub from: u64,
    /// Last cycle that is shown.
    pub to: u64,
    /// Figures of the whole run.
    pub statistics: Statistics,
    /// Programs of the cells, with the cycles shown in which their instructions are decoded.
    pub programs: Vec<CellProgram>,
    /// Per cell, row-major.
    pub(crate) cells: Vec<CellTracks>,
    /// Per column.
    pub(crate) columns: Vec<ColumnTracks>,
    /// Per tile, row-major.
    pub(crate) tiles: Vec<TileTracks>,
    /// Blocks by number.
    pub(crate) blocks: Vec<Block>,
}

/// A cell over the cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellTracks {
    /// See [`sequencing`].
    pub(crate) sequencer: Track,
    /// Code of the mode of the DPU; none in idle.
    pub(crate) mode: Track,
    /// 1 in cycles in which the DPU works on data.
    pub(crate) operates: Track,
    /// Addresses of the AGUs.
    pub(crate) addresses: [Track; 6],
    /// 1 in cycles in which an AGU is not idle and emits nothing.
    pub(crate) delays: [Track; 6],
    /// Lanes that the inputs listen to: index of the cell times 4 plus that of the lane.
    pub(crate) sources: [Track; 6],
    /// Words that the inputs take.
    pub(crate) taken: [Track; 6],
    /// Number of the block that it reads for its column.
    pub(crate) block_read: Track,
    /// Number of the block that it takes from its column.
    pub(crate) block_taken: Track,
    /// Message that it sends: value of its kind.
    pub(crate) messages: Track,
    /// Words of the register file, with every write.
    pub(crate) words: Vec<Track>,
}

/// A column over the cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnTracks {
    /// Number of the block on its way up.
    pub(crate) up: Track,
    /// Address asked for in the input buffer.
    pub(crate) buffer_reads: Track,
    /// Address written in the output buffer.
    pub(crate) buffer_writes: Track,
    /// Number of the block written there.
    pub(crate) buffer_blocks: Track,
}

/// A tile over the cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileTracks {
    /// What the crossbar outputs follow: values of `CrossbarSource`, none for no source.
    pub(crate) crossbar: [Track; 5],
    /// Numbers of the blocks that enter for the crossbar outputs.
    pub(crate) entering: [Track; 5],
    /// Row that the memory reads.
    pub(crate) row_reads: Track,
    /// Row that a pattern stores.
    pub(crate) row_writes: Track,
    /// Messages that arrive at the sides: positions in `Arrival::ALL`.
    pub(crate) arrivals: [Track; 4],
    /// Rows of the memory that are not 0 all the time: numbers of their blocks, with every write.
    pub(crate) rows: BTreeMap<u8, Track>,
}

impl Recording {
    /// Cells with their tracks.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (CellId, &CellTracks)> {
        CellId::all(&self.geometry).zip(&self.cells)
    }

    /// Tiles with their tracks.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (TileId, &TileTracks)> {
        TileId::all(&self.geometry).zip(&self.tiles)
    }

    /// Word of a register file in a cycle; 0 before anything is written.
    ///
    /// # Panics
    /// If the fabric has no such cell or word.
    pub fn word(&self, cell: CellId, word: usize, cycle: u64) -> u16 {
        let track = &self.cells[cell.index(&self.geometry)].words[word];
        track.at(cycle).map_or(0, |value| value as u16)
    }

    /// Cycle of the first decode; the first one that is shown if nothing is decoded.
    pub(crate) fn begin(&self) -> u64 {
        self.statistics.span.map_or(self.from, |span| span.first_decode)
    }

    /// True if not all of the run is shown.
    pub fn is_cut(&self) -> bool {
        self.from > 0 || self.to < self.statistics.cycles
    }
}
