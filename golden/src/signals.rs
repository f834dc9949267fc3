// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinational signals of a cycle, for observers (chapter 5, 7.4): functions of the registers
//! before the edge. A step does not use them; they tell where a wrong value came from.

use drra_isa::{
    CellId, CellInput, ColumnId, Geometry, Lane, TileId,
    fabric::{AguId, Side},
    instructions::PermMode,
};

use crate::{
    block::Block,
    fabric::Fabric,
    message::{CellMessage, NocMessage},
    tile,
    wires::Values,
};

/// Signals of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSignals {
    /// Lanes that the cell drives, in the order of [`Lane::ALL`].
    pub lanes: [u16; 4],
    /// What each input listens to, in the order of [`CellInput::ALL`]; `None` for one that reads 0.
    pub sources: [Option<(CellId, Lane)>; 6],
    /// What is on the inputs, in the same order.
    pub vin: [u16; 6],
    /// Addresses that the AGUs emit, in the order of [`AguId::ALL`].
    pub emitted: [Option<u8>; 6],
    /// `blk_rdata`, `None` without `blk_rd_en`.
    pub blk_rdata: Option<Block>,
    /// Block that the column offers to the register file.
    pub blk_wdata: Block,
    /// Mask of that block: bit k = 1 keeps word k as it is.
    pub blk_wmask: u16,
    /// `cell_noc`, 67 bits, low word first.
    pub cell_noc: [u64; 2],
    /// Number of the block that a PERM permutes; `None` if none executes or its mode is reserved.
    pub perm_block: Option<u8>,
}

/// Signals of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSignals {
    /// `up`: block to the home tile.
    pub up: Block,
    /// `col_noc`, 63 bits.
    pub col_noc: u64,
    /// The cells get the block of the I/O unit (`io_rvalid`) instead of that of the home tile.
    pub from_buffer: bool,
}

/// Signals of one tile; sides in the order N, S, E, W.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileSignals {
    /// `msg_in`: what the neighbours send, 63 bits each, 0 at the edge.
    pub msg_in: [u64; 4],
    /// `rx`: the same where the segment points into the tile, else 0.
    pub rx: [u64; 4],
}

impl CellSignals {
    /// What is on a lane that the cell drives.
    pub fn lane(&self, lane: Lane) -> u16 {
        self.lanes[lane.index()]
    }

    /// What is on an input.
    pub fn input(&self, input: CellInput) -> u16 {
        self.vin[input.index()]
    }

    /// The lane that an input listens to; `None` if it reads 0.
    pub fn source(&self, input: CellInput) -> Option<(CellId, Lane)> {
        self.sources[input.index()]
    }

    /// Address that an AGU emits.
    pub fn emitted(&self, agu: AguId) -> Option<u8> {
        self.emitted[agu.index()]
    }
}

impl TileSignals {
    /// What the neighbour at a side sends, 63 bits, 0 at the edge.
    pub fn message_in(&self, side: Side) -> u64 {
        self.msg_in[side.index()]
    }

    /// The same where the segment points into the tile, else 0.
    pub fn rx(&self, side: Side) -> u64 {
        self.rx[side.index()]
    }
}

/// All signals of one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signals {
    geometry: Geometry,
    /// Per cell r*cols+c.
    pub cells: Vec<CellSignals>,
    /// Signals of column c at index c.
    pub columns: Vec<ColumnSignals>,
    /// Per tile (R-1)*cols+c.
    pub tiles: Vec<TileSignals>,
    /// Those between the modules of the units, if they were asked for.
    pub(crate) wires: Values,
}

impl Signals {
    /// Those of a cell.
    ///
    /// # Panics
    /// If the fabric has no such cell; likewise for columns and tiles.
    pub fn cell(&self, cell: CellId) -> &CellSignals {
        &self.cells[cell.index(&self.geometry)]
    }

    /// Those of a column.
    pub fn column(&self, column: ColumnId) -> &ColumnSignals {
        &self.columns[column.col()]
    }

    /// Those of a tile.
    pub fn tile(&self, tile: TileId) -> &TileSignals {
        &self.tiles[tile.index(&self.geometry)]
    }
}

