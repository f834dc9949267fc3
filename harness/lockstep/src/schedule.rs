// SPDX-License-Identifier: MIT OR Apache-2.0
//! Schedules of compilers against the cycles in which instructions are decoded (chapter 1, 7.2).

use std::{collections::BTreeMap, fmt};

use drra_golden::Fabric;
use drra_isa::{Assembly, CellId, Geometry, Opcode, ProgramImage, Revision, instruction_text};

/// The first cycle in which each address of each cell was decoded.
#[derive(Clone, Debug)]
pub struct DecodeTimes {
    cells: Vec<(CellId, BTreeMap<usize, u64>)>,
}

impl DecodeTimes {
    /// Nothing was decoded yet.
    pub fn new(geometry: &Geometry) -> Self {
        Self { cells: CellId::all(geometry).map(|cell| (cell, BTreeMap::new())).collect() }
    }

    /// Takes note of what is decoded in the current cycle of the model.
    pub fn look(&mut self, golden: &Fabric, cycle: u64) {
        for (cell, first) in &mut self.cells {
            let sequencer = golden.sequencer(*cell);
            if sequencer.running() {
                first.entry(usize::from(sequencer.pc())).or_insert(cycle);
            }
        }
    }

    fn of(&self, cell: CellId) -> Option<&BTreeMap<usize, u64>> {
        self.cells.iter().find(|(c, _)| *c == cell).map(|(_, first)| first)
    }

    /// First decode cycle of the fabric.
    fn start(&self) -> Option<u64> {
        self.cells.iter().flat_map(|(_, first)| first.values()).min().copied()
    }
}

/// An instruction of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its cell.
    pub cell: CellId,
    /// Address of its first word.
    pub address: usize,
    /// Fetch cycle, as the schedule counts.
    pub fetch: u64,
    /// Line of the schedule, counted from 1.
    pub line: usize,
    /// Assembly text.
    pub text: String,
    opcode: Option<Opcode>,
}

/// What a compiler says about the cycles of a program.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    instructions: Vec<Scheduled>,
}

/// A schedule that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// An instruction without a fetch cycle; its line, counted from 1.
    #[error("line {0}: the instruction has no fetch cycle (`start`)")]
    NoFetch(usize),
    /// No instruction at all.
    #[error("the schedule has no instructions")]
    Empty,
}

impl Schedule {
    /// The schedule that a listing or a JSON file was read as.
    ///
    /// # Errors
    /// If it has no instructions, or one without a fetch cycle.
    pub fn new(read: &Assembly) -> Result<Self, ScheduleError> {
        let instruction = |source: &drra_isa::SourceLine| {
            let &drra_isa::SourceLine { cell, address, line, .. } = source;
            let io_cell = read.io_cells.contains(&cell);
            let words: Vec<u64> =
                read.image.cell(cell)?[address..].iter().map(|w| w.bits).collect();
            let text = instruction_text(Revision::default().isa(), &words, io_cell);
            let opcode = Opcode::of(*words.first()?, io_cell);
            let fetch = source.fetch.ok_or(ScheduleError::NoFetch(line));
            Some(fetch.map(|fetch| Scheduled { cell, address, fetch, line, text, opcode }))
        };
        let instructions: Vec<Scheduled> =
            read.lines.iter().filter_map(instruction).collect::<Result<_, _>>()?;
        if instructions.is_empty() {
            return Err(ScheduleError::Empty);
        }
        Ok(Self { instructions })
    }

    /// Compares the schedule with a run of a program.
    pub fn compare(
        &self,
        program: &ProgramImage,
        io_cells: impl Fn(CellId) -> bool,
        run: &DecodeTimes,
    ) -> Timed {
        let mut timed = Timed::default();
        for scheduled in &self.instructions {
            let cell = scheduled.cell;
            let words = program.cell(cell).unwrap_or_default();
            let found =
                words.get(scheduled.address).and_then(|w| Opcode::of(w.bits, io_cells(cell)));
            let deviation = if found.is_none() || found != scheduled.opcode {
                let name = found.map_or("nothing", Opcode::name);
                Some(Deviation::Instruction(name))
            } else {
                match self.decoded(scheduled, run) {
                    Decoded::In(cycle, expected) => {
                        (cycle != expected).then_some(Deviation::Cycle { cycle, expected })
                    }
                    Decoded::Skipped => {
                        timed.skipped += 1;
                        continue;
                    }
                    Decoded::Never => Some(Deviation::Never),
                }
            };
            timed.compared += 1;
            timed.deviations.extend(deviation.map(|d| (scheduled.clone(), d)));
        }
        // The first one is that of the earliest cycle, not of the lowest address.
        timed.deviations.sort_by_key(|(scheduled, _)| scheduled.fetch);
        let scheduled = |cell: &CellId| self.instructions.iter().any(|i| i.cell == *cell);
        let cells = program.cells().map(|(cell, _)| cell);
        timed.without_schedule = cells.filter(|cell| !scheduled(cell)).collect();
        timed
    }

    /// Both cycles of an instruction, of the run.
    fn decoded(&self, scheduled: &Scheduled, run: &DecodeTimes) -> Decoded {
        let (Some(first), Some(start)) = (run.of(scheduled.cell), run.start()) else {
            return Decoded::Never;
        };
        let Some(of_cell) = first.values().min() else { return Decoded::Never };
        match first.get(&scheduled.address) {
            Some(cycle) => {
                // The first instruction tells where the cycles of the cell are counted from.
                let own = self.instructions.iter().filter(|i| i.cell == scheduled.cell);
                let origin = own.min_by_key(|i| i.address).map_or(0, |i| i.fetch);
                let base = if origin == of_cell - start { start } else { *of_cell };
                Decoded::In(cycle - base, scheduled.fetch)
            }
            // What a jump passes over is not decoded, and the program goes on behind it.
            None if first.keys().any(|address| *address > scheduled.address) => Decoded::Skipped,
            None => Decoded::Never,
        }
    }
}

/// When an instruction was decoded.
enum Decoded {
    /// In this cycle, and expected in that one; counted as in the schedule.
    In(u64, u64),
    Skipped,
    Never,
}

/// A schedule compared with a run.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    /// Instructions compared.
    pub compared: usize,
    /// Instructions that a jump or a loop without runs passed over.
    pub skipped: usize,
    /// Cells of the program that the schedule does not have.
    pub without_schedule: Vec<CellId>,
    /// Instructions that deviate, in the order of their scheduled cycles.
    pub deviations: Vec<(Scheduled, Deviation)>,
}

/// How an instruction deviates from its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// The program has another instruction there; its name.
    Instruction(&'static str),
    /// It was decoded in another cycle; both count as the schedule does.
    Cycle {
        /// Cycle in which it was decoded.
        cycle: u64,
        /// Cycle of the schedule.
        expected: u64,
    },
    /// It was not decoded, nor anything behind it.
    Never,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction(name) => write!(f, "the program has {name} there"),
            Self::Cycle { cycle, expected } => {
                let (late, way) = if cycle > expected {
                    (cycle - expected, "late")
                } else {
                    (expected - cycle, "early")
                };
                write!(f, "decoded in cycle {cycle}, scheduled for cycle {expected}: {late} {way}")
            }
            Self::Never => f.write_str("not decoded"),
        }
    }
}
