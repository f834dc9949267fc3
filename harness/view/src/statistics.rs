// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of a run: the activities of each unit, and their durations.

use std::collections::BTreeMap;

use drra_case::Case;
use drra_fabric::AguId;
use drra_isa::{CellId, ColumnId, Geometry, SizeNumbers, TileId, Unit};
use drra_report::stored::{self, StoredError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Format version that this build writes, and the only version that it reads.
pub const VERSION: u32 = 1;

/// Statistics of a run on the golden model. Activity is counted from the first decode on, so the loading before it does
/// not matter; inactive units are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// Name of the program.
    pub program: String,
    /// Size of the fabric.
    #[serde(with = "SizeNumbers")]
    #[schemars(with = "SizeNumbers")]
    pub fabric: Geometry,
    /// Cycles of the run, including loading and the idle cycles at its end.
    pub cycles: u64,
    /// True if a sequencer or the load pipeline was not idle when the run ended.
    pub unfinished: bool,
    /// The cycles in which the program is active; absent if nothing was decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<ProgramSpan>,
    /// Number of instructions decoded; a WAIT is counted once.
    pub instructions: u64,
    /// Totals over all units.
    pub totals: Totals,
    /// Cells, row-major.
    pub cells: Vec<CellStatistics>,
    /// Columns.
    pub columns: Vec<ColumnStatistics>,
    /// Tiles, row-major.
    pub tiles: Vec<TileStatistics>,
}

/// The cycles in which a program is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramSpan {
    /// Cycle of the first decode.
    pub first_decode: u64,
    /// Last cycle in which at least one unit is active, other than by storing a program.
    pub last_active: u64,
    /// Number of cycles, both ends included: the duration of the program.
    pub cycles: u64,
}

/// Totals over all units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Words that register files read through r0 and r1.
    pub words_read: u64,
    /// Words that register files store through w0 and w1.
    pub words_written: u64,
    /// Words that the switchboxes transport to write ports and operands.
    pub words_moved: u64,
    /// Operations of the DPUs.
    pub operations: u64,
    /// Blocks that enter the crossbars of tiles; each tile that a block passes counts it.
    pub blocks_moved: u64,
    /// Messages that cells send.
    pub messages: u64,
    /// Number of losses: configurations for an address generator that is busy (in a register file, tile or I/O unit),
    /// messages without a path, and messages of row 1 that lose to messages of row 0.
    pub lost: u64,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellStatistics {
    /// The cell, by its path: `cell[0][0]`.
    pub cell: CellId,
    /// Cycles in which the cell decodes an instruction other than WAIT.
    pub busy: u64,
    /// Cycles in which a WAIT holds the program.
    pub waiting: u64,
    /// Cycles in which the cell stores a program, from the first decode in the fabric on.
    pub loading: u64,
    /// All other cycles of the span.
    pub idle: u64,
    /// Instructions decoded, by name; a code that is not an instruction is `.WORD`.
    pub instructions: BTreeMap<String, u64>,
    /// Operations of the DPU, by mode: cycles in which data arrive at an operand of the mode.
    pub operations: BTreeMap<String, u64>,
    /// Cycles in which the DPU has a mode but no data arrive.
    pub dpu_without_data: u64,
    /// The AGUs, except AGUs that are always idle.
    pub agus: Vec<AguStatistics>,
    /// Words read by r0 or r1 that no input receives.
    pub words_unheard: u64,
    /// Words that the inputs receive from lanes of the same cell.
    pub words_from_itself: u64,
    /// Words that the inputs receive from lanes of other cells.
    pub words_from_others: u64,
    /// PERM instructions executed.
    pub permutations: u64,
    /// Messages sent, by kind.
    pub messages: BTreeMap<String, u64>,
    /// REFI configurations for an AGU that is busy; their patterns do not start.
    #[serde(default)]
    pub lost: u64,
    /// Loops with at least one complete iteration.
    #[serde(default)]
    pub loops: Vec<crate::LoopStatistics>,
    /// Cycles in which a WAIT holds the program, by the address of the WAIT.
    #[serde(default)]
    pub waits: BTreeMap<usize, u64>,
    /// Lines of the instructions in the source, counted from 1, by address; empty if there is no source.
    #[serde(default)]
    pub lines: BTreeMap<usize, usize>,
}

