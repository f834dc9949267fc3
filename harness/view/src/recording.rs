// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded run, as numbers for each cycle.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::Case;
use drra_fabric::ports::Block;
use drra_isa::{CellId, ColumnId, Geometry, SourceLine, TileId, Unit};
use drra_lint::Finding;
use drra_report::{
    data::CellProgram,
    program::{DecodeCycles, cell_programs, line},
};
use serde::Serialize;

use crate::{
    short::short,
    spans::PartSpans,
    statistics::Statistics,
    track::{EventTime, NONE, Track},
};

/// Special values in the track of a sequencer.
pub(crate) mod sequencing {
    /// The sequencer is storing a program. A smaller value is the address of the instruction that is being decoded.
    pub(crate) const LOAD: i64 = 64;
    /// A value from this one on is the sum of it and the address of the WAIT that is holding the program.
    pub(crate) const HOLD: i64 = 128;
}

/// A run on the golden model, cycle by cycle.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Name of the program.
    pub name: String,
    /// Size of the fabric.
    pub geometry: Geometry,
    /// First cycle shown.
    pub from: u64,
    /// Last cycle shown.
    pub to: u64,
    /// Statistics of the whole run.
    pub statistics: Statistics,
    /// Programs of the cells, with the shown cycles in which their instructions are decoded.
    pub programs: Vec<CellProgram>,
    /// The instructions of the programs, by cell and address.
    pub instructions: BTreeMap<(CellId, usize), Instruction>,
    /// Probable mistakes, to show on the page.
    pub marks: Vec<Finding>,
    /// The command that shows other cycles, if only part of the run is shown.
    pub rest: Option<String>,
    pub(crate) tracks: Tracks,
}

/// An instruction as its author knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// What it is for, in a few words.
    pub short: String,
    /// Its line in the text, from 1; `None` if there is no text.
    pub line: Option<usize>,
    /// The line of a program that people write, with its comment.
    pub source: Option<String>,
    /// Labels in front of it, separated by commas.
    pub label: String,
    /// The cycle of the run for which a schedule plans its first decode.
    pub planned: Option<u64>,
}

/// The tracks of all units.
#[derive(Clone, Debug)]
pub(crate) struct Tracks {
    /// Row-major.
    pub(crate) cells: Vec<CellTracks>,
    pub(crate) columns: Vec<ColumnTracks>,
    /// Row-major.
    pub(crate) tiles: Vec<TileTracks>,
    pub(crate) blocks: NumberTable<Block>,
    /// The patterns of AGUs, with the values in force: `init_addr`, `init_delay`, `l1_iter`, `l1_step`, `l1_delay`,
    /// `l2_iter`, `l2_step`, `l2_delay`.
    pub(crate) patterns: NumberTable<[i64; 8]>,
    /// Numbers of messages and configurations that are lost.
    pub(crate) lost: BTreeMap<Unit, Track>,
    /// Instructions in force.
    pub(crate) spans: PartSpans,
    /// Cycles in which instructions are decoded, by cell and address.
    pub(super) decodes: DecodeCycles,
}

