// SPDX-License-Identifier: MIT OR Apache-2.0
//! Observes a run of the golden model: the events of each cycle are added to the statistics, and recorded in the cycles
//! that are shown. Registers are read during a cycle, and writes happen at the edge that ends the cycle.

use std::{collections::BTreeSet, ops::ControlFlow};

use drra_case::Case;
use drra_diagnose::{
    ActiveOutputs,
    attribution::{Attribution, Cause, rf_init},
    block_up, crossbar_sources, low,
};
use drra_fabric::{
    AguId, CellInput, CrossbarSource, Generator, GroupId, Lane, Register, SequencerState,
    images::AguCfg,
    ports::{Block, ZERO_BLOCK},
};
use drra_golden::{Arrival, Fabric, PatternPhase, Signals};
use drra_isa::{CellId, ColumnId, Geometry, Opcode, TileId, Unit, instructions::DpuMode};
use drra_lockstep::{CycleView, EndRule, LockstepRun, Observer};
use drra_report::text::NO_INSTRUCTION;

use crate::{
    cost::LoopAccumulator,
    recording::{RecordedRun, Tracks, sequencing},
    spans::Part,
    statistics::{Statistics, StatisticsAccumulator},
    track::{EventTime, NONE},
};

/// Maximum number of cycles shown by default.
pub const MAX_CYCLES: u64 = 100_000;

/// The cycles of a run that are shown: by default, the first [`MAX_CYCLES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleWindow {
    /// First cycle; `None` for the first cycle of the run.
    pub from: Option<u64>,
    /// Last cycle; `None` for the last cycle of the run, but at most [`MAX_CYCLES`] in total.
    pub to: Option<u64>,
}

/// Runs a case on the golden model and computes its statistics. `cycles` overrides the length given in the case.
pub fn count(case: &Case, cycles: Option<u64>) -> Statistics {
    watch(case, cycles, [u64::MAX, 0]).1
}

/// Runs a case on the golden model and records it. `cycles` overrides the length given in the case.
pub fn record(case: &Case, cycles: Option<u64>, window: CycleWindow) -> RecordedRun {
    let from = window.from.unwrap_or(0);
    let shown = [from, window.to.unwrap_or(from + MAX_CYCLES - 1)];
    let (tracks, statistics) = watch(case, cycles, shown);
    RecordedRun::new(case, shown, tracks, statistics)
}

fn watch(case: &Case, cycles: Option<u64>, shown: [u64; 2]) -> (Tracks, Statistics) {
    let geometry = &case.geometry;
    let mut watch = RunObserver {
        case,
        geometry,
        shown,
        before: None,
        awake: vec![false; geometry.cells()],
        active: ActiveOutputs::new(geometry),
        attribution: Attribution::new(case, 0),
        running: vec![[const { None }; 6]; geometry.cells()],
        busy: BTreeSet::new(),
        counts: vec![(0, 0); geometry.cells()],
        tracks: Tracks::new(geometry),
        sums: StatisticsAccumulator::new(geometry),
        cost: vec![LoopAccumulator::default(); geometry.cells()],
        last: 0,
        unfinished: false,
    };
    LockstepRun::alone(case).run(EndRule::new(case, cycles), &mut watch);
    let RunObserver { tracks, sums, mut cost, last, unfinished, .. } = watch;
    let mut statistics = sums.finish(case, last, unfinished);
    for cell in &mut statistics.cells {
        cell.loops = std::mem::take(&mut cost[cell.cell.index(geometry)]).finish();
    }
    (tracks, statistics)
}

