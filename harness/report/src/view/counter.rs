// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what the units do.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::{Arrival, Fabric};
use drra_isa::{CellId, ColumnId, Geometry, Opcode, TileId, fabric::AguId, instructions::DpuMode};
use drra_lockstep::{EndRule, Now, Observer, Pair};

use super::{
    facts::{CellFacts, ColumnFacts, Facts, Sequencing, TileFacts},
    statistics::{
        AguStatistics, CellStatistics, ColumnStatistics, ProgramSpan, Statistics, TileStatistics,
        Totals, VERSION,
    },
    watch::Watch,
};
use crate::words::NO_INSTRUCTION;

/// Counts while a case runs, on the golden model alone or beside a comparison.
#[derive(Debug)]
pub struct Counter {
    watch: Watch,
    sums: Sums,
    program: String,
    fabric: Geometry,
    /// The last cycle looked at.
    last: u64,
    unfinished: bool,
}

/// Runs a case on the golden model and counts. `cycles` overrides the length that the case says.
pub fn count(case: &Case, cycles: Option<u64>) -> Statistics {
    let mut counter = Counter::new(case);
    Pair::alone(case).run(EndRule::new(case, cycles), &mut counter);
    counter.finish()
}

impl Counter {
    /// Counts nothing yet.
    pub fn new(case: &Case) -> Self {
        Self {
            watch: Watch::new(case),
            sums: Sums::new(&case.geometry),
            program: case.name.clone(),
            fabric: case.geometry,
            last: 0,
            unfinished: false,
        }
    }

    /// The edge that ends `cycle` is over. Returns what happened in it.
    pub(super) fn count(&mut self, golden: &Fabric) -> &Facts {
        let facts = self.watch.after(golden);
        self.sums.add(facts);
        facts
    }

    pub fn finish(self) -> Statistics {
        let Self { sums, program, fabric, last, unfinished, .. } = self;
        sums.finish(program, fabric, last, unfinished)
    }
}

impl Observer for Counter {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        self.last = now.cycle;
        self.unfinished = !now.golden.status().all_idle;
        ControlFlow::Continue(())
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.watch.before(golden, cycle);
    }

    fn after(&mut self, golden: &Fabric, _cycle: u64) {
        self.count(golden);
    }

    fn reads_images(&self) -> bool {
        true
    }
}

/// What was counted so far.
#[derive(Debug)]
struct Sums {
    first_decode: Option<u64>,
    last_active: u64,
    cells: Vec<CellStatistics>,
    /// Per cell: addresses and delays of each AGU.
    agus: Vec<[(u64, u64); 6]>,
    /// Per cell: cycles since the last activity of the fabric in which its DPU has a mode and no data.
    without_data: Vec<u64>,
    columns: Vec<ColumnStatistics>,
    tiles: Vec<TileStatistics>,
}

impl Sums {
    fn new(geometry: &Geometry) -> Self {
        Self {
            first_decode: None,
            last_active: 0,
            cells: CellId::all(geometry).map(CellStatistics::new).collect(),
            agus: vec![[(0, 0); 6]; geometry.cells()],
            without_data: vec![0; geometry.cells()],
            columns: ColumnId::all(geometry).map(|c| ColumnStatistics::new(c.col())).collect(),
            tiles: TileId::all(geometry).map(TileStatistics::new).collect(),
        }
    }

    fn add(&mut self, facts: &Facts) {
        let decodes = |cell: &CellFacts| matches!(cell.sequencing, Sequencing::Decode(..));
        if self.first_decode.is_none() {
            if !facts.cells.iter().any(decodes) {
                return;
            }
            self.first_decode = Some(facts.cycle);
        }
        let active = facts.cells.iter().any(CellFacts::is_active)
            || facts.columns.iter().any(ColumnFacts::is_active)
            || facts.tiles.iter().any(TileFacts::is_active);
        for (cycles, now) in self.without_data.iter_mut().zip(&facts.cells) {
            *cycles += u64::from(!now.operates && now.mode != DpuMode::Idle);
        }
        if active {
            self.last_active = facts.cycle;
            for (cell, cycles) in self.cells.iter_mut().zip(&mut self.without_data) {
                cell.dpu_without_data += std::mem::take(cycles);
            }
        }
        for ((sums, agus), now) in self.cells.iter_mut().zip(&mut self.agus).zip(&facts.cells) {
            add_cell(sums, now);
            for (k, (addresses, delays)) in agus.iter_mut().enumerate() {
                *addresses += u64::from(now.addresses[k].is_some());
                *delays += u64::from(now.delays[k]);
            }
        }
        for (sums, now) in self.columns.iter_mut().zip(&facts.columns) {
            sums.busy += u64::from(now.is_active());
            sums.blocks_up += u64::from(now.up.is_some());
            sums.buffer_reads += u64::from(now.buffer_read.is_some());
            sums.buffer_writes += u64::from(now.buffer_write.is_some());
        }
        for (sums, now) in self.tiles.iter_mut().zip(&facts.tiles) {
            add_tile(sums, now);
        }
    }

