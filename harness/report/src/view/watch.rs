// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the facts of each cycle from the golden model.

use std::collections::BTreeSet;

use drra_case::Case;
use drra_golden::{Fabric, Signals};
use drra_isa::{
    CellId, CellInput, ColumnId, Geometry, Lane, Opcode, TileId, Unit,
    fabric::{AguId, CrossbarPort, CrossbarSource, Location, Register, SequencerState},
};

use super::{
    facts::{CellFacts, ColumnFacts, Facts, Sequencing, TileFacts},
    fresh::Fresh,
};

/// Low 64 bits of a register; its image has to be up to date.
pub(super) fn low(fabric: &Fabric, unit: impl Into<Unit>, register: Register) -> u64 {
    let words = fabric.value(Location { unit: unit.into(), register });
    words.and_then(|words| words.first().copied()).unwrap_or(0)
}

/// Follows a run. Call [`Self::before`] and [`Self::after`] around every step of a golden model whose images
/// are up to date.
#[derive(Debug)]
pub(super) struct Watch {
    geometry: Geometry,
    /// Per cell: it is an I/O cell.
    io_cells: Vec<bool>,
    fresh: Fresh,
    now: Facts,
}

impl Watch {
    pub(super) fn new(case: &Case) -> Self {
        let geometry = &case.geometry;
        let io_cell = |cell: CellId| case.io_cells.contains(&(cell.row(), cell.col()));
        Self {
            geometry: *geometry,
            io_cells: CellId::all(geometry).map(io_cell).collect(),
            fresh: Fresh::new(geometry),
            now: Facts { cycle: 0, cells: Vec::new(), columns: Vec::new(), tiles: Vec::new() },
        }
    }

    /// The registers are those of the cycle, its edge is still to come.
    pub(super) fn before(&mut self, fabric: &Fabric, cycle: u64) {
        let signals = fabric.signals();
        let busy: BTreeSet<Unit> = fabric.generating().collect();
        let cells: Vec<CellFacts> =
            CellId::all(&self.geometry).map(|cell| self.cell(fabric, &signals, cell)).collect();
        // What is due in the next cycle must not reach other cells in this one.
        for cell in &cells {
            self.fresh.step_dpu(cell.cell, cell.operates.then_some(cell.mode));
        }
        let columns: Vec<ColumnFacts> = ColumnId::all(&self.geometry)
            .map(|c| column(fabric, &signals, c, busy.contains(&c.into())))
            .collect();
        let crossbars: Vec<_> =
            TileId::all(&self.geometry).map(|tile| crossbar(fabric, tile)).collect();
        let entering = self.fresh.entering(fabric, &columns, &crossbars);
        self.fresh.step_tiles(&entering);
        let tiles = TileId::all(&self.geometry).zip(crossbars).zip(entering);
        let tiles = tiles.map(|((tile, crossbar), entering)| TileFacts {
            crossbar,
            entering,
            row_read: None,
            row_written: None,
            by_pattern: false,
            arrivals: [None; 4],
            lost: false,
            generates: busy.contains(&tile.into()),
        });
        self.now = Facts { cycle, tiles: tiles.collect(), cells, columns };
        self.count_unheard(&signals);
    }

    /// The edge is over: what it has written is known.
    pub(super) fn after(&mut self, fabric: &Fabric) -> &Facts {
        for facts in &mut self.now.cells {
            written_words(fabric, facts);
        }
        for (tile, facts) in TileId::all(&self.geometry).zip(&mut self.now.tiles) {
            if fabric.is_active(tile) {
                let activity = fabric.tile_activity(tile);
                facts.row_read = activity.read;
                facts.by_pattern = activity.init.is_none();
                facts.arrivals = activity.arrivals;
                facts.lost = activity.lost;
            }
            facts.row_written =
                fabric.written_row(tile).map(|row| (row as u8, fabric.sram(tile)[row]));
        }
        &self.now
    }

