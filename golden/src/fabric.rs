// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric: cells, sliding window, columns, tiles, load pipeline (chapter 5).

use std::sync::Arc;

use drra_isa::CellId;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::TileId;
use drra_isa::Unit;
use drra_isa::UnitKind;
use drra_isa::fabric::GroupId;
use drra_isa::fabric::Layout;
use drra_isa::fabric::Location;
use drra_isa::fabric::Parameter;
use drra_isa::fabric::RegisterId;
use drra_isa::fabric::SegmentDirection as Segment;
use drra_isa::fabric::Side;
use drra_isa::fabric::images::LdPipe;
use drra_isa::fabric::images::TileInit;
use drra_isa::ports::Block;
use drra_isa::ports::Inputs;
use drra_isa::ports::ProgWord;
use drra_isa::ports::SramInit;
use drra_isa::ports::ZERO_BLOCK;

use crate::cell::Cell;
use crate::cell::Place;
use crate::column::Column;
use crate::message::CellMessage;
use crate::message::NocMessage;
use crate::sequencer::LoadPort;
use crate::tile;
use crate::tile::Around;
use crate::tile::Routing;
use crate::tile::Tile;
use crate::tile::TileActivity;

/// Status outputs (chapter 5, 5.5): functions of the registers of the current cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
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
    /// Contents, masked words 0.
    pub data: Block,
    /// 1: the word is not written.
    pub mask: u16,
}

/// The whole fabric in one cycle. See the crate documentation for the cycle contract.
#[derive(Clone, Debug)]
pub struct Fabric {
    pub(crate) geometry: Geometry,
    layout: Arc<Layout>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) columns: Vec<Column>,
    column_images: Vec<Vec<u64>>,
    pub(crate) tiles: Vec<Tile>,
    tile_images: Vec<Vec<u64>>,
    /// Words in flight; `None`: all lines 0.
    ld_pipe: Vec<Option<ProgWord>>,
    ld_image: Vec<u64>,
    /// Scratch space of `step`, so that a cycle allocates nothing.
    lanes: Vec<u16>,
    around: Vec<TileScratch>,
    home: Vec<HomeScratch>,
    /// What the columns handed to the tiles in the cycle before, if no tile changed in it: handed
    /// the same again, no tile changes. Empty if some tile changed.
    still: Vec<HomeScratch>,
    /// What `pack` has to do: anything at all, and for whom.
    stale: bool,
    stale_columns: Vec<bool>,
    stale_tiles: Vec<bool>,
    stale_pipe: bool,
}

/// What passes between a column and its home tile in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct HomeScratch {
    up: Block,
    noc: NocMessage,
}

/// What a tile sees and shows before the edge.
#[derive(Clone, Copy, Debug, Default)]
struct TileScratch {
    rx: [NocMessage; 4],
    routing: Routing,
    xout: [Block; 4],
    init: SramInit,
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
                let place = Place { row, col, cols: geometry.columns, none };
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
            column_images: vec![vec![0; layout.words(UnitKind::Column)]; geometry.columns],
            tile_images: vec![vec![0; layout.words(UnitKind::Tile)]; geometry.tiles()],
            tiles,
            ld_pipe: vec![None; Geometry::ROWS + geometry.columns - 2],
            ld_image: vec![0; Geometry::ROWS + geometry.columns - 2],
            lanes: vec![0; 4 * geometry.cells() + 1],
            around: vec![TileScratch::default(); geometry.tiles()],
            home: vec![HomeScratch::default(); geometry.columns],
            still: Vec::new(),
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

    /// Registers of a unit as of the last [`Self::pack`], in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// If the fabric has made a step since then, or has no such unit; likewise all that ask for a
    /// cell, a column or a tile.
    #[inline]
    pub fn image(&self, unit: Unit) -> &[u64] {
        assert!(!self.stale, "the images are out of date: call pack");
        match unit {
            Unit::Cell(cell) => &self.cells[cell.index(&self.geometry)].image,
            Unit::Column(column) => &self.column_images[column.col()],
            Unit::Tile(tile) => &self.tile_images[tile.index(&self.geometry)],
            Unit::Fabric => &self.ld_image,
        }
    }

    /// Value of a register, as of the last [`Self::pack`], or of a row of a tile's memory, low word
    /// first; `None` if the fabric has no such register.
    ///
    /// # Panics
    /// As [`Self::image`].
    pub fn value(&self, location: Location) -> Option<Vec<u64>> {
        let Location { unit, register } = location;
        if !unit.is_in(&self.geometry) || register.unit_kind() != unit.kind() {
            return None;
        }
        match (unit, register.id()) {
            (Unit::Tile(tile), RegisterId::TileSram) => {
                Some(self.sram(tile).get(register.number()?)?.to_vec())
            }
            _ => self.layout.value(register, self.image(unit)),
        }
    }

    fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.index(&self.geometry)]
    }

    fn tile(&self, tile: TileId) -> &Tile {
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

    /// Bit r: the cell of row r hands a message to the NoC or to the I/O unit of its column in the
    /// current cycle.
    pub fn messages(&self, column: ColumnId) -> u8 {
        let hands = |cell: CellId| self.cell(cell).message() != CellMessage::default();
        column.cells().into_iter().fold(0, |m, cell| m | u8::from(hands(cell)) << cell.row())
    }

    /// What a tile did in the last step.
    #[inline]
    pub fn tile_activity(&self, tile: TileId) -> TileActivity {
        self.tile(tile).activity
    }

    /// Registers of a side of a tile in the current cycle.
    pub fn side(&self, tile: TileId, side: Side) -> crate::tile::SideRegisters {
        self.tile(tile).side(side.index())
    }

    /// Status outputs of the current cycle.
    pub fn status(&self) -> Status {
        let idle =
            self.cells.iter().enumerate().fold(0, |m, (i, c)| m | u64::from(c.seq.idle()) << i);
        Status {
            cell_idle: idle,
            all_idle: self.cells.iter().all(|c| c.seq.idle())
                && self.ld_pipe.iter().all(Option::is_none),
            agu_busy: self.cells.iter().any(|c| c.rf.busy())
                || self.columns.iter().any(Column::busy)
                || self.tiles.iter().any(Tile::busy),
        }
    }

    /// True if all cells are idle, no program word is in flight and no generator is active:
    /// `all_idle & !agu_busy`.
    pub fn quiet(&self) -> bool {
        self.cells.iter().all(|c| c.seq.idle()) && {
            let status = self.status();
            status.all_idle && !status.agu_busy
        }
    }

    /// Instructions decoded by all sequencers since reset.
    pub fn instructions(&self) -> u64 {
        self.cells.iter().map(|c| c.seq.instructions()).sum()
    }

    /// Requests to the input buffers in the current cycle; the answers belong into the next one.
    pub fn buffer_reads(&self) -> impl Iterator<Item = BufferRead> + '_ {
        ColumnId::all(&self.geometry).zip(&self.columns).filter_map(|(column, registers)| {
            registers.buffer_read().map(|addr| BufferRead { column, addr })
        })
    }

    /// Writes to the output buffers in the current cycle.
    pub fn buffer_writes(&self) -> impl Iterator<Item = BufferWrite> + '_ {
        ColumnId::all(&self.geometry).zip(&self.columns).filter_map(|(column, registers)| {
            let (addr, data, mask) = registers.buffer_write()?;
            Some(BufferWrite { column, addr, data, mask })
        })
    }

    /// The lanes that a cell drives in the current cycle, in the order of
    /// [`Lane::ALL`](drra_isa::Lane::ALL). Those of all cells, and what listens to them:
    /// [`Self::signals`].
    pub fn lanes_of(&self, cell: CellId) -> [u16; 4] {
        self.cell(cell).signals(&self.geometry).lanes
    }

    /// Executes one cycle.
    pub fn step(&mut self, inputs: &Inputs<'_>) {
        let cols = self.geometry.columns;

        // Everything that cells show, then what they select.
        for (cell, lanes) in self.cells.iter_mut().zip(self.lanes.chunks_exact_mut(4)) {
            lanes.copy_from_slice(&cell.show());
        }

        // Columns and tiles: what they hand out comes from registers and from the cells.
        for c in 0..cols {
            let (top, bottom) = (&self.cells[c], &self.cells[cols + c]);
            let rf_up = top.rf.blk_rdata().or_else(|| bottom.rf.blk_rdata());
            let rf_up = rf_up.as_ref();
            let messages = [top.message(), bottom.message()];
            let tile_down = self.tiles[c].xout[tile::S];
            let shared = self.columns[c].shared(messages, rf_up, &tile_down);
            self.home[c] = HomeScratch { up: shared.up, noc: shared.noc };

            // The cells of the column.
            let row1 = *self.columns[c].row1();
            for (r, (block, mask)) in [shared.down, row1].into_iter().enumerate() {
                let i = r * cols + c;
                let tap = match r + c {
                    0 => inputs.prog,
                    n => self.ld_pipe[n - 1],
                };
                let load = tap.map_or_else(LoadPort::default, |w| LoadPort {
                    valid: true,
                    matches: w.row_sel >> r & 1 == 1 && w.col_sel >> c & 1 == 1,
                    instr: w.instr,
                    imm: w.imm,
                });
                let init = inputs
                    .rf_init
                    .filter(|f| (f.row, f.col) == (r, c))
                    .map(|f| (f.block % self.geometry.rf_blocks(), f.data));
                let vin = self.cells[i].sources.map(|k| self.lanes[usize::from(k)]);
                self.cells[i].step(load, vin, &block, mask, init);
            }

            let io_in_data = inputs.io_in_data.get(c).unwrap_or(&ZERO_BLOCK);
            let changed =
                self.columns[c].step(messages, rf_up, &tile_down, &shared.down, io_in_data);
            self.stale_columns[c] |= changed;
        }
        self.step_tiles(inputs.sram_init);

        // Load pipeline; while it is empty its words are 0.
        if inputs.prog.is_some() || self.ld_pipe.iter().any(Option::is_some) {
            self.ld_pipe.rotate_right(1);
            self.ld_pipe[0] = inputs.prog;
            self.stale_pipe = true;
        }
        self.stale = true;
    }

    fn step_tiles(&mut self, port: Option<SramInit>) {
        if port.is_none() && self.still == self.home {
            return; // no tile changed in the last step either, so that their activity is "none"
        }
        let cols = self.geometry.columns;
        let count = self.tiles.len();
        let mut changed = port.is_some();
        let g = self.geometry;
        let port = port.map(|p| SramInit {
            row: p.row & ((1 << Parameter::TileRow.value(&g)) - 1),
            col: p.col & ((1 << Parameter::Column.value(&g)) - 1),
            addr: p.addr % g.sram_blocks,
            data: p.data,
            valid: true,
        });

        // Everything is computed from the registers before the edge, then all tiles step.
        let mut before = std::mem::take(&mut self.around);
        for (i, scratch) in before.iter_mut().enumerate() {
            let east_segment =
                if i % cols + 1 < cols { self.tiles[i + 1].seg_w } else { Segment::Closed };
            let north_segment =
                if i + cols < count { self.tiles[i + cols].seg_s } else { Segment::Closed };
            let own = &self.tiles[i];
            let segments = [north_segment, own.seg_s, east_segment, own.seg_w];
            let mut rx = [NocMessage::NONE; 4];
            if north_segment == Segment::Back {
                rx[tile::N] = self.tiles[i + cols].vertical_out();
            }
            if own.seg_s == Segment::Ahead {
                rx[tile::S] =
                    if i < cols { self.home[i].noc } else { self.tiles[i - cols].vertical_out() };
            }
            if east_segment == Segment::Back {
                rx[tile::E] = self.tiles[i + 1].horizontal_out();
            }
            if own.seg_w == Segment::Ahead && i % cols > 0 {
                rx[tile::W] = self.tiles[i - 1].horizontal_out();
            }
            let [n, s, e, w, _] = own.xout;
            *scratch = TileScratch {
                rx,
                routing: if rx == [NocMessage::NONE; 4] {
                    Routing::default()
                } else {
                    Tile::routing(&rx, segments)
                },
                xout: [n, s, e, w],
                init: own.init,
            };
        }
        for i in 0..count {
            let (east, west) = (i % cols + 1 < cols, i % cols > 0);
            let (north, south) = (i + cols < count, i >= cols);
            let seen = match i {
                0 => port.as_ref(),
                _ if south => Some(&before[i - cols].init),
                _ => Some(&before[i - 1].init),
            };
            let around = Around {
                rx: before[i].rx,
                ask_w: if west { before[i - 1].routing.ask[tile::E] } else { None },
                ask_s: if south {
                    before[i - cols].routing.ask[tile::N]
                } else {
                    Some(Segment::Ahead)
                },
                data: [
                    if north { &before[i + cols].xout[tile::S] } else { &ZERO_BLOCK },
                    if south { &before[i - cols].xout[tile::N] } else { &self.home[i].up },
                    if east { &before[i + 1].xout[tile::W] } else { &ZERO_BLOCK },
                    if west { &before[i - 1].xout[tile::E] } else { &ZERO_BLOCK },
                ],
                init: seen.filter(|s| s.valid),
            };
            if self.tiles[i].step(&before[i].routing, &around) {
                changed = true;
                self.stale_tiles[i] = true;
            }
        }
        self.around = before;
        self.still.clear();
        if !changed {
            self.still.extend_from_slice(&self.home);
        }
    }

    /// Brings [`Self::image`] up to date. Separate from [`Self::step`], so that a run that looks at
    /// no register pays nothing for it.
    pub fn pack(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        for cell in &mut self.cells {
            cell.pack();
        }
        for c in 0..self.columns.len() {
            if std::mem::take(&mut self.stale_columns[c]) {
                self.pack_column(c);
            }
        }
        for i in 0..self.tiles.len() {
            if std::mem::take(&mut self.stale_tiles[i]) {
                self.pack_tile(i);
            }
        }
        if std::mem::take(&mut self.stale_pipe) {
            self.pack_pipe();
        }
    }

    fn pack_pipe(&mut self) {
        let cols = self.geometry.columns as u32;
        for (word, image) in self.ld_pipe.iter().zip(&mut self.ld_image) {
            *image = word.map_or(0, |w| {
                let word = LdPipe {
                    valid: true,
                    imm: w.imm,
                    instr: w.instr & 0x7ff_ffff,
                    row_sel: w.row_sel & 3,
                    col_sel: (u64::from(w.col_sel) & ((1 << cols) - 1)) as u32,
                };
                word.pack(cols)
            });
        }
    }

    fn pack_column(&mut self, c: usize) {
        let slots = self.layout.slots();
        let slot = |group| slots.of(group);
        let (column, image) = (&self.columns[c], &mut self.column_images[c]);
        let (block, mask) = column.row1();
        image[slot(GroupId::ColumnBlkInRow1)..][..4].copy_from_slice(block);
        image[slot(GroupId::ColumnBlkInMaskRow1)] = u64::from(*mask);
        image[slot(GroupId::ColumnIoMsg)..][..2].copy_from_slice(&column.io_msg_words());
        image[slot(GroupId::ColumnIoFlow)] = column.flow_word();
        image[slot(GroupId::ColumnIoRdata)..][..4].copy_from_slice(column.rdata());
        image[slot(GroupId::ColumnIoWdata)..][..4].copy_from_slice(column.wdata());
        for (k, agu) in [&column.io_rd, &column.io_wr].into_iter().enumerate() {
            image[slot(GroupId::ColumnIoGeneratorSt) + k] = agu.io_state_word();
            image[slot(GroupId::ColumnIoGeneratorCfg) + k] = agu.io_cfg_word();
        }
    }

    fn pack_tile(&mut self, i: usize) {
        let slots = self.layout.slots();
        let slot = |group| slots.of(group);
        let (tile, image) = (&self.tiles[i], &mut self.tile_images[i]);
        image[slot(GroupId::TileSegs)] = tile.segments_word();
        image[slot(GroupId::TileMemRvalid)] = tile.mem_rvalid.into();
        image[slot(GroupId::TileMemQ)..][..4].copy_from_slice(tile.mem_q());
        for x in 0..4 {
            let [path, fwd, take] = tile.side_words(x);
            image[slot(GroupId::TileSidePath) + x] = path;
            image[slot(GroupId::TileSideFwd) + x] = fwd;
            image[slot(GroupId::TileSideAgu) + x] = take;
        }
        image[slot(GroupId::TileXsel)] = tile.xsel_word();
        for (k, block) in tile.xout.iter().enumerate() {
            image[slot(GroupId::TileXout) + 4 * k..][..4].copy_from_slice(block);
        }
        for (k, agu) in [&tile.rd, &tile.wr].into_iter().enumerate() {
            image[slot(GroupId::TileGeneratorSt) + k] = agu.sram_state_word();
            image[slot(GroupId::TileGeneratorCfg) + k] = agu.sram_cfg_word();
        }
        let init = &tile.init;
        let g = &self.geometry;
        let seen = TileInit {
            en: init.valid,
            row: init.row as u32,
            col: init.col as u32,
            addr: init.addr as u32,
        };
        let [row, col, addr] = [Parameter::TileRow, Parameter::Column, Parameter::SramAddress];
        image[slot(GroupId::TileInit)] = seen.pack(row.value(g), col.value(g), addr.value(g));
        image[slot(GroupId::TileInitData)..][..4].copy_from_slice(&init.data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group whose words `pack` never writes keeps what was there before.
    #[test]
    fn every_group_is_packed() {
        let mut fabric = Fabric::new(Geometry::default(), 0);
        let old = 0x5a5a_5a5a_5a5a_5a5a;
        fabric.cells[0].image.fill(old);
        fabric.cells[0].mark_all_stale();
        fabric.column_images[0].fill(old);
        fabric.stale_columns[0] = true;
        fabric.tile_images[0].fill(old);
        fabric.stale_tiles[0] = true;
        fabric.ld_image.fill(old);
        fabric.stale_pipe = true;
        fabric.stale = true;
        fabric.pack();
        for variable in fabric.layout.variables() {
            let unit = Unit::from_index(variable.unit, 0, &fabric.geometry).unwrap();
            let words = variable.words(fabric.image(unit));
            assert!(!words.contains(&old), "pack does not write {}", variable.group);
        }
    }
}
