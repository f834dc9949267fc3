// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records a run.

use std::{collections::BTreeMap, ops::ControlFlow};

use drra_case::Case;
use drra_golden::{Arrival, Fabric};
use drra_isa::{
    CellId, Geometry, TileId, fabric::CrossbarSource, instructions::DpuMode, ports::ZERO_BLOCK,
};
use drra_lockstep::{EndRule, Now, Observer, Pair};

use super::{
    blocks::Blocks,
    counter::Counter,
    facts::{CellFacts, ColumnFacts, Facts, Sequencing, TileFacts},
    recording::{CellTracks, ColumnTracks, Recording, TileTracks, sequencing},
    track::{NONE, Track},
};
use crate::{
    build::cell_programs,
    data::{CellProgram, InstructionWords, ProgramLine},
};

/// Cycles that are shown of a run if not said otherwise: more make a large page.
pub const MOST_CYCLES: u64 = 10_000;

/// Which cycles of a run are shown. By default the first [`MOST_CYCLES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First cycle; `None`: the first one of the run.
    pub from: Option<u64>,
    /// Last cycle; `None`: the last one of the run, but not more than [`MOST_CYCLES`] in all.
    pub to: Option<u64>,
}

/// Runs a case on the golden model and records it. `cycles` overrides the length that the case says.
pub fn record(case: &Case, cycles: Option<u64>, window: Window) -> Recording {
    let from = window.from.unwrap_or(0);
    let mut recorder = Recorder {
        counter: Counter::new(case),
        from,
        to: window.to.unwrap_or(from + MOST_CYCLES - 1),
        tracks: Tracks::new(&case.geometry),
    };
    let mut pair = Pair::alone(case);
    pair.run(EndRule::new(case, cycles), &mut recorder);
    let Recorder { counter, from, to, tracks } = recorder;
    let statistics = counter.finish();
    let Tracks { cells, columns, tiles, blocks, decodes } = tracks;
    let mut programs = cell_programs(case, |cell, address| {
        decodes.get(&(cell, address)).cloned().unwrap_or_default()
    });
    for program in &mut programs {
        add_inner_lines(program, case, &decodes);
    }
    Recording {
        name: case.name.clone(),
        geometry: case.geometry,
        from: from.min(statistics.cycles),
        to: to.min(statistics.cycles),
        programs,
        statistics,
        cells,
        columns,
        tiles,
        blocks: blocks.all(),
    }
}

/// Cycles in which the instructions of a cell are decoded.
type Decodes = BTreeMap<(CellId, usize), Vec<u64>>;

/// A program can jump into the words of a longer instruction: what is decoded there gets a line of its own.
fn add_inner_lines(program: &mut CellProgram, case: &Case, decodes: &Decodes) {
    let cell = program.cell;
    let place = (cell.row(), cell.col());
    let Some((_, words)) = case.program.cells().find(|(other, _)| *other == place) else { return };
    for (&(_, address), cycles) in decodes.range((cell, 0)..=(cell, usize::MAX)) {
        let known = program.lines.iter().any(|line| line.address == address);
        let Some(rest) = words.get(address..).filter(|rest| !known && !rest.is_empty()) else {
            continue;
        };
        let bits: Vec<u64> = rest.iter().map(|word| word.bits).collect();
        program.lines.push(ProgramLine {
            address,
            instruction: InstructionWords::first_of(&bits, program.io),
            immediate: rest[0].immediate,
            responsible: false,
            decoded: cycles.clone(),
        });
    }
    program.lines.sort_by_key(|line| line.address);
}

struct Recorder {
    counter: Counter,
    from: u64,
    to: u64,
    tracks: Tracks,
}

impl Observer for Recorder {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if now.cycle == self.from {
            self.tracks.begin(now.golden, now.cycle);
        }
        self.counter.look(now)
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.counter.before(golden, cycle);
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        let facts = self.counter.count(golden);
        if (self.from..=self.to).contains(&cycle) {
            self.tracks.add(facts, cycle < self.to);
        }
    }

    fn reads_images(&self) -> bool {
        true
    }
}

/// What was recorded so far.
struct Tracks {
    cells: Vec<CellTracks>,
    columns: Vec<ColumnTracks>,
    tiles: Vec<TileTracks>,
    blocks: Blocks,
    decodes: Decodes,
}

impl Tracks {
    fn new(geometry: &Geometry) -> Self {
        let words = vec![Track::default(); geometry.rf_words];
        let cell = CellTracks { words, ..CellTracks::default() };
        Self {
            cells: vec![cell; geometry.cells()],
            columns: vec![ColumnTracks::default(); geometry.columns],
            tiles: vec![TileTracks::default(); geometry.tiles()],
            blocks: Blocks::default(),
            decodes: BTreeMap::new(),
        }
    }