    fn finish(
        self,
        program: String,
        fabric: Geometry,
        cycles: u64,
        unfinished: bool,
    ) -> Statistics {
        let span = self.first_decode.map(|first_decode| ProgramSpan {
            first_decode,
            last_active: self.last_active,
            cycles: self.last_active - first_decode + 1,
        });
        let length = span.map_or(0, |span| span.cycles);
        let mut cells = self.cells;
        for (cell, agus) in cells.iter_mut().zip(self.agus) {
            cell.idle = length.saturating_sub(cell.busy + cell.waiting + cell.loading);
            let used = AguId::ALL.iter().zip(agus).filter(|(_, counts)| *counts != (0, 0));
            cell.agus = used
                .map(|(agu, (addresses, delays))| AguStatistics { agu: (*agu), addresses, delays })
                .collect();
        }
        cells.retain(CellStatistics::does_something);
        let columns = self.columns.into_iter().filter(|column| column.busy > 0).collect();
        let tiles: Vec<_> = self.tiles.into_iter().filter(|tile| tile.busy > 0).collect();
        Statistics {
            version: VERSION,
            program,
            fabric,
            cycles,
            unfinished,
            span,
            instructions: cells.iter().map(CellStatistics::all_instructions).sum(),
            totals: totals(&cells, &tiles),
            cells,
            columns,
            tiles,
        }
    }
}

fn add_cell(sums: &mut CellStatistics, now: &CellFacts) {
    match now.sequencing {
        Sequencing::Idle => {}
        Sequencing::Load => sums.loading += 1,
        Sequencing::Hold(_) => sums.waiting += 1,
        Sequencing::Decode(_, opcode) => {
            let name = opcode.map_or(NO_INSTRUCTION, Opcode::name);
            *sums.instructions.entry(name.to_owned()).or_default() += 1;
            match opcode {
                Some(Opcode::Wait) => sums.waiting += 1,
                _ => sums.busy += 1,
            }
        }
    }
    if now.operates {
        *sums.operations.entry(now.mode.name().to_owned()).or_default() += 1;
    }
    for (source, word) in now.sources.iter().zip(now.taken) {
        let (Some((from, _)), Some(_)) = (source, word) else { continue };
        if *from == now.cell {
            sums.words_from_itself += 1;
        } else {
            sums.words_from_others += 1;
        }
    }
    sums.words_unheard += now.unheard;
    sums.permutations += u64::from(now.permutes.is_some());
    if let Some(kind) = now.message {
        *sums.messages.entry(kind.name().to_owned()).or_default() += 1;
    }
}

fn add_tile(sums: &mut TileStatistics, now: &TileFacts) {
    let without_path = |a: &&Arrival| matches!(a, Arrival::SramReadLost | Arrival::SramWriteLost);
    let arrivals = now.arrivals.iter().flatten();
    sums.busy += u64::from(now.is_active());
    sums.rows_read += u64::from(now.row_read.is_some());
    sums.rows_written += u64::from(now.row_written.is_some() && now.by_pattern);
    sums.blocks_moved += now.entries().len() as u64;
    sums.messages += arrivals.clone().count() as u64;
    sums.lost += arrivals.filter(without_path).count() as u64 + u64::from(now.lost);
}

fn totals(cells: &[CellStatistics], tiles: &[TileStatistics]) -> Totals {
    let of_cells = |count: &dyn Fn(&CellStatistics) -> u64| cells.iter().map(count).sum();
    Totals {
        words_read: of_cells(&|c| c.addresses(&[AguId::R0, AguId::R1])),
        words_written: of_cells(&|c| c.addresses(&[AguId::W0, AguId::W1])),
        words_moved: of_cells(&|c| c.words_from_itself + c.words_from_others),
        operations: of_cells(&CellStatistics::all_operations),
        blocks_moved: tiles.iter().map(|t| t.blocks_moved).sum(),
        messages: of_cells(&CellStatistics::all_messages),
        lost: tiles.iter().map(|t| t.lost).sum(),
    }
}
