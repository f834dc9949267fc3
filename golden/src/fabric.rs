// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric: cells, sliding window, columns, tiles, load pipeline (chapter 5).
//!
//! `images` packs the registers into words, `ports` has the outputs, `tiles` moves the tiles on, `moved` knows
//! which of them are at rest.

mod images;
mod moved;
mod ports;
mod tiles;
mod wires;

use std::sync::Arc;

use drra_isa::{
    CellId, Geometry, TileId,
    fabric::{Layout, Side},
    ports::{Block, Inputs, ProgWord, SramInit, ZERO_BLOCK},
};

pub use self::ports::{BufferRead, BufferWrite, Status};
use self::tiles::{HomeScratch, TileScratch};
use self::{images::Images, moved::Moved};
use crate::{
    cell::{Cell, WindowPosition},
    column::Column,
    rest,
    sequencer::LoadPort,
    tile::{self, Tile, TileActivity},
};

/// Program port as a cell sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LoadStage {
    /// A word is there; else the lines have no meaning.
    valid: bool,
    lines: ProgWord,
}

impl LoadStage {
    /// What the program port hands on.
    fn at_port(inputs: &Inputs<'_>) -> Self {
        let lines = inputs.prog.or(inputs.idle.map(|idle| idle.prog)).unwrap_or_default();
        Self { valid: inputs.prog.is_some(), lines }
    }

    /// As cell (row, col) sees it, if a word is there.
    #[inline]
    fn load_port(&self, row: usize, col: usize) -> LoadPort {
        let Self { valid, lines } = self;
        if !valid {
            return LoadPort::default();
        }
        LoadPort {
            valid: true,
            matches: lines.row_sel >> row & 1 == 1 && lines.col_sel >> col & 1 == 1,
            instr: lines.instr,
            imm: lines.imm,
        }
    }
}

/// The whole fabric in one cycle. See the crate documentation for the cycle contract.
#[derive(Clone, Debug)]
pub struct Fabric {
    pub(crate) geometry: Geometry,
    layout: Arc<Layout>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) columns: Vec<Column>,
    pub(crate) tiles: Vec<Tile>,
    /// What is in flight from the program port, words or not.
    ld_pipe: Vec<LoadStage>,
    /// The registers of all units as words.
    images: Images,
    /// Scratch space of `step`, so that a cycle allocates nothing.
    pub(crate) lanes: Vec<u16>,
    around: Vec<TileScratch>,
    pub(crate) home: Vec<HomeScratch>,
    /// The initialisation port in the last step.
    port: SramInit,
    /// What the last step has changed.
    moved: Moved,
    /// Steps after which nothing is left in the load pipeline.
    loading: usize,
    /// What did something in the last step, for observers.
    pub(crate) active_columns: Vec<usize>,
    pub(crate) active_tiles: Vec<usize>,
    /// What `pack` has to do: anything at all, and for whom.
    stale: bool,
    stale_columns: Vec<bool>,
    stale_tiles: Vec<bool>,
    stale_pipe: bool,
}

