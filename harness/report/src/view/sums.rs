// SPDX-License-Identifier: MIT OR Apache-2.0
//! Totals of the activity of the units, from the first decode on.

use drra_case::Case;
use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit, fabric::AguId};

use super::statistics::{
    CellStatistics, ColumnStatistics, ProgramSpan, Statistics, TileStatistics, Totals, VERSION,
};

/// The counts so far.
#[derive(Debug)]
pub(super) struct Sums {
    pub(super) first_decode: Option<u64>,
    last_active: u64,
    /// True if some unit is active in this cycle, other than by storing a program.
    pub(super) active: bool,
    /// All units, row-major.
    pub(super) cells: Vec<CellStatistics>,
    pub(super) columns: Vec<ColumnStatistics>,
    pub(super) tiles: Vec<TileStatistics>,
    /// Per cell: cycles since the last activity of the fabric in which its DPU has a mode but no data.
    pub(super) without_data: Vec<u64>,
}

impl Sums {
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            first_decode: None,
            last_active: 0,
            active: false,
            cells: CellId::all(geometry).map(CellStatistics::new).collect(),
            columns: ColumnId::all(geometry).map(|c| ColumnStatistics::new(c.col())).collect(),
            tiles: TileId::all(geometry).map(TileStatistics::new).collect(),
            without_data: vec![0; geometry.cells()],
        }
    }

    /// Counts losses of a unit.
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