    /// The contents of the memories in the first cycle that is shown.
    fn begin(&mut self, fabric: &Fabric, cycle: u64) {
        for (cell, tracks) in CellId::all(fabric.geometry()).zip(&mut self.cells) {
            for (word, track) in tracks.words.iter_mut().enumerate() {
                match fabric.register_file(cell).word(word) {
                    0 => {}
                    value => track.set(cycle, value.into()),
                }
            }
        }
        for (tile, tracks) in TileId::all(fabric.geometry()).zip(&mut self.tiles) {
            for (row, block) in (0..).zip(fabric.sram(tile)) {
                if *block != ZERO_BLOCK {
                    let number = self.blocks.number(*block);
                    tracks.rows.entry(row).or_default().set(cycle, number);
                }
            }
        }
    }

    /// Adds what happens in a cycle; `goes_on`: the contents that its edge writes are shown, too.
    fn add(&mut self, facts: &Facts, goes_on: bool) {
        let cycle = facts.cycle;
        let columns = self.columns.len();
        for (tracks, now) in self.cells.iter_mut().zip(&facts.cells) {
            if let Sequencing::Decode(address, _) = now.sequencing {
                self.decodes.entry((now.cell, address.into())).or_default().push(cycle);
            }
            tracks.add(cycle, now, columns, &mut self.blocks);
            for (word, value) in now.writes.iter().filter(|_| goes_on) {
                tracks.words[usize::from(*word)].write(cycle + 1, (*value).into());
            }
        }
        for (tracks, now) in self.columns.iter_mut().zip(&facts.columns) {
            tracks.add(cycle, now, &mut self.blocks);
        }
        for (tracks, now) in self.tiles.iter_mut().zip(&facts.tiles) {
            tracks.add(cycle, now, &mut self.blocks);
            if let Some((row, block)) = now.row_written.filter(|_| goes_on) {
                let number = self.blocks.number(block);
                tracks.rows.entry(row).or_default().write(cycle + 1, number);
            }
        }
    }
}

impl CellTracks {
    fn add(&mut self, cycle: u64, now: &CellFacts, columns: usize, blocks: &mut Blocks) {
        self.sequencer.set(
            cycle,
            match now.sequencing {
                Sequencing::Idle => NONE,
                Sequencing::Load => sequencing::LOAD,
                Sequencing::Decode(address, _) => address.into(),
                Sequencing::Hold(address) => sequencing::HOLD + i64::from(address),
            },
        );
        let mode = now.mode;
        self.mode.set(cycle, if mode == DpuMode::Idle { NONE } else { mode.code().into() });
        self.operates.set(cycle, if now.operates { 1 } else { NONE });
        for k in 0..6 {
            self.addresses[k].set(cycle, or_none(now.addresses[k]));
            self.delays[k].set(cycle, if now.delays[k] { 1 } else { NONE });
            let number = |(from, lane): (CellId, drra_isa::Lane)| {
                4 * (from.row() * columns + from.col()) + lane.index()
            };
            self.sources[k].set(cycle, now.sources[k].map_or(NONE, |s| number(s) as i64));
            self.taken[k].set(cycle, or_none(now.taken[k]));
        }
        let mut number = |block| Option::map_or(block, NONE, |block| blocks.number(block));
        self.block_read.set(cycle, number(now.block_read));
        self.block_taken.set(cycle, number(now.block_taken));
        self.messages.set(cycle, now.message.map_or(NONE, |kind| kind.value() as i64));
    }
}

impl ColumnTracks {
    fn add(&mut self, cycle: u64, now: &ColumnFacts, blocks: &mut Blocks) {
        self.up.set(cycle, now.up.map_or(NONE, |block| blocks.number(block)));
        self.buffer_reads.set(cycle, or_none(now.buffer_read));
        self.buffer_writes.set(cycle, or_none(now.buffer_write.map(|(address, _)| address)));
        let block = now.buffer_write.map_or(NONE, |(_, block)| blocks.number(block));
        self.buffer_blocks.set(cycle, block);
    }
}

impl TileTracks {
    fn add(&mut self, cycle: u64, now: &TileFacts, blocks: &mut Blocks) {
        for k in 0..5 {
            let source = now.crossbar[k];
            let none = source == CrossbarSource::None;
            self.crossbar[k].set(cycle, if none { NONE } else { source.value() as i64 });
            let block = now.entering[k].map_or(NONE, |block| blocks.number(block));
            self.entering[k].set(cycle, block);
        }
        self.row_reads.set(cycle, or_none(now.row_read));
        let written = now.row_written.filter(|_| now.by_pattern).map(|(row, _)| row);
        self.row_writes.set(cycle, or_none(written));
        for (track, arrival) in self.arrivals.iter_mut().zip(now.arrivals) {
            let position = |a: Arrival| Arrival::ALL.iter().position(|other| *other == a);
            track.set(cycle, or_none(arrival.and_then(position).map(|p| p as u32)));
        }
    }
}

fn or_none<T: Into<i64>>(value: Option<T>) -> i64 {
    value.map_or(NONE, Into::into)
}