struct RunObserver<'a> {
    case: &'a Case,
    geometry: &'a Geometry,
    /// First and last cycle shown.
    shown: [u64; 2],
    /// The fabric before the edge.
    before: Option<Fabric>,
    /// Per cell: true from the cycle on in which its sequencer leaves IDLE for the first time. Before that, only its
    /// register file can change.
    awake: Vec<bool>,
    active: ActiveOutputs,
    attribution: Attribution,
    /// Per cell and AGU: the instruction whose pattern runs.
    running: Vec<[Cause; 6]>,
    /// Units with an active address generator.
    busy: BTreeSet<Unit>,
    /// Per cell: the last cycle in which `acc_cnt` did not go on counting, and its value in that cycle.
    counts: Vec<(u64, u8)>,
    tracks: Tracks,
    sums: StatisticsAccumulator,
    /// Per cell.
    cost: Vec<LoopAccumulator>,
    /// The last cycle that was observed.
    last: u64,
    unfinished: bool,
}

impl Observer for RunObserver<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        self.last = view.cycle;
        self.unfinished = view.last && !view.golden.status().all_idle;
        if view.cycle == self.shown[0] {
            self.begin(view.golden);
        }
        let at = self.at(view.cycle);
        for cell in CellId::all(self.geometry).filter(|_| at.shown) {
            if self.awake[cell.index(self.geometry)] {
                self.registers(at, view.golden, cell);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_edge(&mut self, fabric: &Fabric, _cycle: u64) {
        self.before = Some(fabric.clone());
    }

    fn post_edge(&mut self, after: &Fabric, cycle: u64) {
        let (at, geometry) = (self.at(cycle), self.geometry);
        let Some(before) = self.before.take() else { return };
        let fabric = &before;
        let signals = fabric.signals_of(after);
        // The instructions that are set up before the window are in force in it.
        let attributes = self.shown[0] <= self.shown[1] && cycle <= self.shown[1];
        if attributes {
            self.attribution.before(fabric, &signals, cycle, rf_init(self.case, cycle));
        }
        self.busy = fabric.generating().collect();
        let mut heard = vec![[false; Lane::ALL.len()]; geometry.cells()];
        let mut operations = vec![None; geometry.cells()];
        for cell in CellId::all(geometry) {
            let index = cell.index(geometry);
            self.awake[index] |= !fabric.sequencer(cell).idle();
            if self.awake[index] {
                operations[index] = self.cell(at, fabric, &signals, cell, &mut heard);
                let agus = AguId::ALL.iter().zip(after.view(cell).agus());
                let started = agus.filter(|(_, agu)| agu.launch.is_some() && !agu.is_lost());
                started.for_each(|(agu, _)| self.cost[index].launch(*agu));
            }
        }
        // A result due in the next cycle must not reach other cells in this cycle.
        for (cell, operation) in CellId::all(geometry).zip(operations) {
            let (index, shows) = (cell.index(geometry), fabric.dpu(cell).mode().info().outputs);
            for (k, lane) in [Lane::Dpu0, Lane::Dpu1].into_iter().enumerate() {
                let due = shows[k] && self.active.lane(&signals, cell, lane);
                let result = due.then(|| signals.cell(cell).lane(lane));
                self.tracks.cells[index].results[k].set(at, or_none(result));
            }
            self.active.step_dpu(cell, operation);
            let unheard = |(lane, agu): &(Lane, AguId)| {
                signals.cell(cell).emitted(*agu).is_some() && !heard[index][lane.index()]
            };
            let reads = [(Lane::Rf0, AguId::R0), (Lane::Rf1, AguId::R1)];
            let unheard = reads.iter().filter(|read| unheard(read)).count();
            self.sums.cells[index].words_unheard += unheard as u64;
            if at.shown && self.awake[index] {
                self.instructions(at, fabric, after, &signals, cell);
            }
            if at.goes_on {
                self.words(at, after, cell);
            }
        }
        let ups: Vec<_> = ColumnId::all(geometry)
            .map(|column| self.column(at, fabric, after, &signals, column))
            .collect();
        let crossbars: Vec<_> =
            TileId::all(geometry).map(|tile| crossbar_sources(fabric, tile)).collect();
        self.active.step_tiles(fabric, &ups, &crossbars);
        for (tile, sources) in TileId::all(geometry).zip(crossbars) {
            self.paths(at, tile, sources);
            self.tile(at, after, tile);
        }
        if attributes {
            self.attribution.after(after, cycle);
        }
        for (unit, count) in after.lost() {
            self.sums.lose(geometry, unit, count);
            if at.shown {
                self.tracks.lost.entry(unit).or_default().pulse(cycle, count as i64);
            }
        }
        self.sums.end(geometry, cycle);
    }

    fn reads_images(&self) -> bool {
        true
    }
}

impl RunObserver<'_> {
    fn at(&self, cycle: u64) -> EventTime {
        let [from, to] = self.shown;
        let shown = (from..=to).contains(&cycle);
        EventTime { cycle, first: from, shown, goes_on: shown && cycle < to }
    }

    /// The contents of the memories in the first cycle shown.
    fn begin(&mut self, fabric: &Fabric) {
        let at = self.at(self.shown[0]);
        for (cell, tracks) in CellId::all(self.geometry).zip(&mut self.tracks.cells) {
            for word in 0..self.geometry.rf_words {
                let value = fabric.register_file(cell).word(word);
                if value != 0 {
                    tracks.words.entry(word).or_default().set(at, value.into());
                }
            }
        }
        for (tile, tracks) in TileId::all(self.geometry).zip(&mut self.tracks.tiles) {
            for (row, block) in (0..).zip(fabric.sram(tile)) {
                if *block != ZERO_BLOCK {
                    let number = self.tracks.blocks.number(at, Some(*block));
                    tracks.rows.entry(row).or_default().set(at, number);
                }
            }
        }
    }

    /// The registers of a cell at the beginning of a cycle that is shown.
    fn registers(&mut self, at: EventTime, fabric: &Fabric, cell: CellId) {
        let index = cell.index(self.geometry);
        let (image, slots) = (fabric.image(cell.into()), fabric.layout().slots());
        let word = |group, k: usize| image[slots.of(group) + k];
        let signed = |group, k| i64::from(word(group, k) as u32 as i32);
        let (tracks, sequencer) = (&mut self.tracks.cells[index], fabric.sequencer(cell));
        for (k, track) in tracks.raccu.iter_mut().enumerate() {
            track.hold(at, sequencer.raccu_reg(k).into());
        }
        for (k, track) in tracks.loops.iter_mut().enumerate() {
            // From bit 30 on: active, start, end, iterations, step, count.
            let slot = word(GroupId::SeqLoop, k);
            let without_step = (slot & 63 | (slot >> 12 & 0x3_ffff) << 6) as u32;
            track.set(at, or_none((slot >> 30 == 1).then_some(without_step)));
        }
        for k in 0..2 {
            tracks.acc[k].hold(at, signed(GroupId::DpuAcc, k));
            tracks.ir[k].hold(at, word([GroupId::DpuIr0, GroupId::DpuIr1][k], 0) as i64);
        }
        tracks.status.hold(at, word(GroupId::DpuStatus, 0) as i64);
        let (acc_cnt, counted) = (fabric.dpu(cell).acc_cnt(), &mut self.counts[index]);
        if acc_cnt != (at.cycle - counted.0).wrapping_add(counted.1.into()) as u8 {
            *counted = (at.cycle, acc_cnt);
            tracks.count.push(at.cycle, acc_cnt.into());
        }
    }

    /// The instructions in force in the parts of a cell.
    fn instructions(
        &mut self,
        at: EventTime,
        fabric: &Fabric,
        after: &Fabric,
        signals: &Signals,
        cell: CellId,
    ) {
        let Tracks { cells, patterns, spans, .. } = &mut self.tracks;
        let (causes, tracks) = (&self.attribution, &mut cells[cell.index(self.geometry)]);
        for (k, agu) in AguId::ALL.iter().enumerate() {
            let port = after.view(cell).agu(*agu);
            let launch = port.launch.filter(|_| !port.is_lost());
            let active = launch.is_some() || fabric.register_file(cell).agu(*agu).busy();
            let running = &mut self.running[cell.index(self.geometry)][k];
            // A pattern that is lost does not replace the one that runs.
            if launch.is_some() || running.is_none() || !active {
                *running = causes.agu(cell, *agu).clone().filter(|_| active);
            }
            spans.force(at, cell, Part::Agu(*agu), running);
            if let Some(launch) = launch {
                let number = patterns.number(at, Some(pattern(&launch)));
                tracks.patterns[k].push(at.cycle, number);
            } else if !active {
                tracks.patterns[k].set(at, NONE);
            }
        }
        for input in CellInput::ALL {
            if signals.cell(cell).source(input).is_some() {
                spans.force(at, cell, Part::Input(input), causes.input(cell, input));
            }
        }
        if fabric.dpu(cell).mode() != DpuMode::Idle {
            spans.force(at, cell, Part::Dpu, &causes.dpu(cell));
        }
        let active = fabric.sequencer(cell).active_loops();
        for slot in (0..4).filter(|slot| active >> slot & 1 == 1) {
            spans.force(at, cell, Part::Loop(slot), causes.slot(cell, slot));
        }
    }

    /// The activity of a cell. Lanes from which an input receives a word are added to `heard`. Returns the mode of the
    /// operation that the DPU performs.
    fn cell(
        &mut self,
        at: EventTime,
        fabric: &Fabric,
        signals: &Signals,
        cell: CellId,
        heard: &mut [[bool; Lane::ALL.len()]],
    ) -> Option<DpuMode> {
        let index = cell.index(self.geometry);
        let (own, file) = (signals.cell(cell), fabric.register_file(cell));
        let tracks = &mut self.tracks.cells[index];
        let sums = &mut self.sums.cells[index];

        let sequencer = sequencing(fabric, cell);
        tracks.sequencer.set(at, sequencer);
        let mut active = !matches!(sequencer, NONE | sequencing::LOAD);
        let mut waits = sequencer >= sequencing::HOLD;
        match sequencer {
            NONE | sequencing::HOLD.. => {}
            sequencing::LOAD => sums.loading += 1,
            pc => {
                let word = fabric.sequencer(cell).imem(pc as usize);
                let opcode = Opcode::of(word, self.case.io_cells.contains(&cell));
                let name = opcode.map_or(NO_INSTRUCTION, Opcode::name);
                *sums.instructions.entry(name.to_owned()).or_default() += 1;
                waits = opcode == Some(Opcode::Wait);
                sums.busy += u64::from(!waits);
                self.sums.first_decode.get_or_insert(at.cycle);
                if at.shown {
                    self.tracks.decodes.entry((cell, pc as usize)).or_default().push(at.cycle);
                }
            }
        }
        if waits {
            sums.waiting += 1;
            *sums.waits.entry(sequencer as usize % sequencing::LOAD as usize).or_default() += 1;
        }

        let mode = fabric.dpu(cell).mode();
        let operation = self.active.operation(signals, cell, mode);
        tracks.mode.set(at, or_none((mode != DpuMode::Idle).then(|| mode.code())));
        tracks.operates.set(at, or_none(operation.map(|_| 1)));
        if operation.is_some() {
            *sums.operations.entry(mode.name().to_owned()).or_default() += 1;
        } else if mode != DpuMode::Idle {
            self.sums.without_data[index] += 1;
        }

        let mut in_use = [operation.is_some(); 7];
        for (k, agu) in AguId::ALL.iter().enumerate() {
            let emits = own.emitted[k].is_some();
            let delays = !emits && file.agu(*agu).busy();
            tracks.addresses[k].set(at, or_none(own.emitted[k]));
            sums.agus[k].addresses += u64::from(emits);
            sums.agus[k].delays += u64::from(delays);
            in_use[k] = emits || delays;
            active |= in_use[k];
        }
        self.cost[index].add(at.cycle, sequencer, waits, in_use);

        let mut takes = operation.unwrap_or_default();
        for (input, agu) in [(CellInput::Write0, AguId::W0), (CellInput::Write1, AguId::W1)] {
            takes[input.index()] = own.emitted(agu).is_some() && own.source(input).is_some();
        }
        for (k, source) in own.sources.into_iter().enumerate() {
            let number = source.map(|(from, lane)| {
                (from.index(self.geometry) * Lane::ALL.len() + lane.index()) as u32
            });
            tracks.sources[k].set(at, or_none(number));
            tracks.taken[k].set(at, or_none(takes[k].then_some(own.vin[k])));
            if let Some(source) = source.filter(|_| takes[k]) {
                heard[source.0.index(self.geometry)][source.1.index()] = true;
                match source.0 == cell {
                    true => sums.words_from_itself += 1,
                    false => sums.words_from_others += 1,
                }
            }
        }

        let blocks = &mut self.tracks.blocks;
        tracks.block_read.set(at, blocks.number(at, own.blk_rdata));
        let taken = own.emitted(AguId::Wb).map(|_| own.blk_wdata);
        tracks.block_taken.set(at, blocks.number(at, taken));

        let message = fabric.message(cell).map(|(kind, _)| kind);
        tracks.messages.set(at, or_none(message.map(|kind| kind.value() as u32)));
        if let Some(kind) = message {
            *sums.messages.entry(kind.name().to_owned()).or_default() += 1;
        }
        sums.permutations += u64::from(own.perm_block.is_some());
        active |= operation.is_some() || message.is_some() || own.perm_block.is_some();
        self.sums.active |= active;
        operation.map(|_| mode)
    }

    /// The words of a cell written at the edge, by any writer, including the masked words of a block.
    fn words(&mut self, at: EventTime, fabric: &Fabric, cell: CellId) {
        let index = cell.index(self.geometry);
        let view = fabric.view(cell);
        let emitted = |agu: AguId| view.emitted(agu);
        let [permuted, initialised] = view.block_writes();
        let blocks = [emitted(AguId::Wb), permuted, initialised].into_iter().flatten();
        let single = [emitted(AguId::W0), emitted(AguId::W1)].into_iter().flatten();
        let all: BTreeSet<u8> = single.chain(blocks.flat_map(|b| 16 * b..16 * b + 16)).collect();
        for word in all.into_iter().map(usize::from) {
            let track = self.tracks.cells[index].words.entry(word).or_default();
            track.write(at, view.register_file().word(word).into());
        }
    }

    /// The activity of a column. Returns the block on its way to the home tile or to the output buffer.
    fn column(
        &mut self,
        at: EventTime,
        fabric: &Fabric,
        after: &Fabric,
        signals: &Signals,
        column: ColumnId,
    ) -> Option<Block> {
        let up = block_up(signals, column);
        let read = fabric.buffer_reads().find(|r| r.column == column).map(|r| r.addr);
        let write = fabric.buffer_writes().find(|w| w.column == column);
        let active =
            up.is_some() || read.is_some() || write.is_some() || self.busy.contains(&column.into());

        let tracks = &mut self.tracks.columns[column.col()];
        tracks.buffer_reads.set(at, or_none(read));
        tracks.buffer_writes.set(at, or_none(write.map(|w| w.addr)));
        let phases = after.column_activity(column).phases;
        for generator in Generator::ALL {
            if phases[generator.index()] != PatternPhase::Idle {
                let by = self.attribution.io_generator(column, *generator);
                self.tracks.spans.force(at, column, Part::Generator(*generator), by);
            }
        }

        let sums = &mut self.sums.columns[column.col()];
        sums.busy += u64::from(active);
        sums.blocks_up += u64::from(up.is_some());
        sums.buffer_reads += u64::from(read.is_some());
        sums.buffer_writes += u64::from(write.is_some());
        self.sums.active |= active;
        up
    }

    /// The connections in the crossbar of a tile. A block that is sent to two outputs has one source, so it is counted
    /// once.
    fn paths(&mut self, at: EventTime, tile: TileId, sources: [CrossbarSource; 5]) {
        let index = tile.index(self.geometry);
        let entering = self.active.blocks(tile).iter().zip(sources);
        let entries: BTreeSet<_> =
            entering.filter(|(block, _)| block.is_some()).map(|e| e.1).collect();
        self.sums.tiles[index].blocks_moved += entries.len() as u64;
        for (track, source) in self.tracks.tiles[index].crossbar.iter_mut().zip(sources) {
            let value = (source != CrossbarSource::None).then(|| source.value() as u32);
            track.set(at, or_none(value));
        }
        if sources.iter().any(|source| *source != CrossbarSource::None) {
            let by = self.attribution.crossbar(tile);
            self.tracks.spans.force(at, tile, Part::Path, by);
        }
    }

    /// The activity of a tile: the blocks and messages that enter it, and the rows written at the edge.
    fn tile(&mut self, at: EventTime, fabric: &Fabric, tile: TileId) {
        let index = tile.index(self.geometry);
        let activity = fabric.tile_activity(tile);
        let (entering, written) = (self.active.blocks(tile), fabric.written_row(tile));
        let by_pattern = written.filter(|_| activity.init.is_none());

        let (tracks, blocks) = (&mut self.tracks.tiles[index], &mut self.tracks.blocks);
        for (track, block) in tracks.entering.iter_mut().zip(entering) {
            track.set(at, blocks.number(at, *block));
        }
        tracks.row_reads.set(at, or_none(activity.read));
        tracks.row_writes.set(at, or_none(by_pattern.map(|row| row as u32)));
        for (track, arrival) in tracks.arrivals.iter_mut().zip(activity.arrivals) {
            let position = |a: Arrival| Arrival::ALL.iter().position(|other| *other == a);
            track.set(at, or_none(arrival.and_then(position).map(|p| p as u32)));
        }
        if let Some(row) = written.filter(|_| at.goes_on) {
            let number = blocks.number(at, Some(fabric.sram(tile)[row]));
            tracks.rows.entry(row as u8).or_default().write(at, number);
        }

        for generator in Generator::ALL {
            if activity.phases[generator.index()] != PatternPhase::Idle {
                let by = self.attribution.generator(tile, *generator);
                self.tracks.spans.force(at, tile, Part::Generator(*generator), by);
            }
        }

        let arrivals = activity.arrivals.iter().flatten();
        let active = self.busy.contains(&tile.into())
            || entering.iter().any(Option::is_some)
            || arrivals.clone().next().is_some()
            || activity.read.is_some()
            || by_pattern.is_some();
        let sums = &mut self.sums.tiles[index];
        sums.busy += u64::from(active);
        sums.rows_read += u64::from(activity.read.is_some());
        sums.rows_written += u64::from(by_pattern.is_some());
        sums.messages += arrivals.count() as u64;
        self.sums.active |= active;
    }
}

