// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric: cells, sliding window, columns, tiles and load pipeline (chapter 5, sections 3 to 5).
//!
//! `array` contains the tiles in a cycle, `images` the words of the registers, `ports` the outputs, and `view` the
//! signals for observers.

mod array;
mod images;
pub(crate) mod ports;
mod view;

use std::sync::Arc;

use drra_fabric::{
    Layout, Location, Parameter, Register,
    images::LdPipe,
    ports::{Block, Inputs, SramInit, ZERO_BLOCK},
};
use drra_isa::{CellId, Geometry, TileId, Unit, UnitKind};

use self::{
    array::{TileArray, TileArrayInputs},
    images::UnitImages,
};
use crate::{
    cell::Cell,
    column::{Column, ColumnInputs},
    idle::LazyBlock,
    tile::{Tile, route::S},
};

/// The whole fabric in one cycle. See the crate documentation for the cycle contract.
#[derive(Clone, Debug)]
pub struct Fabric {
    geometry: Geometry,
    layout: Arc<Layout>,
    cells: Vec<Cell>,
    columns: Vec<LazyBlock<Column>>,
    /// What a disconnected input reads, 0, and the lanes of each cell in the last cycle.
    lanes: Vec<[u16; 4]>,
    array: LazyBlock<TileArray>,
    /// `ld_pipe`, the stage next to the port first.
    ld_pipe: Vec<LdPipe>,
    /// The registers of all units as words.
    images: UnitImages,
    /// The images are up to date.
    packed: bool,
}

impl Fabric {
    /// A fabric in cycle 0 after the first reset: memories are 0, and a later reset is not modelled. Bit r*cols+c of
    /// `io_cells` is the strap of cell (r,c).
    ///
    /// # Panics
    /// If the geometry is not one of those in chapter 0, section 4.
    pub fn new(geometry: Geometry, io_cells: u64) -> Self {
        let layout = Layout::new(&geometry);
        let cols = geometry.columns;
        let cell = |id: CellId| Cell::new(id, io_cells >> id.index(&geometry) & 1 == 1, &geometry);
        let mut fabric = Self {
            geometry,
            cells: CellId::all(&geometry).map(cell).collect(),
            columns: (0..cols).map(|_| LazyBlock::new(Column::new())).collect(),
            lanes: vec![[0; 4]; geometry.cells() + 1],
            array: LazyBlock::new(TileArray::new(&geometry)),
            ld_pipe: vec![LdPipe::default(); Geometry::ROWS + cols - 2],
            images: UnitImages::new(&layout),
            packed: false,
            layout,
        };
        fabric.pack();
        fabric
    }

    /// Executes one cycle, `fabric_cycle` of 5.7.
    pub fn step(&mut self, inputs: &Inputs<'_>) {
        let g = self.geometry;
        // The numbers are those of chapter 5, section 4. 1 and 2, load taps and sequencers, come last, as nothing else in
        // a cycle but the next state depends on them.
        // 3 and 4: register-file reads, DPU outputs, lanes.
        let mut new_outputs = 0u64; // bit k: the outputs of cell k can differ from those of the last cycle
        for (k, (cell, lanes)) in self.cells.iter_mut().zip(&mut self.lanes[1..]).enumerate() {
            if let Some(new) = cell.begin() {
                (*lanes, new_outputs) = (new, new_outputs | 1 << k);
            }
        }

        // 5: `cell_noc`, columns.
        for (c, column) in self.columns.iter_mut().enumerate() {
            // The tiles of row 1 are the first ones.
            let (cells, home) = ([c, c + g.columns], &self.array.block.tiles[c]);
            let answer = inputs.io_in_data.get(c).unwrap_or(&ZERO_BLOCK);
            let new = cells.iter().any(|k| new_outputs >> k & 1 == 1)
                || home.changed()
                || *answer != column.inputs.io_in_data;
            column.next_if(new, |_| {
                let [first, second] = cells.map(|k| &self.cells[k].modules.block.outputs);
                ColumnInputs {
                    cell_noc: [first.cell_noc, second.cell_noc],
                    rf_up: first.blk.or(second.blk), // row 0 wins
                    io_in_data: *answer,
                    tile_down: home.block.xout()[S],
                }
            });
        }

        // 6: tiles.
        let init = self.sram_init_port(inputs);
        let new = init != self.array.inputs.init || self.columns.iter().any(LazyBlock::executed);
        self.array.next_if(new, |_| {
            let signals = self.columns.iter().map(|column| &column.block.signals);
            TileArrayInputs { columns: signals.map(|s| (s.col_noc, s.up)).collect(), init }
        });

        // 1, 2, 7: load taps, sequencers, next state of the cells, with `vin` of 4.
        let port = self.program_port(inputs);
        for cell in &mut self.cells {
            let id = cell.id;
            let n = id.row() + id.col();
            let tap = n.checked_sub(1).map_or(&port, |last| &self.ld_pipe[last]);
            let p = inputs.rf_init.as_ref();
            let p = p.filter(|p| CellId::new(p.row, p.col) == Some(id));
            let init = p.map(|p| (p.block % g.rf_blocks(), p.data));
            let column = &self.columns[id.col()];
            let cells = cell.modules.block.outputs.sources.cells;
            let new = new_outputs & cells != 0 || column.executed();
            cell.next(tap, init, new, |sources| {
                let lanes = self.lanes.as_flattened();
                let vin = sources.indices.map(|index| lanes[usize::from(index)]);
                (vin, column.block.signals.blk_in[id.row()])
            });
        }
        self.ld_pipe.rotate_right(1);
        self.ld_pipe[0] = port;
        self.packed = false;
    }

