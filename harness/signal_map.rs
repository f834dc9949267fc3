// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal map: combinational signals between the blocks (chapter 5, 7.3), by their names in the
//! RTL. Registers alone are compared while a case runs; where they begin to differ, the signals of
//! the cycle before tell in which block the difference arose.

use drra_golden::Block;
use drra_golden::Owner;
use drra_golden::Signals;
use drra_golden::Unit;
use drra_isa::Geometry;

use crate::bridge::Dut;
use crate::state_map::scope;

/// A signal that differs between the two sides.
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

/// Bytes of the variables that are read, by module.
const LANES: usize = 8;
const INPUTS: usize = 12;
const BLOCK: usize = size_of::<Block>();
/// Two messages of 67 bits, four of 63 bits, in 32-bit words.
const CELL_MESSAGES: usize = 20;
const TILE_MESSAGES: usize = 32;

/// The signals of one [`Dut`] as of its last evaluation. As with
/// [`StateMap`](crate::state_map::StateMap), it must not outlive the `Dut`.
#[derive(Debug)]
pub struct SignalMap {
    geometry: Geometry,
    cells: Vec<CellPlaces>,
    columns: Vec<ColumnPlaces>,
    tiles: Vec<TilePlaces>,
}

#[derive(Debug)]
struct CellPlaces {
    lanes: *const u8,
    vin: *const u8,
    blk_wdata: *const u8,
    blk_wmask: *const u8,
}

#[derive(Debug)]
struct ColumnPlaces {
    cell_noc: *const u8,
    blk_rd_en: *const u8,
    blk_rdata: *const u8,
}

#[derive(Debug)]
struct TilePlaces {
    msg: *const u8,
    data: *const u8,
}

impl SignalMap {
    /// Finds every variable.
    ///
    /// # Errors
    /// If the model lacks one or it has another size: a defect of the build.
    pub fn new(dut: &Dut, geometry: &Geometry) -> Result<Self, String> {
        let find = |owner, index, name: &str, bytes: usize| {
            let scope = scope(geometry.columns, Unit { owner, index });
            let found = dut.memory(&scope, name)?;
            if found.bytes != bytes {
                return Err(format!(
                    "{scope}.{name} has {} bytes, the signal map says {bytes}",
                    found.bytes
                ));
            }
            Ok(found.address as *const u8)
        };
        let cells = (0..geometry.cells())
            .map(|i| {
                Ok(CellPlaces {
                    lanes: find(Owner::Cell, i, "lane_o", LANES)?,
                    vin: find(Owner::Cell, i, "vin_i", INPUTS)?,
                    blk_wdata: find(Owner::Cell, i, "blk_wdata_i", BLOCK)?,
                    blk_wmask: find(Owner::Cell, i, "blk_wmask_i", 2)?,
                })
            })
            .collect::<Result<_, String>>()?;
        let columns = (0..geometry.columns)
            .map(|i| {
                Ok(ColumnPlaces {
                    cell_noc: find(Owner::Column, i, "cell_noc_i", CELL_MESSAGES)?,
                    blk_rd_en: find(Owner::Column, i, "blk_rd_en_i", 1)?,
                    blk_rdata: find(Owner::Column, i, "blk_rdata_i", 2 * BLOCK)?,
                })
            })
            .collect::<Result<_, String>>()?;
        let tiles = (0..geometry.tiles())
            .map(|i| {
                Ok(TilePlaces {
                    msg: find(Owner::Tile, i, "msg_i", TILE_MESSAGES)?,
                    data: find(Owner::Tile, i, "data_i", 4 * BLOCK)?,
                })
            })
            .collect::<Result<_, String>>()?;
        Ok(Self { geometry: *geometry, cells, columns, tiles })
    }

