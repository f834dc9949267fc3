// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes in the whole fabric, and their movement in each cycle.

use std::{collections::VecDeque, rc::Rc};

use drra_case::Case;
use drra_fabric::{AguId, CellInput, Generator, Side};
use drra_golden::{Fabric, Signals};
use drra_isa::{CellId, ColumnId, Geometry, Opcode, TileId, Unit};

use super::{
    cell::CellCauses,
    issued::{Cause, IssuedInstruction, only},
    tile::{ColumnCauses, TileCauses, offered},
    writes::{RfWrite, RfWriter, RowWrite},
};

/// Tracks all instructions of a run. [`Self::before`] and [`Self::after`] must be called before and after every step of
/// the golden model.
/// Queries about a cell, column or tile panic if the fabric does not have it.
#[derive(Clone, Debug)]
pub struct Attribution {
    geometry: Geometry,
    /// Per cell: true for an I/O cell.
    io_cells: Vec<bool>,
    cells: Vec<CellCauses>,
    columns: Vec<ColumnCauses>,
    tiles: Vec<TileCauses>,
    /// Number of cycles whose decodes and writes are kept.
    kept: u64,
    log: VecDeque<Rc<IssuedInstruction>>,
    rf_writes: VecDeque<RfWrite>,
    row_writes: VecDeque<RowWrite>,
    /// The configurations of the kept cycles, in order.
    set_up: VecDeque<ConfigurationEvent>,
}

/// The crossbar or a generator of a unit, set up by the edge that ends a cycle.
#[derive(Clone, Debug)]
struct ConfigurationEvent {
    cycle: u64,
    what: (Unit, Option<Generator>),
    by: Cause,
}

impl Attribution {
    /// The attribution before the first decode. Decodes and writes of the last `kept` cycles can be queried later.
    pub fn new(case: &Case, kept: u64) -> Self {
        let geometry = &case.geometry;
        let io_cell = |cell: CellId| case.io_cells.contains(&cell);
        Self {
            geometry: *geometry,
            io_cells: CellId::all(geometry).map(io_cell).collect(),
            cells: vec![CellCauses::default(); geometry.cells()],
            columns: vec![ColumnCauses::default(); geometry.columns],
            tiles: vec![TileCauses::default(); geometry.tiles()],
            kept,
            log: VecDeque::new(),
            rf_writes: VecDeque::new(),
            row_writes: VecDeque::new(),
            set_up: VecDeque::new(),
        }
    }