    fn cell(&self, fabric: &Fabric, signals: &Signals, cell: CellId) -> CellFacts {
        let own = signals.cell(cell);
        let io_cell = self.io_cells[cell.index(&self.geometry)];
        let agus = fabric.register_file(cell);
        let mode = fabric.dpu(cell).mode();
        let operation = self.fresh.operation(signals, cell, mode);
        let emits = |agu: AguId| own.emitted[agu.index()].is_some();
        let mut takes = operation.unwrap_or_default();
        for (input, agu) in [(CellInput::Write0, AguId::W0), (CellInput::Write1, AguId::W1)] {
            takes[input.index()] = emits(agu) && own.sources[input.index()].is_some();
        }
        CellFacts {
            cell,
            sequencing: sequencing(fabric, cell, io_cell),
            sources: own.sources,
            taken: std::array::from_fn(|k| takes[k].then_some(own.vin[k])),
            addresses: own.emitted,
            delays: std::array::from_fn(|k| {
                own.emitted[k].is_none() && agus.agu(AguId::ALL[k]).busy()
            }),
            mode,
            operates: operation.is_some(),
            unheard: 0,
            block_read: own.blk_rdata,
            block_taken: emits(AguId::Wb).then_some(own.blk_wdata),
            message: fabric.message(cell).map(|(kind, _)| kind),
            permutes: own.perm_block,
            writes: Vec::new(),
        }
    }

    /// Words read that no input of any cell takes.
    fn count_unheard(&mut self, signals: &Signals) {
        let taken = |facts: &CellFacts| {
            let pairs = facts.sources.into_iter().zip(facts.taken);
            pairs.filter_map(|(source, word)| source.filter(|_| word.is_some())).collect::<Vec<_>>()
        };
        let heard: BTreeSet<(CellId, Lane)> = self.now.cells.iter().flat_map(taken).collect();
        for facts in &mut self.now.cells {
            let emitted = &signals.cell(facts.cell).emitted;
            let reads = [(Lane::Rf0, AguId::R0), (Lane::Rf1, AguId::R1)];
            let unheard = |(lane, agu): &(Lane, AguId)| {
                emitted[agu.index()].is_some() && !heard.contains(&(facts.cell, *lane))
            };
            facts.unheard = reads.iter().filter(|read| unheard(read)).count() as u64;
        }
    }
}

fn sequencing(fabric: &Fabric, cell: CellId, io_cell: bool) -> Sequencing {
    let sequencer = fabric.sequencer(cell);
    if sequencer.running() {
        let pc = sequencer.pc();
        if sequencer.wait_count() > 0 {
            return Sequencing::Hold(pc);
        }
        return Sequencing::Decode(pc, Opcode::of(sequencer.imem(pc.into()), io_cell));
    }
    let state = low(fabric, cell, Register::SeqState);
    if state == SequencerState::Load.value() { Sequencing::Load } else { Sequencing::Idle }
}

fn column(fabric: &Fabric, signals: &Signals, column: ColumnId, generates: bool) -> ColumnFacts {
    let from_cells = column.cells().iter().any(|cell| signals.cell(*cell).blk_rdata.is_some());
    let own = signals.column(column);
    ColumnFacts {
        up: (from_cells || own.from_buffer).then_some(own.up),
        buffer_read: fabric.buffer_reads().find(|r| r.column == column).map(|r| r.addr),
        buffer_write: fabric.buffer_writes().find(|w| w.column == column).map(|w| (w.addr, w.data)),
        generates,
    }
}

fn crossbar(fabric: &Fabric, tile: TileId) -> [CrossbarSource; 5] {
    std::array::from_fn(|k| {
        let selected = low(fabric, tile, Register::TileXsel(CrossbarPort::ALL[k]));
        CrossbarSource::from_value(selected).unwrap_or(CrossbarSource::None)
    })
}

/// The words that the edge has written, by whichever writer.
fn written_words(fabric: &Fabric, facts: &mut CellFacts) {
    let file = fabric.register_file(facts.cell);
    let [permuted, initialised] = file.block_writes();
    let single = [AguId::W0, AguId::W1].map(|agu| facts.addresses[agu.index()]);
    let blocks = [facts.addresses[AguId::Wb.index()], permuted, initialised];
    let in_blocks = blocks.into_iter().flatten().flat_map(|b| 16 * b..16 * b + 16);
    let all: BTreeSet<u8> = single.into_iter().flatten().chain(in_blocks).collect();
    facts.writes = all.into_iter().map(|word| (word, file.word(word.into()))).collect();
}
