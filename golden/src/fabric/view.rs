// SPDX-License-Identifier: MIT OR Apache-2.0
//! The observers' view of a fabric: signals of the current cycle, events of the last one.

use drra_fabric::{Lane, MessageKind, Side, ports::Inputs};
use drra_isa::{CellId, ColumnId, TileId, Unit};

use super::{Fabric, rf_init};
use crate::{
    cell::view::{CellView, source},
    column::ColumnActivity,
    dpu::Dpu,
    register_file::RegisterFile,
    sequencer::Sequencer,
    signals::{ColumnSignals, Shown, Signals, TileSignals, Values},
    tile::{self, activity::TileActivity, show::SideRegisters},
};

impl Fabric {
    /// The signals of the current cycle. None of them depends on the inputs of that cycle.
    pub fn signals(&self) -> Signals {
        self.signals_of(&self.stepped(&Inputs::default()))
    }

    /// The signals of the current cycle, given the fabric after it.
    fn signals_of(&self, now: &Self) -> Signals {
        let columns = self.columns.iter().zip(&now.columns).map(|(before, column)| {
            let signals = &column.signals;
            let from_buffer = before.block.has_buffer_block();
            ColumnSignals { up: signals.up, col_noc: signals.col_noc.0, from_buffer }
        });
        let tiles = now.array.received[..self.array.tiles.len()].iter().map(|received| {
            TileSignals { msg_in: received.msg_in.map(|m| m.0), rx: received.rx.map(|m| m.0) }
        });
        let cells = self.cells.iter().zip(&now.cells).map(|(before, cell)| {
            let (row, col) = cell.place();
            let down = self.columns[col].block.blk_in(row, &now.columns[col].signals);
            cell.signals(before, down, &self.geometry)
        });
        Signals {
            geometry: self.geometry,
            cells: cells.collect(),
            columns: columns.collect(),
            tiles: tiles.collect(),
            wires: Values::new(),
        }
    }

    /// Like [`Self::signals`], including the signals between the modules inside the units, which take longer to
    /// compute; `inputs` are the inputs of the current cycle.
    pub fn all_signals(&self, inputs: &Inputs<'_>) -> Signals {
        let now = self.stepped(inputs);
        let mut values = Values::new();
        for (id, cell) in CellId::all(&self.geometry).zip(&now.cells) {
            let init = rf_init(inputs, cell.place(), &self.geometry);
            cell.show(self.cell(id), init, &mut Shown::new(id, &mut values));
        }
        for (id, column) in ColumnId::all(&self.geometry).zip(&now.columns) {
            let before = &self.columns[id.col()].block;
            column.signals.show(column.skip.seen(), before, &mut Shown::new(id, &mut values));
        }
        for (i, id) in TileId::all(&self.geometry).enumerate() {
            let inputs = now.array.inputs(i);
            let mut out = Shown::new(id, &mut values);
            now.array.tiles[i].signals.show(&inputs, self.tile(id), &mut out);
        }
        Signals { wires: values, ..self.signals_of(&now) }
    }

    /// Signals of a tile in the last cycle.
    #[inline]
    fn tile_signals(&self, tile: TileId) -> &tile::TileSignals {
        &self.array.tiles[tile.index(&self.geometry)].signals
    }

    /// The fabric after a cycle with these inputs; it still has the signals of that cycle.
    fn stepped(&self, inputs: &Inputs<'_>) -> Self {
        let mut now = self.clone();
        now.step(inputs);
        now
    }

    /// The lanes that a cell drives in the current cycle, in the order of [`Lane::ALL`]. For all cells, and for the
    /// inputs connected to the lanes, use [`Self::signals`].
    pub fn lanes_of(&self, cell: CellId) -> [u16; 4] {
        CellView(self.cell(cell)).lanes()
    }

    /// The sequencer of a cell.
    #[inline]
    pub fn sequencer(&self, cell: CellId) -> &Sequencer {
        &self.cell(cell).seq
    }

    /// The register file of a cell.
    #[inline]
    pub fn register_file(&self, cell: CellId) -> &RegisterFile {
        &self.cell(cell).rf
    }

    /// The DPU of a cell.
    #[inline]
    pub fn dpu(&self, cell: CellId) -> &Dpu {
        &self.cell(cell).dpu.block
    }

    /// The message that a cell passes to its column in the current cycle: the kind, and true for a write.
    #[inline]
    pub fn message(&self, cell: CellId) -> Option<(MessageKind, bool)> {
        CellView(self.cell(cell)).message()
    }

    /// The cells, row-major.
    #[inline]
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellView<'_>> {
        self.cells.iter().map(CellView)
    }

    /// The lane that a number in [`CellView::sources`] stands for.
    #[inline]
    pub fn source(&self, number: u16) -> Option<(CellId, Lane)> {
        source(number, &self.geometry)
    }

    /// The activity of all I/O units that were active in the last step, in the order of the columns.
    #[inline]
    pub fn active_columns(&self) -> impl Iterator<Item = ColumnActivity> {
        let activities = self.columns.iter().map(|column| column.signals.activity());
        activities.filter(|activity| *activity != ColumnActivity::default())
    }

    /// The activity of a column's I/O unit in the last step.
    pub fn column_activity(&self, column: ColumnId) -> ColumnActivity {
        self.columns[column.index(&self.geometry)].signals.activity()
    }

    /// The tiles that were active in the last step, by ascending index.
    #[inline]
    pub fn active_tiles(&self) -> impl Iterator<Item = (usize, TileActivity)> {
        let signals = self.array.tiles.iter().map(|tile| &tile.signals).enumerate();
        signals.filter(|(_, s)| s.is_active()).map(|(i, s)| (i, s.activity()))
    }

    /// The activity of a tile in the last step.
    #[inline]
    pub fn tile_activity(&self, tile: TileId) -> TileActivity {
        self.tile_signals(tile).activity()
    }

    /// True if [`Self::tile_activity`] is not empty.
    #[inline]
    pub fn is_active(&self, tile: TileId) -> bool {
        self.tile_signals(tile).is_active()
    }

    /// The units with losses in the last step, and the number of losses: configurations for a busy address generator
    /// (chapter 3, 6.5, and chapter 6, 7.1), SRAM messages without a path, and messages of row 1 that lost to row 0.
    pub fn lost(&self) -> impl Iterator<Item = (Unit, u64)> {
        let cells = CellId::all(&self.geometry).zip(&self.cells);
        let columns = ColumnId::all(&self.geometry).zip(&self.columns);
        let tiles = TileId::all(&self.geometry).zip(&self.array.tiles);
        cells
            .map(|(id, cell)| (id.into(), cell.rf.lost()))
            .chain(columns.map(|(id, column)| (id.into(), column.signals.lost())))
            .chain(tiles.map(|(id, tile)| (id.into(), tile.signals.lost())))
            .filter(|(_, count)| *count > 0)
    }

    /// The memory row of a tile that the last step wrote.
    #[inline]
    pub fn written_row(&self, tile: TileId) -> Option<usize> {
        self.tile_signals(tile).written()
    }

    /// The memory rows that the last step wrote.
    #[inline]
    pub fn written_rows(&self) -> impl Iterator<Item = (TileId, usize)> {
        let tiles = TileId::all(&self.geometry).zip(&self.array.tiles);
        tiles.filter_map(|(id, tile)| Some((id, tile.signals.written()?)))
    }

    /// Registers of a side of a tile in the current cycle.
    pub fn side(&self, tile: TileId, side: Side) -> SideRegisters {
        self.tile(tile).side(side.index())
    }
}