/// The activity of the sequencer of a cell, as stored in its track; a WAIT is decoded in its first cycle.
fn sequencing(fabric: &Fabric, cell: CellId) -> i64 {
    let sequencer = fabric.sequencer(cell);
    match (sequencer.running(), sequencer.wait_count()) {
        (true, 0) => sequencer.pc().into(),
        (true, _) => sequencing::HOLD + i64::from(sequencer.pc()),
        (false, _) => {
            let state = low(fabric, cell, Register::SeqState);
            if state == SequencerState::Load.value() { sequencing::LOAD } else { NONE }
        }
    }
}

/// The values of a pattern that is launched.
fn pattern(launch: &AguCfg) -> [i64; 8] {
    let AguCfg { init_addr, init_delay, l1_iter, l1_step, l1_delay, .. } = *launch;
    let AguCfg { l2_iter, l2_step, l2_delay, l1_step_sign, .. } = *launch;
    let values = [init_addr, init_delay, l1_iter, l1_step, l1_delay, l2_iter, l2_step, l2_delay];
    let mut values = values.map(i64::from);
    values[3] *= if l1_step_sign { -1 } else { 1 };
    values
}

fn or_none<T: Into<i64>>(value: Option<T>) -> i64 {
    value.map_or(NONE, Into::into)
}
