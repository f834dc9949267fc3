// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signals of a cycle as observers see them (chapter 5, 7.4): a view of what the blocks evaluate.

use std::collections::BTreeMap;

use drra_fabric::{AguId, CellInput, Key, Lane, Side, SignalId};
use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit};

use crate::block::Block;

/// Signals of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSignalValues {
    /// Lanes that the cell drives, in the order of [`Lane::ALL`].
    pub lanes: [u16; 4],
    /// The lane that each input is connected to, in the order of [`CellInput::ALL`]; `None` for an unconnected input.
    pub sources: [Option<(CellId, Lane)>; 6],
    /// The values on the inputs, in the same order.
    pub vin: [u16; 6],
    /// Addresses that the AGUs emit, in the order of [`AguId::ALL`].
    pub emitted: [Option<u8>; 6],
    /// `blk_rdata`; `None` unless `blk_rd_en` is 1.
    pub blk_rdata: Option<Block>,
    /// Block that the column offers to the register file.
    pub blk_wdata: Block,
    /// Mask of that block: bit k = 1 leaves word k unchanged.
    pub blk_wmask: u16,
    /// `cell_noc`, 67 bits, low word first.
    pub cell_noc: [u64; 2],
    /// Number of the block that a PERM permutes; `None` if no PERM executes or the mode is reserved.
    pub perm_block: Option<u8>,
}

/// Signals of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSignalValues {
    /// `up`: block to the home tile.
    pub up: Block,
    /// `col_noc`, 63 bits.
    pub col_noc: u64,
    /// The block passed down to the cells is that of the I/O unit (`io_rvalid`) instead of that of the home tile.
    pub from_buffer: bool,
}

/// Signals of one tile; sides in the order N, S, E, W.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileSignalValues {
    /// `msg_in`: the messages from the neighbours, 63 bits each, 0 at the edge.
    pub msg_in: [u64; 4],
    /// `rx`: the same messages where the segment points into the tile, else 0.
    pub rx: [u64; 4],
}

impl CellSignalValues {
    /// The value on a lane that the cell drives.
    pub fn lane(&self, lane: Lane) -> u16 {
        self.lanes[lane.index()]
    }

    /// The value on an input.
    pub fn input(&self, input: CellInput) -> u16 {
        self.vin[input.index()]
    }

    /// The lane that an input is connected to, if any.
    pub fn source(&self, input: CellInput) -> Option<(CellId, Lane)> {
        self.sources[input.index()]
    }

    /// Address that an AGU emits.
    pub fn emitted(&self, agu: AguId) -> Option<u8> {
        self.emitted[agu.index()]
    }
}

impl TileSignalValues {
    /// The message from the neighbour at a side, 63 bits, 0 at the edge.
    pub fn message_in(&self, side: Side) -> u64 {
        self.msg_in[side.index()]
    }

    /// The same message where the segment points into the tile, else 0.
    pub fn rx(&self, side: Side) -> u64 {
        self.rx[side.index()]
    }
}

/// All signals of one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signals {
    pub(crate) geometry: Geometry,
    /// Signals of cell (r,c) at index r*cols+c.
    pub cells: Vec<CellSignalValues>,
    /// Signals of column c at index c.
    pub columns: Vec<ColumnSignalValues>,
    /// Signals of tile (R,c) at index (R-1)*cols+c.
    pub tiles: Vec<TileSignalValues>,
    /// The signals between the modules of the units, if they were requested.
    pub(crate) wires: WireValues,
}

impl Signals {
    /// The signals of a cell.
    ///
    /// # Panics
    /// If no cell of the fabric has the index of this one; the same applies to columns and tiles.
    pub fn cell(&self, cell: CellId) -> &CellSignalValues {
        &self.cells[cell.index(&self.geometry)]
    }

    /// The signals of a column.
    pub fn column(&self, column: ColumnId) -> &ColumnSignalValues {
        &self.columns[column.col()]
    }

    /// The signals of a tile.
    pub fn tile(&self, tile: TileId) -> &TileSignalValues {
        &self.tiles[tile.index(&self.geometry)]
    }

    /// A signal between the modules inside the units; `None` if it has no meaning in this cycle, or if these signals
    /// were not requested.
    pub fn wire(&self, unit: Unit, id: SignalId, key: Key) -> Option<&[u64]> {
        self.wires.get(&(unit, id, key.index())).map(Vec::as_slice)
    }
}

/// Values of signals, low word first, by unit, signal and number of the key.
pub(crate) type WireValues = BTreeMap<(Unit, SignalId, usize), Vec<u64>>;

/// Collects the signals of a unit's blocks. A signal without a meaning in a cycle has no value.
pub(crate) struct SignalCollector<'a> {
    unit: Unit,
    values: &'a mut WireValues,
}

impl<'a> SignalCollector<'a> {
    /// A collector for the signals of a unit.
    pub(crate) fn new(unit: impl Into<Unit>, values: &'a mut WireValues) -> Self {
        Self { unit: unit.into(), values }
    }

    /// Adds a signal without a key.
    pub(crate) fn put(&mut self, id: SignalId, value: impl Into<u64>) {
        self.put_at(id, 0, value);
    }

    /// Adds a signal with the number of its key.
    pub(crate) fn put_at(&mut self, id: SignalId, key: usize, value: impl Into<u64>) {
        self.put_words(id, key, &[value.into()]);
    }

    /// Adds a signal with the number of its key, if it has a meaning.
    pub(crate) fn put_some(&mut self, id: SignalId, key: usize, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.put_at(id, key, value);
        }
    }

    /// Adds a signal of several words, low word first.
    pub(crate) fn put_words(&mut self, id: SignalId, key: usize, words: &[u64]) {
        self.values.insert((self.unit, id, key), words.to_vec());
    }
}