/// The tracks of a cell, in the form used by the script of the page.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct CellTracks {
    /// See [`sequencing`].
    pub(crate) sequencer: Track,
    /// Code of the DPU's mode; no value when idle.
    pub(crate) mode: Track,
    /// 1 in cycles in which the DPU works on data, that is, in which data arrive at one of its operands.
    pub(crate) operates: Track,
    /// Addresses of the AGUs.
    pub(crate) addresses: [Track; 6],
    /// Lanes that the inputs are connected to: 4 times the index of the cell plus the index of the lane.
    pub(crate) sources: [Track; 6],
    /// Words that the inputs receive: words stored by a write port, and the operands of an operation.
    pub(crate) taken: [Track; 6],
    /// Number of the block that the cell reads for its column.
    #[serde(rename = "read")]
    pub(crate) block_read: Track,
    /// Number of the block that the cell receives from its column.
    #[serde(rename = "took")]
    pub(crate) block_taken: Track,
    /// Message that the cell sends: value of its kind.
    pub(crate) messages: Track,
    /// Words of the register file that are written, or not 0 in the first cycle shown, with every write.
    pub(crate) words: BTreeMap<usize, Track>,
    /// The number of the pattern of each AGU that is active, with every launch.
    pub(crate) patterns: [Track; 6],
    /// The registers of the RACCU, as [`Track::hold`] records them, like all registers below.
    pub(crate) raccu: [Track; 16],
    /// The loop slots that are active: from the lowest bits on, six bits each: count, iterations, end, start.
    pub(crate) loops: [Track; 4],
    /// Accumulators, signed.
    pub(crate) acc: [Track; 2],
    /// `acc_cnt`, in the cycles in which it is not one more than before, modulo 256; it is 0 in cycle 0.
    pub(crate) count: Track,
    /// Constant registers of the DPU.
    pub(crate) ir: [Track; 2],
    /// Compare status of channel 0.
    pub(crate) status: Track,
    /// Results on the DPU outputs, in the cycles in which they are due.
    #[serde(skip)]
    pub(crate) results: [Track; 2],
}

/// The tracks of a column.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ColumnTracks {
    /// Address requested from the input buffer.
    #[serde(rename = "reads")]
    pub(crate) buffer_reads: Track,
    /// Address to which a block is written in the output buffer.
    #[serde(rename = "writes")]
    pub(crate) buffer_writes: Track,
}

/// The tracks of a tile.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TileTracks {
    /// Sources of the crossbar outputs, as values of `CrossbarSource`; no value without a source.
    pub(crate) crossbar: [Track; 5],
    /// Numbers of the blocks that enter for the crossbar outputs.
    pub(crate) entering: [Track; 5],
    /// Row that the memory reads.
    #[serde(rename = "reads")]
    pub(crate) row_reads: Track,
    /// Row that a pattern stores.
    #[serde(rename = "writes")]
    pub(crate) row_writes: Track,
    /// Messages that arrive at the sides: positions in `Arrival::ALL`.
    pub(crate) arrivals: [Track; 4],
    /// Rows of the memory that are written, or not 0 in the first cycle shown: block numbers, with every write.
    pub(crate) rows: BTreeMap<u8, Track>,
}

/// Blocks or patterns by number, in order of first appearance: the same block is read, passed on and stored many times.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberTable<T> {
    numbers: BTreeMap<T, i64>,
    pub(crate) all: Vec<T>,
}

impl<T: Copy + Ord> NumberTable<T> {
    /// Number of a block or pattern; [`NONE`] if there is none, or the cycle is not shown.
    pub(super) fn number(&mut self, at: EventTime, item: Option<T>) -> i64 {
        let Some(item) = item.filter(|_| at.shown) else { return NONE };
        *self.numbers.entry(item).or_insert_with(|| {
            self.all.push(item);
            self.all.len() as i64 - 1
        })
    }
}

impl Tracks {
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            cells: vec![CellTracks::default(); geometry.cells()],
            columns: vec![ColumnTracks::default(); geometry.columns],
            tiles: vec![TileTracks::default(); geometry.tiles()],
            blocks: NumberTable::default(),
            patterns: NumberTable::default(),
            lost: BTreeMap::new(),
            spans: PartSpans::default(),
            decodes: DecodeCycles::new(),
        }
    }
}

