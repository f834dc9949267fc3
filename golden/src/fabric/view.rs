// SPDX-License-Identifier: MIT OR Apache-2.0
//! The observers' view of a fabric: signals of the current cycle, events of the last one.

use drra_fabric::{MessageKind, Side, ports::Inputs};
use drra_isa::{CellId, ColumnId, TileId, Unit};

use super::Fabric;
use crate::{
    cell::{Cell, view::CellView},
    column::ColumnActivity,
    dpu::Dpu,
    register_file::RegisterFile,
    sequencer::Sequencer,
    signals::{ColumnSignalValues, SignalCollector, Signals, TileSignalValues, WireValues},
    tile::{self, activity::TileActivity, show::SideRegisters},
};

impl Fabric {
    /// The signals of the current cycle. None of them depends on the inputs of that cycle.
    pub fn signals(&self) -> Signals {
        self.signals_of(&self.stepped(&Inputs::default()))
    }

    /// The signals of the current cycle, given the fabric after it.
    pub fn signals_of(&self, now: &Self) -> Signals {
        let columns = self.columns.iter().zip(&now.columns).map(|(before, column)| {
            let signals = &column.block.signals;
            let from_buffer = before.block.has_buffer_block();
            ColumnSignalValues { up: signals.up, col_noc: signals.col_noc.0, from_buffer }
        });
        let tiles = now.array.block.tiles.iter().map(|tile| TileSignalValues {
            msg_in: tile.inputs.msg.map(|m| m.0),
            rx: tile.block.routing.block.rx.map(|m| m.0),
        });
        Signals {
            geometry: self.geometry,
            cells: now.cells.iter().map(Cell::shown).collect(),
            columns: columns.collect(),
            tiles: tiles.collect(),
            wires: WireValues::new(),
        }
    }

    /// Like [`Self::signals`], including the signals between the modules inside the units, which take longer to
    /// compute; `inputs` are the inputs of the current cycle.
    pub fn all_signals(&self, inputs: &Inputs<'_>) -> Signals {
        let now = self.stepped(inputs);
        let mut values = WireValues::new();
        for cell in &now.cells {
            cell.show(self.cell(cell.id), &mut SignalCollector::new(cell.id, &mut values));
        }
        for (id, column) in ColumnId::all(&self.geometry).zip(&now.columns) {
            let before = &self.columns[id.col()].block;
            column.block.signals.show(
                &column.inputs,
                before,
                &mut SignalCollector::new(id, &mut values),
            );
        }
        for (id, tile) in TileId::all(&self.geometry).zip(&now.array.block.tiles) {
            tile.block.show(
                &tile.inputs,
                self.tile(id),
                &mut SignalCollector::new(id, &mut values),
            );
        }
        Signals { wires: values, ..self.signals_of(&now) }
    }

    /// Signals of a tile in the last cycle.
    fn tile_signals(&self, tile: TileId) -> &tile::TileSignals {
        &self.array.block.tiles[tile.index(&self.geometry)].block.signals
    }

    /// The fabric after a cycle with these inputs; it still has the signals of that cycle.
    fn stepped(&self, inputs: &Inputs<'_>) -> Self {
        let mut now = self.clone();
        now.step(inputs);
        now
    }

    /// The lanes that a cell drives in the current cycle, in the order of [`drra_fabric::Lane::ALL`]. For all cells, and for the
    /// inputs connected to the lanes, use [`Self::signals`].
    pub fn lanes_of(&self, cell: CellId) -> [u16; 4] {
        let mut cell = self.cell(cell).clone();
        cell.begin();
        cell.modules.block.outputs.lanes
    }

    /// The sequencer of a cell.
    pub fn sequencer(&self, cell: CellId) -> &Sequencer {
        &self.cell(cell).modules.block.seq.block
    }

    /// The register file of a cell.
    pub fn register_file(&self, cell: CellId) -> &RegisterFile {
        &self.cell(cell).modules.block.rf
    }

    /// The DPU of a cell.
    pub fn dpu(&self, cell: CellId) -> &Dpu {
        &self.cell(cell).modules.block.dpu.block
    }

    /// The message that a cell passes to its column in the current cycle: the kind, and true for a write.
    pub fn message(&self, cell: CellId) -> Option<(MessageKind, bool)> {
        self.view(cell).message()
    }

    /// The cells, row-major.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellView<'_>> {
        self.cells.iter().map(CellView)
    }

    /// A cell, for observers.
    pub fn view(&self, cell: CellId) -> CellView<'_> {
        CellView(self.cell(cell))
    }

    /// The activity of all I/O units that were active in the last step and did not repeat the one before, in the order
    /// of the columns.
    pub fn active_columns(&self) -> impl Iterator<Item = &ColumnActivity> {
        let executed = self.columns.iter().filter(|column| column.executed());
        let activities = executed.map(|column| &column.block.signals.activity);
        activities.filter(|activity| **activity != ColumnActivity::default())
    }

    /// The activity of a column's I/O unit in the last step.
    pub fn column_activity(&self, column: ColumnId) -> ColumnActivity {
        self.columns[column.col()].block.signals.activity
    }

    /// The tiles that were active in the last step, by ascending index.
    pub fn active_tiles(&self) -> impl Iterator<Item = (usize, &TileActivity)> {
        let tiles = self.array.block.tiles.iter().map(|tile| &tile.block.signals).enumerate();
        tiles.filter(|(_, tile)| tile.active).map(|(index, tile)| (index, &tile.activity))
    }

    /// The activity of a tile in the last step.
    pub fn tile_activity(&self, tile: TileId) -> TileActivity {
        self.tile_signals(tile).activity
    }

    /// The units with losses in the last step, and the number of losses: configurations for a busy address generator
    /// (chapter 3, 6.5, and chapter 6, 7.1), SRAM messages without a path, and messages of row 1 that lost to row 0.
    pub fn lost(&self) -> impl Iterator<Item = (Unit, u64)> {
        let cells = CellId::all(&self.geometry).zip(&self.cells);
        let columns = ColumnId::all(&self.geometry).zip(&self.columns);
        let tiles = TileId::all(&self.geometry).zip(&self.array.block.tiles);
        cells
            .map(|(id, cell)| (id.into(), cell.lost()))
            .chain(columns.map(|(id, column)| (id.into(), column.block.signals.lost)))
            .chain(tiles.map(|(id, tile)| (id.into(), tile.block.signals.lost())))
            .filter(|(_, count)| *count > 0)
    }

    /// The memory row of a tile that the last step wrote.
    pub fn written_row(&self, tile: TileId) -> Option<usize> {
        self.tile_signals(tile).written()
    }

    /// The memory rows that the last step wrote.
    pub fn written_rows(&self) -> impl Iterator<Item = (TileId, usize)> {
        let tiles = TileId::all(&self.geometry).zip(&self.array.block.tiles);
        tiles.filter_map(|(id, tile)| Some((id, tile.block.signals.written()?)))
    }

    /// Registers of a side of a tile in the current cycle.
    pub fn side(&self, tile: TileId, side: Side) -> SideRegisters {
        self.tile(tile).side(side.index())
    }
}