impl Fabric {
    /// A fabric in cycle 0. Bit r*cols+c of `io_cells` is the strap of cell (r,c).
    ///
    /// # Panics
    /// If the geometry is not one of chapter 0, section 4 (at least two columns and one tile row,
    /// register files of 32 or 64 words, a power of two of at most 128 blocks per tile).
    pub fn new(geometry: Geometry, io_cells: u64) -> Self {
        let layout = Layout::new(&geometry);
        let cells = (0..geometry.cells())
            .map(|i| {
                let (row, col) = (i / geometry.columns, i % geometry.columns);
                let none = 4 * geometry.cells() as u16;
                let place = WindowPosition { row, col, cols: geometry.columns, none };
                Cell::new(&layout, io_cells >> i & 1 == 1, place)
            })
            .collect();
        let tiles: Vec<Tile> = (0..geometry.tiles())
            .map(|i| {
                Tile::new(i / geometry.columns + 1, i % geometry.columns, geometry.sram_blocks)
            })
            .collect();
        let mut fabric = Self {
            geometry,
            cells,
            columns: (0..geometry.columns).map(|_| Column::new()).collect(),
            tiles,
            ld_pipe: vec![LoadStage::default(); Geometry::ROWS + geometry.columns - 2],
            images: Images::new(&layout),
            lanes: vec![0; 4 * geometry.cells() + 1],
            around: vec![TileScratch::default(); geometry.tiles()],
            home: vec![HomeScratch::default(); geometry.columns],
            port: SramInit::default(),
            moved: Moved::all(),
            loading: 0,
            active_columns: Vec::new(),
            active_tiles: Vec::new(),
            stale: true,
            stale_columns: vec![false; geometry.columns],
            stale_tiles: vec![true; geometry.tiles()],
            stale_pipe: false,
            layout,
        };
        fabric.pack();
        fabric
    }