impl Fabric {
    /// The signals of the current cycle.
    pub fn signals(&self) -> Signals {
        let cols = self.geometry.columns;
        let mut cells: Vec<CellSignals> =
            self.cells.iter().map(|c| c.signals(&self.geometry)).collect();
        let lanes: Vec<[u16; 4]> = cells.iter().map(|c| c.lanes).collect();
        let on = |(cell, lane): (CellId, Lane)| lanes[cell.index(&self.geometry)][lane.index()];
        for cell in &mut cells {
            cell.vin = cell.sources.map(|s| s.map_or(0, on));
        }
        let columns: Vec<ColumnSignals> = (0..cols)
            .map(|c| {
                let rf_up = cells[c].blk_rdata.or(cells[cols + c].blk_rdata);
                let messages = [self.cells[c].message(), self.cells[cols + c].message()];
                let column = &self.columns[c];
                let shared = column.shared(messages, rf_up.as_ref(), &self.tiles[c].xout[tile::S]);
                let (row1, mask) = column.row1();
                for (r, (block, mask)) in [shared.down, (row1, *mask)].into_iter().enumerate() {
                    cells[r * cols + c].blk_wdata = *block;
                    cells[r * cols + c].blk_wmask = mask;
                }
                let from_buffer = column.has_buffer_block();
                ColumnSignals { up: *shared.up, col_noc: shared.noc.0, from_buffer }
            })
            .collect();
        let tiles = (0..self.tiles.len()).map(|i| self.tile_signals(i, &columns)).collect();
        Signals { geometry: self.geometry, cells, columns, tiles, wires: Values::new() }
    }

    fn tile_signals(&self, i: usize, columns: &[ColumnSignals]) -> TileSignals {
        use drra_isa::fabric::SegmentDirection as Segment;
        let cols = self.geometry.columns;
        let north = self.tiles.get(i + cols);
        let east = (i % cols + 1 < cols).then(|| &self.tiles[i + 1]);
        let west = (!i.is_multiple_of(cols)).then(|| &self.tiles[i - 1]);
        let own = &self.tiles[i];
        let home = |c: &ColumnSignals| NocMessage(c.col_noc);
        let msg_in = [
            north.map(|t| t.vertical_out()),
            columns.get(i).map(home).or_else(|| Some(self.tiles[i - cols].vertical_out())),
            east.map(|t| t.horizontal_out()),
            west.map(|t| t.horizontal_out()),
        ]
        .map(|m| m.map_or(0, |m| m.0));
        let inwards = [
            north.is_some_and(|t| t.seg_s == Segment::Back),
            own.seg_s == Segment::Ahead,
            east.is_some_and(|t| t.seg_w == Segment::Back),
            own.seg_w == Segment::Ahead,
        ];
        TileSignals { msg_in, rx: std::array::from_fn(|x| if inwards[x] { msg_in[x] } else { 0 }) }
    }
}

impl crate::cell::Cell {
    /// The signals that the cell alone determines; what comes from outside is 0.
    pub(crate) fn signals(&self, geometry: &Geometry) -> CellSignals {
        let immediate = self.seq.immediate;
        let mut rf = self.rf.clone();
        rf.launch(immediate, self.seq.issued_refi());
        let (out0, out1) = self.dpu.outputs(immediate, self.seq.issued_dpu(), self.seq.cfg_bw());
        // The switchbox counts lanes through all cells; what is no lane reads 0.
        let source = |s: u16| {
            let lane = Lane::from_index(usize::from(s) % Lane::ALL.len())?;
            let cell = CellId::from_index(usize::from(s) / Lane::ALL.len(), geometry)?;
            Some((cell, lane))
        };
        CellSignals {
            lanes: [rf.rdata_0(), rf.rdata_1(), out0, out1],
            sources: self.sources.map(source),
            vin: [0; 6],
            emitted: rf.all_emitted(),
            blk_rdata: rf.blk_rdata(),
            blk_wdata: [0; 4],
            blk_wmask: 0,
            cell_noc: CellMessage::words(self.message()),
            perm_block: self
                .perm
                .leaving(immediate)
                .fields()
                .and_then(|p| PermMode::from_code(p.mode.into()).map(|_| p.block))
                // A smaller register file takes the lower bits (chapter 7, part B).
                .map(|block| block % geometry.rf_blocks() as u8),
        }
    }
}