/// An AGU of a register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AguStatistics {
    /// The AGU, by its name: `w0`.
    pub agu: AguId,
    /// Addresses that the AGU emits: words, or blocks of 16 words for wb and rb.
    pub addresses: u64,
    /// Cycles in which the AGU is active but emits no address.
    pub delays: u64,
}

/// A column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnStatistics {
    /// Number of the column, starting at 0.
    pub column: usize,
    /// Cycles in which the column carries a block up, or its I/O unit is active.
    pub busy: u64,
    /// Blocks on their way to the home tile or to the output buffer.
    pub blocks_up: u64,
    /// Blocks requested from the input buffer.
    pub buffer_reads: u64,
    /// Blocks written to the output buffer.
    pub buffer_writes: u64,
    /// Messages of row 1 that lose to messages of row 0, and configurations for an I/O generator that is busy.
    #[serde(default)]
    pub lost: u64,
}

/// A tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TileStatistics {
    /// The tile, by its path: `tile[1][0]`.
    pub tile: TileId,
    /// Cycles in which a generator is active, a block passes through or a message arrives.
    pub busy: u64,
    /// Rows that the memory reads.
    pub rows_read: u64,
    /// Rows that the memory stores from the NoC.
    pub rows_written: u64,
    /// Blocks that enter the crossbar; a block that is sent to two outputs is counted once.
    pub blocks_moved: u64,
    /// Messages that arrive.
    pub messages: u64,
    /// Messages without a path, and configurations for a generator that is busy.
    pub lost: u64,
}

impl CellStatistics {
    /// The statistics of a cell with all counts 0.
    fn new(cell: CellId) -> Self {
        let agu = |agu: &AguId| AguStatistics { agu: *agu, addresses: 0, delays: 0 };
        Self { cell, agus: AguId::ALL.iter().map(agu).collect(), ..Self::default() }
    }

    /// Operations of the DPU.
    pub fn all_operations(&self) -> u64 {
        self.operations.values().sum()
    }

    /// Instructions decoded.
    pub fn all_instructions(&self) -> u64 {
        self.instructions.values().sum()
    }

    /// Messages sent.
    pub fn all_messages(&self) -> u64 {
        self.messages.values().sum()
    }

    /// Addresses that these AGUs emit.
    pub fn addresses(&self, agus: &[AguId]) -> u64 {
        self.agus.iter().filter(|a| agus.contains(&a.agu)).map(|a| a.addresses).sum()
    }

    /// True if the unit is active in any cycle.
    fn does_something(&self) -> bool {
        let Self { busy, waiting, loading, permutations, .. } = self;
        busy + waiting + loading + permutations > 0
            || !self.agus.is_empty()
            || !self.operations.is_empty()
    }
}

impl TileStatistics {
    /// The statistics of a tile with all counts 0.
    fn new(tile: TileId) -> Self {
        Self { tile, busy: 0, rows_read: 0, rows_written: 0, blocks_moved: 0, messages: 0, lost: 0 }
    }
}

impl Statistics {
    /// Duration of the program: the cycles from the first decode to the last activity.
    pub fn program_cycles(&self) -> u64 {
        self.span.map_or(0, |span| span.cycles)
    }

    /// The text of a file with the statistics of some programs, which follows `statistics.schema.json`.
    ///
    /// # Panics
    /// Never: figures are plain data.
    pub fn to_json(all: &[Self]) -> String {
        serde_json::to_string_pretty(all).expect("plain data") + "\n"
    }

    /// Reads the statistics of one program.
    ///
    /// # Errors
    /// If the text is not the statistics of one program, or has another version.
    pub fn parse(text: &str) -> Result<Self, StoredError> {
        stored::parse(text, VERSION)
    }
}