    /// Size of this fabric.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Layout of the images and paths of the registers.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.index(&self.geometry)]
    }

    pub(crate) fn tile(&self, tile: TileId) -> &Tile {
        &self.tiles[tile.index(&self.geometry)]
    }

    /// Memory of a tile.
    #[inline]
    pub fn sram(&self, tile: TileId) -> &[Block] {
        &self.tile(tile).sram
    }

    /// Row of a tile's memory that the last step wrote.
    #[inline]
    pub fn written_row(&self, tile: TileId) -> Option<usize> {
        self.tile(tile).written
    }

    /// Rows of the memories that the last step wrote.
    #[inline]
    pub fn written_rows(&self) -> impl Iterator<Item = (TileId, usize)> {
        self.active_tiles.iter().filter_map(|&i| {
            let row = self.tiles[i].written?;
            Some((TileId::from_index(i, &self.geometry)?, row))
        })
    }

    /// False while `mem_q` of a tile is invisible.
    #[inline]
    pub fn mem_rvalid(&self, tile: TileId) -> bool {
        self.tile(tile).mem_rvalid
    }

    /// The sequencer of a cell.
    #[inline]
    pub fn sequencer(&self, cell: CellId) -> &crate::sequencer::Sequencer {
        &self.cell(cell).seq
    }

    /// The register file of a cell.
    #[inline]
    pub fn register_file(&self, cell: CellId) -> &crate::register_file::RegisterFile {
        &self.cell(cell).rf
    }

    /// The DPU of a cell.
    #[inline]
    pub fn dpu(&self, cell: CellId) -> &crate::dpu::Dpu {
        &self.cell(cell).dpu
    }

    /// What a tile did in the last step.
    #[inline]
    pub fn tile_activity(&self, tile: TileId) -> &TileActivity {
        &self.tile(tile).activity
    }

    /// True if [`Self::tile_activity`] tells of anything.
    #[inline]
    pub fn is_active(&self, tile: TileId) -> bool {
        self.tile(tile).active
    }

    /// Registers of a side of a tile in the current cycle.
    pub fn side(&self, tile: TileId, side: Side) -> crate::tile::SideRegisters {
        self.tile(tile).side(side.index())
    }

    /// Instructions decoded by all sequencers since reset.
    pub fn instructions(&self) -> u64 {
        self.cells.iter().map(|c| c.seq.instructions()).sum()
    }

    /// The lanes that a cell drives in the current cycle, in the order of
    /// [`Lane::ALL`](drra_isa::Lane::ALL). Those of all cells, and what listens to them:
    /// [`Self::signals`].
    pub fn lanes_of(&self, cell: CellId) -> [u16; 4] {
        self.cell(cell).signals(&self.geometry).lanes
    }

    /// Executes one cycle.
    pub fn step(&mut self, inputs: &Inputs<'_>) {
        let port = LoadStage::at_port(inputs);

        // Everything that cells show, then what they select.
        for (cell, lanes) in self.cells.iter_mut().zip(self.lanes.chunks_exact_mut(4)) {
            lanes.copy_from_slice(&cell.show());
        }

        // Columns and tiles: what they hand out comes from registers and from the cells.
        self.active_columns.clear();
        self.moved.home = 0;
        for c in 0..self.geometry.columns {
            let loads = [0, 1].map(|row| self.stage(row + c, &port).load_port(row, c));
            if self.column_rests(c, loads, inputs) {
                self.cells[c].rest();
                self.cells[self.geometry.columns + c].rest();
            } else {
                self.step_column(c, loads, inputs);
            }
        }
        self.step_tiles(self.init_port(inputs));
        self.step_pipe(port);
        self.stale = true;
    }

    /// The program port after so many stages of the load pipeline.
    #[inline]
    fn stage<'a>(&'a self, stages: usize, port: &'a LoadStage) -> &'a LoadStage {
        stages.checked_sub(1).map_or(port, |last| &self.ld_pipe[last])
    }

    /// True if a column and its cells are at rest: nothing reaches them, and the column and its home tile, whose
    /// block it hands on, have not changed in the cycle before. Then the column hands on what it did in that
    /// cycle.
    #[inline]
    fn column_rests(&self, c: usize, loads: [LoadPort; 2], inputs: &Inputs<'_>) -> bool {
        let init = inputs.rf_init.is_some_and(|init| init.col == c);
        self.moved.columns >> c & 1 == 0
            && !self.moved.tiles.has_home(c)
            && self.cells[c].rests(loads[0], init)
            && self.cells[self.geometry.columns + c].rests(loads[1], init)
    }

    /// Executes the edge of a column and of its cells.
    #[inline]
    fn step_column(&mut self, c: usize, loads: [LoadPort; 2], inputs: &Inputs<'_>) {
        let (column, tile_down) = (&mut self.columns[c], &self.tiles[c].xout[tile::S]);
        let (above, below) = self.cells.split_at_mut(self.geometry.columns);
        let cells = [&mut above[c], &mut below[c]];
        let rf_up = cells[0].rf.blk_rdata().or_else(|| cells[1].rf.blk_rdata());
        let rf_up = rf_up.as_ref();
        let messages = [cells[0].message(), cells[1].message()];
        let shared = column.shared(messages, rf_up, tile_down);
        let home = HomeScratch { up: *shared.up, noc: shared.noc };
        if self.home[c] != home {
            self.home[c] = home;
            self.moved.home |= 1 << c;
        }

        // The cells of the column.
        let (row1, mask) = column.row1();
        for (row, (cell, (block, mask))) in
            cells.into_iter().zip([shared.down, (row1, *mask)]).enumerate()
        {
            let init = inputs.rf_init.filter(|init| (init.row, init.col) == (row, c));
            if cell.rests(loads[row], init.is_some()) {
                cell.rest();
                continue;
            }
            let init = init.map(|init| (init.block % self.geometry.rf_blocks(), init.data));
            let vin = cell.sources.map(|k| self.lanes[usize::from(k)]);
            cell.step(loads[row], vin, block, mask, init);
        }

        let io_in_data = inputs.io_in_data.get(c).unwrap_or(&ZERO_BLOCK);
        let changed = column.step(messages, rf_up, tile_down, io_in_data);
        self.moved.columns = self.moved.columns & !(1 << c) | u32::from(changed) << c;
        if changed {
            self.stale_columns[c] = true;
            if column.active {
                self.active_columns.push(c);
            }
        }
    }

    /// Load pipeline: everything moves on, valid or not, until only zeros are left.
    #[inline]
    fn step_pipe(&mut self, port: LoadStage) {
        self.loading = match self.loading {
            _ if !rest::allowed() || port != LoadStage::default() => self.ld_pipe.len(),
            0 => return,
            stages => stages - 1,
        };
        self.ld_pipe.rotate_right(1);
        self.ld_pipe[0] = port;
        self.stale_pipe = true;
    }
}
