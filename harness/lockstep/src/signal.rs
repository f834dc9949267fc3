// SPDX-License-Identifier: MIT OR Apache-2.0
//! Combinational signals between the blocks (chapter 5, 7.3). Registers alone are compared while a case
//! runs; where they begin to differ, the signals of the cycle before tell in which block the difference
//! arose.

use drra_golden::Signals;
use drra_isa::Geometry;

/// A signal between the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Lane of a cell: register file 0 and 1, DPU 0 and 1.
    Lane {
        /// Cell r*cols+c.
        cell: usize,
        /// Lane.
        lane: usize,
    },
    /// Input of a cell: `wdata_0`, `wdata_1`, DPU inputs 0 to 3.
    Input {
        /// Cell r*cols+c.
        cell: usize,
        /// Input.
        v: usize,
    },
    /// `blk_rdata` or `blk_rd_en` of a cell.
    BlockRead {
        /// Cell r*cols+c.
        cell: usize,
    },
    /// `blk_wdata` or `blk_wmask` of a cell.
    BlockWrite {
        /// Cell r*cols+c.
        cell: usize,
    },
    /// `cell_noc` of a cell.
    CellMessage {
        /// Cell r*cols+c.
        cell: usize,
    },
    /// `col_noc` of a column.
    ColumnMessage {
        /// Column.
        col: usize,
    },
    /// `up` of a column.
    Up {
        /// Column.
        col: usize,
    },
    /// `msg_in` of a tile from a neighbouring tile.
    TileMessage {
        /// Tile (R-1)*cols+c.
        tile: usize,
        /// Side N, S, E, W.
        side: usize,
    },
}

/// A signal with its two values, low word first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalDifference {
    /// The signal.
    pub signal: Signal,
    /// Width in bits.
    pub width: u32,
    /// Value in the golden model.
    pub golden: Vec<u64>,
    /// Value in the RTL.
    pub rtl: Vec<u64>,
}

impl Signal {
    /// All signals of a fabric: what a block hands out before what others make of it.
    pub fn all(geometry: &Geometry) -> Vec<Self> {
        let mut all = Vec::new();
        for cell in 0..geometry.cells() {
            all.extend((0..4).map(|lane| Self::Lane { cell, lane }));
            all.extend([Self::CellMessage { cell }, Self::BlockRead { cell }]);
        }
        for cell in 0..geometry.cells() {
            all.extend((0..6).map(|v| Self::Input { cell, v }));
            all.push(Self::BlockWrite { cell });
        }
        for col in 0..geometry.columns {
            all.extend([Self::Up { col }, Self::ColumnMessage { col }]);
        }
        for tile in 0..geometry.tiles() {
            // Side S of the home row is that of the column.
            let sides = (0..4).filter(|&side| tile >= geometry.columns || side != 1);
            all.extend(sides.map(|side| Self::TileMessage { tile, side }));
        }
        all
    }

    /// Width in bits; a block has its enable or its mask in front of it.
    pub fn width(self) -> u32 {
        match self {
            Self::Lane { .. } | Self::Input { .. } => 16,
            Self::BlockRead { .. } => 257,
            Self::BlockWrite { .. } => 272,
            Self::CellMessage { .. } => 67,
            Self::ColumnMessage { .. } | Self::TileMessage { .. } => 63,
            Self::Up { .. } => 256,
        }
    }

    /// Its value in the golden model, low word first.
    pub fn value(self, golden: &Signals) -> Vec<u64> {
        match self {
            Self::Lane { cell, lane } => vec![golden.cells[cell].lanes[lane].into()],
            Self::Input { cell, v } => vec![golden.cells[cell].vin[v].into()],
            Self::BlockRead { cell } => {
                let block = golden.cells[cell].blk_rdata;
                let enabled = u64::from(block.is_some());
                block.unwrap_or_default().into_iter().chain([enabled]).collect()
            }
            Self::BlockWrite { cell } => {
                let cell = &golden.cells[cell];
                cell.blk_wdata.into_iter().chain([cell.blk_wmask.into()]).collect()
            }
            Self::CellMessage { cell } => golden.cells[cell].cell_noc.to_vec(),
            Self::ColumnMessage { col } => vec![golden.columns[col].col_noc],
            Self::Up { col } => golden.columns[col].up.to_vec(),
            Self::TileMessage { tile, side } => vec![golden.tiles[tile].msg_in[side]],
        }
    }
}

/// The signals that differ from those of the golden model, in the order of [`Signal::all`]; `theirs` gives
/// the value of a signal in the design, low word first.
pub fn differing_signals(
    geometry: &Geometry,
    golden: &Signals,
    theirs: impl Fn(Signal) -> Vec<u64>,
) -> Vec<SignalDifference> {
    let differing = |signal: Signal| {
        let (golden, rtl) = (signal.value(golden), theirs(signal));
        let width = signal.width();
        (golden != rtl).then_some(SignalDifference { signal, width, golden, rtl })
    };
    Signal::all(geometry).into_iter().filter_map(differing).collect()
}