    /// The values that the program port passes on, truncated to the widths of its lines.
    fn program_port(&self, inputs: &Inputs<'_>) -> LdPipe {
        let lines = inputs.prog.or(inputs.idle.map(|idle| idle.prog)).unwrap_or_default();
        let columns = (1 << self.geometry.columns) - 1;
        LdPipe {
            valid: inputs.prog.is_some(),
            imm: lines.imm,
            instr: lines.instr & 0x7ff_ffff,
            row_sel: lines.row_sel & 3,
            col_sel: (u64::from(lines.col_sel) & columns) as u32,
        }
    }

    /// The SRAM initialisation port in a cycle, truncated to the widths of its lines.
    pub(super) fn sram_init_port(&self, inputs: &Inputs<'_>) -> SramInit {
        let g: &Geometry = &self.geometry;
        let init = inputs.sram_init.map(|init| SramInit { valid: true, ..init });
        let idle = inputs.idle.map(|idle| SramInit { valid: false, ..idle.sram_init });
        let Some(port) = init.or(idle) else { return SramInit::default() };
        SramInit {
            row: port.row & ((1 << Parameter::TileRow.value(g)) - 1),
            col: port.col & ((1 << Parameter::Column.value(g)) - 1),
            addr: port.addr % g.sram_blocks,
            ..port
        }
    }

    fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.index(&self.geometry)]
    }

    fn tile(&self, tile: TileId) -> &Tile {
        &self.array.block.tiles[tile.index(&self.geometry)].block
    }
}

/// State of the current cycle, for other modules.
impl Fabric {
    /// Size of this fabric.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Layout of the images and paths of the registers.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Memory of a tile.
    pub fn sram(&self, tile: TileId) -> &[Block] {
        self.tile(tile).sram()
    }

    /// False while the `mem_q` of a tile is not visible.
    pub fn mem_rvalid(&self, tile: TileId) -> bool {
        self.tile(tile).mem_rvalid()
    }

    /// Registers of all units of a kind as of the last [`Self::pack`], one unit after the other in the order of
    /// [`Unit::all`], each in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// If the fabric has been stepped since then.
    pub fn images(&self, kind: UnitKind) -> &[u64] {
        assert!(self.packed, "the images are out of date: call pack");
        &self.images.of[kind as usize]
    }

    /// Registers of a unit as of the last [`Self::pack`], in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// As for [`Self::images`], or if no unit of the fabric has the index of this one; the latter applies to all
    /// methods that take a cell, a column or a tile.
    pub fn image(&self, unit: Unit) -> &[u64] {
        assert!(self.packed, "the images are out of date: call pack");
        let index = match unit {
            Unit::Cell(cell) => cell.index(&self.geometry),
            Unit::Column(column) => column.col(),
            Unit::Tile(tile) => tile.index(&self.geometry),
            Unit::Fabric => 0,
        };
        self.images.unit(unit.kind(), index)
    }

    /// Value of a register as of the last [`Self::pack`], or of a memory row of a tile, low word first; `None` if the
    /// fabric has no such register.
    ///
    /// # Panics
    /// As for [`Self::images`], unless the location is a memory row.
    pub fn value(&self, location: Location) -> Option<Vec<u64>> {
        let Location { unit, register } = location;
        if !unit.is_in(&self.geometry) || register.unit_kind() != unit.kind() {
            return None;
        }
        match (unit, register) {
            (Unit::Tile(tile), Register::TileSram(row)) => Some(self.sram(tile).get(row)?.to_vec()),
            _ => self.layout.value(register, self.image(unit)),
        }
    }

    /// Brings the images up to date. This is not part of [`Self::step`], so that a run that reads no registers does
    /// not pay for it.
    pub fn pack(&mut self) {
        if std::mem::replace(&mut self.packed, true) {
            return;
        }
        let (slots, images) = (self.layout.slots(), &mut self.images);
        for (cell, image) in self.cells.iter_mut().zip(images.units(UnitKind::Cell)) {
            cell.pack(slots, image);
        }
        for (column, image) in self.columns.iter_mut().zip(images.units(UnitKind::Column)) {
            if column.take_dirty() {
                column.block.pack(slots, image);
            }
        }
        for (tile, image) in self.array.block.tiles.iter_mut().zip(images.units(UnitKind::Tile)) {
            if tile.take_dirty() {
                tile.block.pack(&self.geometry, slots, image);
            }
        }
        let columns = self.geometry.columns as u32;
        let pipe = images.units(UnitKind::Fabric).flatten();
        pipe.zip(&self.ld_pipe).for_each(|(word, stage)| *word = stage.pack(columns));
    }

    /// Instructions decoded by all sequencers since reset. A WAIT counts again if its counter wraps around (chapter 2,
    /// 5.2).
    pub fn instructions(&self) -> u64 {
        self.cells.iter().map(|c| c.instructions).sum()
    }
}
