// SPDX-License-Identifier: MIT OR Apache-2.0
//! Determines which lanes and crossbar outputs carry data. A register keeps its value, so a value alone does not show
//! whether data arrive. Data originate at a read port that emits an address, a memory that was read, or an I/O unit,
//! and are followed from there.

use drra_fabric::{
    AguId, CellInput, CrossbarPort, CrossbarSource, Lane, Location, Register, Side, ports::Block,
};
use drra_golden::{Fabric, Signals};
use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit, instructions::DpuMode};

use crate::crossbar::{output_at, side_of};

/// Number of cycles for which due results are kept; the latencies of all modes are shorter.
const LONGEST: usize = 8;

/// The lanes and outputs that carry data in the current cycle.
#[derive(Clone, Debug)]
pub struct ActiveOutputs {
    geometry: Geometry,
    /// Per cell: bit k is set if a result appears on the outputs of its DPU in k cycles.
    results: Vec<u8>,
    /// Per tile: blocks at the crossbar outputs.
    blocks: Vec<[Option<Block>; 5]>,
}

impl ActiveOutputs {
    pub fn new(geometry: &Geometry) -> Self {
        Self {
            geometry: *geometry,
            results: vec![0; geometry.cells()],
            blocks: vec![[None; 5]; geometry.tiles()],
        }
    }

    /// True if a lane carries a word that was read or computed for this cycle.
    pub fn lane(&self, signals: &Signals, cell: CellId, lane: Lane) -> bool {
        match lane {
            Lane::Rf0 => signals.cell(cell).emitted(AguId::R0).is_some(),
            Lane::Rf1 => signals.cell(cell).emitted(AguId::R1).is_some(),
            Lane::Dpu0 | Lane::Dpu1 => self.results[cell.index(&self.geometry)] & 1 == 1,
        }
    }

    /// The connected operands of the operation that a DPU performs in this cycle; `None` if it performs no operation. A
    /// DPU performs an operation if its mode has operands and data arrive at one or more of them.
    pub fn operation(&self, signals: &Signals, cell: CellId, mode: DpuMode) -> Option<[bool; 6]> {
        let info = mode.info();
        let sources = &signals.cell(cell).sources;
        let mut operands = [false; 6];
        let mut arrives = false;
        for number in info.operands[0].union(info.operands[1]).inputs() {
            let input = CellInput::Dpu0.index() + number;
            if let Some((from, lane)) = sources[input] {
                operands[input] = true;
                arrives |= self.lane(signals, from, lane);
            }
        }
        arrives.then_some(operands)
    }

    /// Advances a DPU by one clock edge: the result of this cycle's operation is due after the latency of its mode.
    pub fn step_dpu(&mut self, cell: CellId, operation: Option<DpuMode>) {
        let due = operation
            .and_then(|mode| mode.info().latency)
            .map_or(0, |latency| 1 << usize::from(latency).min(LONGEST - 1));
        let results = &mut self.results[cell.index(&self.geometry)];
        *results = (*results | due) >> 1;
    }

    /// Blocks at the crossbar outputs of a tile in this cycle; after [`Self::step_tiles`], in the next cycle.
    pub fn blocks(&self, tile: TileId) -> &[Option<Block>; 5] {
        &self.blocks[tile.index(&self.geometry)]
    }

    /// True if no block is at an output of a crossbar.
    pub fn has_no_block(&self) -> bool {
        self.blocks.iter().flatten().all(Option::is_none)
    }

    /// Advances the tiles by one clock edge: blocks that enter a tile in this cycle, from the sources of its crossbar
    /// and from the columns, are at the outputs in the next cycle.
    pub fn step_tiles(
        &mut self,
        fabric: &Fabric,
        ups: &[Option<Block>],
        crossbars: &[[CrossbarSource; 5]],
    ) {
        let entering = |(tile, sources): (TileId, &[CrossbarSource; 5])| {
            sources.map(|source| self.entering(fabric, tile, source, ups))
        };
        self.blocks = TileId::all(&self.geometry).zip(crossbars).map(entering).collect();
    }

    /// Block that enters a tile from a source of its crossbar in this cycle.
    pub fn entering(
        &self,
        fabric: &Fabric,
        tile: TileId,
        source: CrossbarSource,
        ups: &[Option<Block>],
    ) -> Option<Block> {
        match (source, side_of(source)) {
            (CrossbarSource::Mem, _) => memory_output(fabric, tile),
            (_, Some(side)) => self.at_side(tile, side, ups),
            (_, None) => None,
        }
    }

    fn at_side(&self, tile: TileId, side: Side, ups: &[Option<Block>]) -> Option<Block> {
        match side.neighbour(tile, &self.geometry) {
            Some(neighbour) => self.blocks(neighbour)[output_at(side.opposite()).index()],
            None if side == Side::S => ups[tile.col()],
            None => None,
        }
    }
}

/// Block on its way up from the cells or the input buffer of a column to the home tile or the output buffer.
pub fn block_up(signals: &Signals, column: ColumnId) -> Option<Block> {
    let own = signals.column(column);
    let from_cells = column.cells().iter().any(|cell| signals.cell(*cell).blk_rdata.is_some());
    (from_cells || own.from_buffer).then_some(own.up)
}

/// Sources of the crossbar outputs of a tile.
pub fn crossbar_sources(fabric: &Fabric, tile: TileId) -> [CrossbarSource; 5] {
    // Every tile is asked in every cycle, so the register is read in place.
    let image = fabric.image(tile.into());
    std::array::from_fn(|k| {
        let found = fabric.layout().find(Register::TileXsel(CrossbarPort::ALL[k]));
        let selected = found.map(|(variable, field)| {
            variable.words(image)[0] >> field.lsb & ((1 << field.width) - 1)
        });
        selected.and_then(CrossbarSource::from_value).unwrap_or(CrossbarSource::None)
    })
}

/// Low 64 bits of a register; the image of the unit must be up to date.
pub fn low(fabric: &Fabric, unit: impl Into<Unit>, register: Register) -> u64 {
    let words = fabric.value(Location { unit: unit.into(), register });
    words.and_then(|words| words.first().copied()).unwrap_or(0)
}

/// Block that the memory of a tile has read for this cycle.
fn memory_output(fabric: &Fabric, tile: TileId) -> Option<Block> {
    if !fabric.mem_rvalid(tile) {
        return None;
    }
    let location = Location { unit: tile.into(), register: Register::TileMemQ };
    fabric.value(location)?.try_into().ok()
}