    /// The kept decoded instructions in the order of their cycles, with cells in row-major order.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Rc<IssuedInstruction>> {
        self.log.iter()
    }

    /// The latest kept write to a word of a register file before `cycle`.
    pub fn rf_write(&self, cell: CellId, word: usize, cycle: u64) -> Option<&RfWrite> {
        let of_word = |w: &&RfWrite| w.cycle < cycle && w.covers(cell, word);
        // Of several writers in one cycle, the one with the highest priority comes first in the list.
        let latest = self.rf_writes.iter().rev().find(of_word)?.cycle;
        self.rf_writes.iter().filter(of_word).find(|w| w.cycle == latest)
    }

    /// The first kept write to a word of a register file in `cycle` or later.
    pub fn next_rf_write(&self, cell: CellId, word: usize, cycle: u64) -> Option<&RfWrite> {
        self.rf_writes.iter().find(|w| w.cycle >= cycle && w.covers(cell, word))
    }

    /// The latest kept write to a memory row of a tile before `cycle`.
    pub fn row_write(&self, tile: TileId, row: usize, cycle: u64) -> Option<&RowWrite> {
        self.row_writes.iter().rev().find(|w| w.tile == tile && w.row == row && w.cycle < cycle)
    }

    /// The write to the memory of a tile at the edge that ends a cycle.
    pub fn row_write_in(&self, tile: TileId, cycle: u64) -> Option<&RowWrite> {
        self.row_writes.iter().find(|w| w.tile == tile && w.cycle == cycle)
    }

    /// Instruction that had set an input selection of a cell, as of the last cycle.
    pub fn input(&self, cell: CellId, input: CellInput) -> &Cause {
        &self.cell(cell).last.held.swb_cfg[input.index()]
    }

    /// Instruction that set up an AGU of a cell.
    pub fn agu(&self, cell: CellId, agu: AguId) -> &Cause {
        self.cell(cell).of_agu(agu)
    }

    /// DPU instruction that was in force in the last cycle; if none was, the one that was launched in that cycle.
    pub fn dpu(&self, cell: CellId) -> Cause {
        let causes = self.cell(cell);
        causes.last.held.dpu.clone().or_else(|| causes.held.dpu.clone())
    }

    /// ROUTE, SRAM or IO that a cell sent in the last cycle.
    pub fn sent_by(&self, cell: CellId) -> &Cause {
        &self.cell(cell).last.left
    }

    /// LOOP that set up a slot of a cell.
    pub fn slot(&self, cell: CellId, slot: usize) -> &Cause {
        &self.cell(cell).slots[slot]
    }

    /// SRAM that the sides of a tile offer to a generator.
    pub fn offered(&self, tile: TileId, generator: Generator) -> Cause {
        offered(&self.tile(tile).take, generator)
    }

    /// IO that is offered to the generators of a column.
    pub fn offered_io(&self, column: ColumnId) -> &Cause {
        &self.column(column).io_msg_before
    }

    /// Message that a cell sent in the last cycle, or would have sent if the immediate flag had been set.
    pub fn message(&self, cell: CellId) -> Cause {
        let last = &self.cell(cell).last;
        let staged = || only(&last.held.stage, IssuedInstruction::sends);
        last.left.clone().or_else(staged).or_else(|| last.held.noc_shadow.clone())
    }

    /// Message of a kind that a column received in the last cycle. If there was none, a message that a cell of the
    /// column sent or would have sent: preferably one of this kind, otherwise one that may have been mistaken for it.
    pub(crate) fn message_for(
        &self,
        column: ColumnId,
        wanted: impl Fn(&IssuedInstruction) -> bool,
    ) -> Cause {
        let others = || column.cells().into_iter().map(|cell| self.message(cell));
        self.sent(column, &wanted)
            .or_else(|| others().find(|other| only(other, &wanted).is_some()).flatten())
            .or_else(|| others().find_map(|other| other))
    }

    /// The message from the other row that arrived at the column in the same cycle for the same destination (NoC or I/O
    /// unit).
    pub fn competitor(&self, message: &IssuedInstruction) -> Cause {
        let competes = |i: &&Rc<IssuedInstruction>| {
            i.cell != message.cell
                && i.cell.column() == message.cell.column()
                && i.released.get() == message.released.get()
                && i.sends()
                && i.is_message() == message.is_message()
        };
        self.log.iter().find(competes).cloned()
    }

    /// ROUTE that set the crossbar of a tile.
    pub fn crossbar(&self, tile: TileId) -> &Cause {
        &self.tile(tile).xbar
    }

    /// SRAM that set up a generator of a tile.
    pub fn generator(&self, tile: TileId, generator: Generator) -> &Cause {
        &self.tile(tile).generators[generator.index()]
    }

    /// IO that set up a generator of a column.
    pub fn io_generator(&self, column: ColumnId, generator: Generator) -> &Cause {
        &self.column(column).io[generator.index()]
    }

    /// Instruction whose message arrived at a side of a tile in the last cycle.
    pub fn arrived(&self, tile: TileId, side: Side) -> &Cause {
        &self.tile(tile).rx[side.index()]
    }

    /// ROUTE that acted in a tile in the last cycle.
    pub(crate) fn route(&self, tile: TileId) -> Cause {
        self.tile(tile).route()
    }

    pub(super) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    pub(crate) fn cell(&self, cell: CellId) -> &CellCauses {
        &self.cells[cell.index(&self.geometry)]
    }

    pub(crate) fn column(&self, column: ColumnId) -> &ColumnCauses {
        &self.columns[column.index(&self.geometry)]
    }

    pub(crate) fn tile(&self, tile: TileId) -> &TileCauses {
        &self.tiles[tile.index(&self.geometry)]
    }

    /// The instruction that had set up the crossbar of a tile, or a generator of a tile or column, by the beginning of
    /// a cycle; `None` if there was none, or if it is no longer known.
    pub fn in_force(&self, unit: Unit, generator: Option<Generator>, cycle: u64) -> Cause {
        let mut all = self.set_up.iter().filter(|s| s.what == (unit, generator)).peekable();
        if all.peek().is_some() {
            return all.rfind(|s| s.cycle < cycle)?.by.clone();
        }
        // Nothing changed in the kept cycles.
        match (unit, generator) {
            (Unit::Tile(tile), None) => self.crossbar(tile).clone(),
            (Unit::Tile(tile), Some(generator)) => self.generator(tile, generator).clone(),
            (Unit::Column(column), Some(generator)) => self.io_generator(column, generator).clone(),
            _ => None,
        }
    }

    fn note(
        &mut self,
        cycle: u64,
        unit: impl Into<Unit>,
        generator: Option<Generator>,
        by: &Cause,
    ) {
        if self.kept > 0 {
            self.set_up.push_back(ConfigurationEvent {
                cycle,
                what: (unit.into(), generator),
                by: by.clone(),
            });
        }
    }

    /// Call before the step, with the registers of `cycle`. `init` is the cell and block at the initialisation port of
    /// the register files.
    pub fn before(
        &mut self,
        fabric: &Fabric,
        signals: &Signals,
        cycle: u64,
        init: Option<(CellId, usize)>,
    ) {
        self.forget((cycle + 1).saturating_sub(self.kept));
        for cell in CellId::all(&self.geometry) {
            let decoded = self.decode(cell, fabric, cycle);
            let seq = fabric.sequencer(cell);
            let causes = &mut self.cells[cell.index(&self.geometry)];
            causes.launch(seq, signals.cell(cell).emitted, cycle);
            causes.last.init = init.filter(|(at, _)| *at == cell).map(|(_, block)| block);
            causes.decode(decoded, seq, cycle);
            self.write(cell, signals, cycle, init);
        }
        for column in ColumnId::all(&self.geometry) {
            let sent = self.sent(column, |i| i.is(Opcode::Io));
            let requests = fabric.buffer_reads().any(|request| request.column == column);
            self.columns[column.index(&self.geometry)].step(sent, requests);
        }
        for tile in TileId::all(&self.geometry) {
            let arriving = self.arriving(tile, signals);
            self.tiles[tile.index(&self.geometry)].rx = arriving;
        }
    }

    /// Drops everything recorded before a cycle.
    fn forget(&mut self, from: u64) {
        fn drop_before<T>(all: &mut VecDeque<T>, is_old: impl Fn(&T) -> bool) {
            while all.front().is_some_and(&is_old) {
                all.pop_front();
            }
        }
        drop_before(&mut self.log, |i| i.cycle < from);
        drop_before(&mut self.rf_writes, |w| w.cycle < from);
        drop_before(&mut self.set_up, |s| s.cycle < from);
        drop_before(&mut self.row_writes, |w| w.cycle < from);
    }

    /// The instruction that a cell decodes in a cycle.
    fn decode(&mut self, cell: CellId, fabric: &Fabric, cycle: u64) -> Cause {
        let seq = fabric.sequencer(cell);
        if !seq.running() || seq.wait_count() != 0 {
            return None;
        }
        let pc = usize::from(seq.pc());
        let words = std::array::from_fn(|k| seq.imem(pc + k));
        let immediate = seq.imem_imm(pc);
        let io_cell = self.io_cells[cell.index(&self.geometry)];
        let decoded = IssuedInstruction::new(cell, io_cell, cycle, seq.pc(), words, immediate);
        let decoded = Rc::new(decoded);
        if self.kept > 0 {
            self.log.push_back(Rc::clone(&decoded));
        }
        Some(decoded)
    }

    /// Records the writes to the register file of a cell in a cycle, highest priority first.
    fn write(
        &mut self,
        cell: CellId,
        signals: &Signals,
        cycle: u64,
        init: Option<(CellId, usize)>,
    ) {
        if self.kept == 0 {
            return;
        }
        let now = signals.cell(cell);
        let causes = &self.cells[cell.index(&self.geometry)];
        let mut write = |first: usize, words: u16, writer: RfWriter, by: &Cause| {
            let by = by.clone();
            self.rf_writes.push_back(RfWrite { cycle, cell, first, words, writer, by });
        };
        if let Some((_, block)) = init.filter(|(at, _)| *at == cell) {
            write(16 * block, u16::MAX, RfWriter::Init, &None);
        }
        if let Some(block) = now.emitted(AguId::Wb) {
            let by = causes.of_agu(AguId::Wb);
            write(16 * usize::from(block), !now.blk_wmask, RfWriter::Wb, by);
        }
        for (agu, writer) in [(AguId::W0, RfWriter::W0), (AguId::W1, RfWriter::W1)] {
            if let Some(word) = now.emitted(agu) {
                write(word.into(), 1, writer, causes.of_agu(agu));
            }
        }
        if let Some(block) = now.perm_block {
            write(16 * usize::from(block), u16::MAX, RfWriter::Perm, &causes.last.perm);
        }
    }

    /// The message that left the cells of a column in this cycle, if it satisfies the predicate; row 0 wins.
    fn sent(&self, column: ColumnId, wanted: impl Fn(&IssuedInstruction) -> bool) -> Cause {
        column.cells().into_iter().find_map(|cell| only(&self.cell(cell).last.left, &wanted))
    }

    /// Instructions whose messages arrive at the sides of a tile in this cycle.
    fn arriving(&self, tile: TileId, signals: &Signals) -> [Cause; 4] {
        let from = |side: Side| match side.neighbour(tile, &self.geometry) {
            Some(neighbour) => self.tile(neighbour).leaving(side.opposite()),
            None if side == Side::S => self.sent(tile.column(), IssuedInstruction::is_message),
            None => None,
        };
        let rx = signals.tile(tile).rx;
        std::array::from_fn(|x| {
            let side = Side::from_index(x).filter(|_| rx[x] != 0)?;
            from(side)
        })
    }

    /// Call after the step, with the registers of the next cycle.
    pub fn after(&mut self, fabric: &Fabric, cycle: u64) {
        let mut set_up: Vec<(Unit, Option<Generator>, Cause)> = Vec::new();
        for column in ColumnId::all(&self.geometry) {
            let activity = fabric.column_activity(column);
            for (&generator, offer) in Generator::ALL.iter().zip(activity.offers) {
                if offer.is_some_and(|offer| offer.phase.accepts()) {
                    let by = self.columns[column.index(&self.geometry)].take(generator);
                    set_up.push((column.into(), Some(generator), by));
                }
            }
        }
        for tile in TileId::all(&self.geometry) {
            let causes = &mut self.tiles[tile.index(&self.geometry)];
            let activity = fabric.tile_activity(tile);
            for &generator in Generator::ALL {
                if activity.taken[generator.index()] {
                    set_up.push((tile.into(), Some(generator), offered(&causes.take, generator)));
                }
            }
            if let Some(row) = fabric.written_row(tile).filter(|_| self.kept > 0) {
                let init = activity.init.map(usize::from) == Some(row);
                let by = causes.generators[Generator::Write.index()].clone();
                let by = by.filter(|_| !init);
                self.row_writes.push_back(RowWrite { cycle, tile, row, init, by });
            }
            if let Some(route) = causes.route() {
                set_up.push((tile.into(), None, Some(route.clone())));
                causes.xbar = Some(route);
            }
            causes.step_sides([Side::N, Side::S, Side::E, Side::W].map(|x| fabric.side(tile, x)));
        }
        for (unit, generator, by) in set_up {
            // The last access of a pattern can be in the cycle in which the generator accepts the next one.
            if let (Unit::Tile(tile), Some(generator)) = (unit, generator) {
                let causes = &mut self.tiles[tile.index(&self.geometry)];
                causes.generators[generator.index()] = by.clone();
            }
            self.note(cycle, unit, generator, &by);
        }
    }
}

/// The cell and block at the initialisation port of the register files in a cycle.
pub fn rf_init(case: &Case, cycle: u64) -> Option<(CellId, usize)> {
    let entries = case.stimulus.entries();
    let entry = entries.binary_search_by_key(&cycle, |e| e.cycle).ok()?;
    let init = entries[entry].rf_init?;
    Some((CellId::new(init.row, init.col)?, init.block % case.geometry.rf_blocks()))
}