/// Accumulates the statistics of a run, from the first decode on.
#[derive(Debug)]
pub(super) struct StatisticsAccumulator {
    pub(super) first_decode: Option<u64>,
    last_active: u64,
    /// True if some unit is active in this cycle, other than by storing a program.
    pub(super) active: bool,
    /// All units, row-major.
    pub(super) cells: Vec<CellStatistics>,
    pub(super) columns: Vec<ColumnStatistics>,
    pub(super) tiles: Vec<TileStatistics>,
    /// Per cell: cycles in which its DPU has a mode but no data, counted since the last activity of the fabric.
    pub(super) without_data: Vec<u64>,
}

impl StatisticsAccumulator {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let column =
            |c: ColumnId| ColumnStatistics { column: c.col(), ..ColumnStatistics::default() };
        Self {
            first_decode: None,
            last_active: 0,
            active: false,
            cells: CellId::all(geometry).map(CellStatistics::new).collect(),
            columns: ColumnId::all(geometry).map(column).collect(),
            tiles: TileId::all(geometry).map(TileStatistics::new).collect(),
            without_data: vec![0; geometry.cells()],
        }
    }

    /// Adds losses of a unit.
    pub(super) fn lose(&mut self, geometry: &Geometry, unit: Unit, count: u64) {
        match unit {
            Unit::Cell(cell) => self.cells[cell.index(geometry)].lost += count,
            Unit::Column(column) => self.columns[column.col()].lost += count,
            Unit::Tile(tile) => self.tiles[tile.index(geometry)].lost += count,
            Unit::Fabric => {}
        }
    }

    /// Ends a cycle. Events before the first decode are ignored.
    pub(super) fn end(&mut self, geometry: &Geometry, cycle: u64) {
        if self.first_decode.is_none() {
            *self = Self::new(geometry);
        }
        if std::mem::take(&mut self.active) {
            self.last_active = cycle;
            for (cell, cycles) in self.cells.iter_mut().zip(&mut self.without_data) {
                cell.dpu_without_data += std::mem::take(cycles);
            }
        }
    }

    /// The statistics of a run with this many cycles.
    pub(super) fn finish(self, case: &Case, cycles: u64, unfinished: bool) -> Statistics {
        let Self { last_active, mut cells, mut columns, mut tiles, .. } = self;
        let span = self.first_decode.map(|first_decode| ProgramSpan {
            first_decode,
            last_active,
            cycles: last_active - first_decode + 1,
        });
        let length = span.map_or(0, |span| span.cycles);
        for cell in &mut cells {
            cell.idle = length.saturating_sub(cell.busy + cell.waiting + cell.loading);
            cell.agus.retain(|agu| agu.addresses + agu.delays > 0);
        }
        cells.retain(CellStatistics::does_something);
        columns.retain(|column| column.busy + column.lost > 0);
        tiles.retain(|tile| tile.busy > 0);
        Statistics {
            version: VERSION,
            program: case.name.clone(),
            fabric: case.geometry,
            cycles,
            unfinished,
            span,
            instructions: cells.iter().map(CellStatistics::all_instructions).sum(),
            totals: totals(&cells, &columns, &tiles),
            cells,
            columns,
            tiles,
        }
    }
}

fn totals(
    cells: &[CellStatistics],
    columns: &[ColumnStatistics],
    tiles: &[TileStatistics],
) -> Totals {
    let of_cells = |count: &dyn Fn(&CellStatistics) -> u64| cells.iter().map(count).sum();
    Totals {
        words_read: of_cells(&|c| c.addresses(&[AguId::R0, AguId::R1])),
        words_written: of_cells(&|c| c.addresses(&[AguId::W0, AguId::W1])),
        words_moved: of_cells(&|c| c.words_from_itself + c.words_from_others),
        operations: of_cells(&CellStatistics::all_operations),
        blocks_moved: tiles.iter().map(|t| t.blocks_moved).sum(),
        messages: of_cells(&CellStatistics::all_messages),
        lost: of_cells(&|c| c.lost)
            + columns.iter().map(|c| c.lost).sum::<u64>()
            + tiles.iter().map(|t| t.lost).sum::<u64>(),
    }
}