    /// All signals that differ from those of the golden model in the same cycle: what a block hands
    /// out before what others make of it.
    pub fn differences(&self, golden: &Signals) -> Vec<SignalDifference> {
        let cols = self.geometry.columns;
        let mut found = Vec::new();
        let mut compare = |signal: Signal, width: u32, golden: &[u64], rtl: &[u64]| {
            if golden != rtl {
                let (golden, rtl) = (golden.to_vec(), rtl.to_vec());
                found.push(SignalDifference { signal, width, golden, rtl });
            }
        };
        for (cell, (ours, places)) in golden.cells.iter().zip(&self.cells).enumerate() {
            for lane in 0..4 {
                let rtl = bits(places.lanes, LANES, 16 * lane, 16);
                compare(Signal::Lane { cell, lane }, 16, &[ours.lanes[lane].into()], &rtl[..1]);
            }
            let (row, column) = (cell / cols, &self.columns[cell % cols]);
            let noc = bits(column.cell_noc, CELL_MESSAGES, 67 * row, 67);
            compare(Signal::CellMessage { cell }, 67, &ours.cell_noc, &noc[..2]);
            // The enable in front of the block.
            let enabled = bits(column.blk_rd_en, 1, row, 1)[0];
            let mut rtl = [0, 0, 0, 0, enabled];
            if enabled == 1 {
                rtl[..4].copy_from_slice(&bits(column.blk_rdata, 2 * BLOCK, 256 * row, 256));
            }
            let block = ours.blk_rdata.unwrap_or_default();
            let mut golden = [0, 0, 0, 0, ours.blk_rdata.is_some().into()];
            golden[..4].copy_from_slice(&block);
            compare(Signal::BlockRead { cell }, 257, &golden, &rtl);
        }
        for (cell, (ours, places)) in golden.cells.iter().zip(&self.cells).enumerate() {
            for v in 0..6 {
                let rtl = bits(places.vin, INPUTS, 16 * v, 16);
                compare(Signal::Input { cell, v }, 16, &[ours.vin[v].into()], &rtl[..1]);
            }
            // The mask in front of the block.
            let [b0, b1, b2, b3] = bits(places.blk_wdata, BLOCK, 0, 256);
            let rtl = [b0, b1, b2, b3, bits(places.blk_wmask, 2, 0, 16)[0]];
            let [b0, b1, b2, b3] = ours.blk_wdata;
            let golden = [b0, b1, b2, b3, ours.blk_wmask.into()];
            compare(Signal::BlockWrite { cell }, 272, &golden, &rtl);
        }
        for (col, ours) in golden.columns.iter().enumerate() {
            // The home tile sees what the column hands out on its side S.
            let home = &self.tiles[col];
            compare(Signal::Up { col }, 256, &ours.up, &bits(home.data, 4 * BLOCK, 256, 256));
            let message = bits(home.msg, TILE_MESSAGES, 63, 63);
            compare(Signal::ColumnMessage { col }, 63, &[ours.col_noc], &message[..1]);
        }
        for (tile, (ours, places)) in golden.tiles.iter().zip(&self.tiles).enumerate() {
            // Side S of the home row is that of the column.
            for side in (0..4).filter(|&side| tile >= cols || side != 1) {
                let rtl = bits(places.msg, TILE_MESSAGES, 63 * side, 63);
                let signal = Signal::TileMessage { tile, side };
                compare(signal, 63, &[ours.msg_in[side]], &rtl[..1]);
            }
        }
        found
    }
}

/// At most 256 bits of a variable of so many bytes, low word first.
fn bits(at: *const u8, bytes: usize, lsb: usize, width: usize) -> Block {
    assert!((lsb + width).div_ceil(8) <= bytes && width <= 256, "bits of the variable");
    // SAFETY: the size of every variable was checked when it was found, and the model is not
    // evaluated meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(at, bytes) };
    let mut value = Block::default();
    for i in 0..width {
        let bit = bytes[(lsb + i) / 8] >> ((lsb + i) % 8) & 1;
        value[i / 64] |= u64::from(bit) << (i % 64);
    }
    value
}
