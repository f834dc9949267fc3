// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal map: combinational signals between the blocks (chapter 5, 7.3), by their names in the
//! RTL. Registers alone are compared while a case runs; where they begin to differ, the signals of
//! the cycle before tell in which block the difference arose.

use drra_golden::Owner;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_isa::ports::Block;
use drra_isa::ports::ZERO_BLOCK;
use drra_lockstep::DutError;
use drra_lockstep::Signal;

use super::sim::Sim;
use super::state_map::scope;

/// Bytes of the variables that are read, by module.
const LANES: usize = 8;
const INPUTS: usize = 12;
const BLOCK: usize = size_of::<Block>();
/// Two messages of 67 bits, four of 63 bits, in 32-bit words.
const CELL_MESSAGES: usize = 20;
const TILE_MESSAGES: usize = 32;

/// The signals of one [`Sim`] as of its last evaluation. As with
/// [`StateMap`](super::state_map::StateMap), it must not outlive the `Sim`.
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
    pub fn new(sim: &Sim, geometry: &Geometry) -> Result<Self, DutError> {
        let find = |owner, index, name: &str, bytes: usize| {
            let scope = scope(geometry.columns, Unit { owner, index });
            let found = sim.memory(&scope, name)?;
            if found.bytes != bytes {
                return Err(DutError::Map(format!(
                    "{scope}.{name} has {} bytes, the signal map says {bytes}",
                    found.bytes
                )));
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
            .collect::<Result<_, DutError>>()?;
        let columns = (0..geometry.columns)
            .map(|i| {
                Ok(ColumnPlaces {
                    cell_noc: find(Owner::Column, i, "cell_noc_i", CELL_MESSAGES)?,
                    blk_rd_en: find(Owner::Column, i, "blk_rd_en_i", 1)?,
                    blk_rdata: find(Owner::Column, i, "blk_rdata_i", 2 * BLOCK)?,
                })
            })
            .collect::<Result<_, DutError>>()?;
        let tiles = (0..geometry.tiles())
            .map(|i| {
                Ok(TilePlaces {
                    msg: find(Owner::Tile, i, "msg_i", TILE_MESSAGES)?,
                    data: find(Owner::Tile, i, "data_i", 4 * BLOCK)?,
                })
            })
            .collect::<Result<_, DutError>>()?;
        Ok(Self { geometry: *geometry, cells, columns, tiles })
    }

    /// Value of a signal, low word first, as [`Signal::value`] gives that of the golden model.
    pub fn value(&self, signal: Signal) -> Vec<u64> {
        let cols = self.geometry.columns;
        match signal {
            Signal::Lane { cell, lane } => {
                bits(self.cells[cell].lanes, LANES, 16 * lane, 16)[..1].to_vec()
            }
            Signal::Input { cell, v } => {
                bits(self.cells[cell].vin, INPUTS, 16 * v, 16)[..1].to_vec()
            }
            Signal::CellMessage { cell } => {
                let (row, column) = (cell / cols, &self.columns[cell % cols]);
                bits(column.cell_noc, CELL_MESSAGES, 67 * row, 67)[..2].to_vec()
            }
            Signal::BlockRead { cell } => {
                let (row, column) = (cell / cols, &self.columns[cell % cols]);
                let enabled = bits(column.blk_rd_en, 1, row, 1)[0];
                let block = match enabled {
                    1 => bits(column.blk_rdata, 2 * BLOCK, 256 * row, 256),
                    _ => ZERO_BLOCK,
                };
                block.into_iter().chain([enabled]).collect()
            }
            Signal::BlockWrite { cell } => {
                let places = &self.cells[cell];
                let mask = bits(places.blk_wmask, 2, 0, 16)[0];
                bits(places.blk_wdata, BLOCK, 0, 256).into_iter().chain([mask]).collect()
            }
            // The home tile sees what the column hands out on its side S.
            Signal::Up { col } => bits(self.tiles[col].data, 4 * BLOCK, 256, 256).to_vec(),
            Signal::ColumnMessage { col } => self.message(col, 1),
            Signal::TileMessage { tile, side } => self.message(tile, side),
        }
    }

    /// The message at a side of a tile.
    fn message(&self, tile: usize, side: usize) -> Vec<u64> {
        bits(self.tiles[tile].msg, TILE_MESSAGES, 63 * side, 63)[..1].to_vec()
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