impl RecordedRun {
    /// Recording of a run in which a range of cycles is shown.
    pub(super) fn new(
        case: &Case,
        shown: [u64; 2],
        tracks: Tracks,
        statistics: Statistics,
    ) -> Self {
        let mut programs = cell_programs(case, &tracks.decodes);
        for program in &mut programs {
            add_inner_lines(program, case, &tracks);
        }
        let [from, to] = shown.map(|cycle| cycle.min(statistics.cycles));
        let (name, geometry) = (case.name.clone(), case.geometry);
        let instructions = programs.iter().flat_map(|program| {
            let of_line =
                |line| Instruction { short: short(program.cell, line), ..Default::default() };
            program.lines.iter().map(move |line| ((program.cell, line.address), of_line(line)))
        });
        Self {
            name,
            geometry,
            from,
            to,
            statistics,
            instructions: instructions.collect(),
            programs,
            marks: Vec::new(),
            rest: None,
            tracks,
        }
    }

    /// Adds the places of the instructions in their text, and the text if people write it.
    pub fn add_source(&mut self, lines: &[SourceLine], text: Option<&str>) {
        let text: Vec<&str> = text.unwrap_or_default().lines().collect();
        for SourceLine { cell, address, line, label, .. } in lines {
            if let Some(instruction) = self.instructions.get_mut(&(*cell, *address)) {
                instruction.line = Some(*line);
                instruction.label.clone_from(label);
                instruction.source = text.get(line - 1).map(|text| text.trim().to_owned());
            }
        }
    }

    /// Adds the cycles of the run for which a schedule plans the instructions, with their cells and addresses.
    pub fn add_plan(&mut self, planned: &[(CellId, usize, u64)]) {
        for &(cell, address, cycle) in planned {
            if let Some(instruction) = self.instructions.get_mut(&(cell, address)) {
                instruction.planned = Some(cycle);
            }
        }
    }

    /// The units that are active, or have data when the first cycle shown begins.
    pub fn used(&self) -> BTreeSet<Unit> {
        let s = &self.statistics;
        let active = s.cells.iter().map(|c| Unit::from(c.cell));
        let active = active.chain(s.tiles.iter().map(|t| t.tile.into()));
        let columns = s.columns.iter().filter_map(|c| ColumnId::new(c.column));
        let cells = self.cells().filter(|(_, t)| !t.words.is_empty()).map(|(cell, _)| cell.into());
        let tiles = self.tiles().filter(|(_, t)| !t.rows.is_empty()).map(|(tile, _)| tile.into());
        active.chain(columns.map(Unit::from)).chain(cells).chain(tiles).collect()
    }

    /// Cells with their tracks.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (CellId, &CellTracks)> {
        CellId::all(&self.geometry).zip(&self.tracks.cells)
    }

    /// Tiles with their tracks.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (TileId, &TileTracks)> {
        TileId::all(&self.geometry).zip(&self.tracks.tiles)
    }

    /// A word of a register file in one of the cycles shown.
    ///
    /// # Panics
    /// If the fabric has no cell with this index.
    pub fn word(&self, cell: CellId, word: usize, cycle: u64) -> u16 {
        let words = &self.tracks.cells[cell.index(&self.geometry)].words;
        words.get(&word).and_then(|track| track.at(cycle)).map_or(0, |value| value as u16)
    }

    /// Cycle of the first decode, or the first cycle shown if nothing is decoded.
    pub(crate) fn begin(&self) -> u64 {
        self.statistics.span.map_or(self.from, |span| span.first_decode)
    }

    /// True if only part of the run is shown.
    pub fn is_cut(&self) -> bool {
        self.from > 0 || self.to < self.statistics.cycles
    }
}

/// Adds a line for each instruction that was decoded within a longer instruction, because the program jumped there.
fn add_inner_lines(program: &mut CellProgram, case: &Case, tracks: &Tracks) {
    let cell = program.cell;
    let Some(words) = case.program.cell(cell) else { return };
    for (&(_, address), cycles) in tracks.decodes.range((cell, 0)..=(cell, usize::MAX)) {
        let known = program.lines.iter().any(|line| line.address == address);
        if !known && address < words.len() {
            program.lines.push(line(words, address, program.io, cycles.clone()));
        }
    }
    program.lines.sort_by_key(|line| line.address);
}
