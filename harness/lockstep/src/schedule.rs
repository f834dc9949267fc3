// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares compiler schedules with the cycles in which instructions are decoded (chapter 1, 7.2).

use std::{collections::BTreeMap, fmt};

use drra_golden::Fabric;
use drra_isa::{
    Assembly, CellId, Geometry, ProgramImage, Revision, Word, decode, instruction_text,
};

/// The first cycle in which each address of each cell was decoded.
#[derive(Clone, Debug)]
pub struct DecodeTimes {
    cells: Vec<(CellId, BTreeMap<usize, u64>)>,
}

impl DecodeTimes {
    /// The decode times of a run in which nothing has been decoded yet.
    pub fn new(geometry: &Geometry) -> Self {
        Self { cells: CellId::all(geometry).map(|cell| (cell, BTreeMap::new())).collect() }
    }

    /// Records what is decoded in the current cycle of the model.
    pub fn look(&mut self, golden: &Fabric, cycle: u64) {
        for (cell, first) in &mut self.cells {
            let sequencer = golden.sequencer(*cell);
            if sequencer.running() {
                first.entry(usize::from(sequencer.pc())).or_insert(cycle);
            }
        }
    }

    /// The first decode cycle of each decoded address of a cell.
    pub(crate) fn of(&self, cell: CellId) -> Option<&BTreeMap<usize, u64>> {
        self.cells.iter().find(|(c, _)| *c == cell).map(|(_, first)| first)
    }

    /// First decode cycle of the fabric.
    fn start(&self) -> Option<u64> {
        self.cells.iter().flat_map(|(_, first)| first.values()).min().copied()
    }
}

/// An instruction of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledInstruction {
    /// Its cell.
    pub cell: CellId,
    /// Address of its first word.
    pub address: usize,
    /// Fetch cycle as counted in the schedule.
    pub fetch: u64,
    /// Line of the schedule, counted from 1; `None` if the instruction is not in the schedule.
    pub line: Option<usize>,
    /// Assembly text: mnemonic and fields, without padding.
    pub text: String,
}

/// The cycles that a compiler scheduled for the instructions of a program.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    instructions: Vec<ScheduledInstruction>,
}

/// A schedule that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// An instruction without a fetch cycle; contains its line, counted from 1.
    #[error("line {0}: the instruction has no fetch cycle (`start`)")]
    NoFetch(usize),
    /// No instruction at all.
    #[error("the schedule has no instructions")]
    Empty,
}

impl Schedule {
    /// The schedule in a listing or JSON file.
    ///
    /// # Errors
    /// If the file has no instructions, or an instruction has no fetch cycle.
    pub fn new(read: &Assembly) -> Result<Self, ScheduleError> {
        let instruction = |source: &drra_isa::SourceLine| {
            let &drra_isa::SourceLine { cell, address, line, .. } = source;
            let io_cell = read.io_cells.contains(&cell);
            let words: Vec<u64> =
                read.image.cell(cell)?[address..].iter().map(|w| w.bits).collect();
            let text = instruction_text(Revision::default().isa(), &words, io_cell);
            let fetch = source.fetch.ok_or(ScheduleError::NoFetch(line));
            let line = Some(line);
            Some(fetch.map(|fetch| ScheduledInstruction { cell, address, fetch, line, text }))
        };
        let instructions: Vec<ScheduledInstruction> =
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
    ) -> ScheduleComparison {
        let mut timed = ScheduleComparison::default();
        let of_cell = |(cell, words)| instructions(cell, words, io_cells(cell));
        let mut found: BTreeMap<(CellId, usize), String> =
            program.cells().flat_map(of_cell).collect();
        for scheduled in &self.instructions {
            let there = found.remove(&(scheduled.cell, scheduled.address));
            let deviation = match there {
                Some(text) if text == scheduled.text => match self.decoded(scheduled, run) {
                    DecodeState::In(cycle, expected) => {
                        (cycle != expected).then_some(ScheduleDeviation::Cycle { cycle, expected })
                    }
                    DecodeState::Skipped => {
                        timed.skipped += 1;
                        continue;
                    }
                    DecodeState::Never => Some(ScheduleDeviation::Never),
                },
                other => Some(ScheduleDeviation::Instruction(other)),
            };
            timed.compared += 1;
            timed.deviations.extend(deviation.map(|d| (scheduled.clone(), d)));
        }
        timed.compared += found.len();
        let start = run.start().unwrap_or_default();
        timed.deviations.extend(found.into_iter().map(|((cell, address), text)| {
            let cycle = run.of(cell).and_then(|first| first.get(&address));
            let fetch = cycle.map_or(u64::MAX, |cycle| cycle - start);
            (
                ScheduledInstruction { cell, address, fetch, line: None, text },
                ScheduleDeviation::Unscheduled,
            )
        }));
        // The first deviation is that with the earliest scheduled cycle rather than the lowest address.
        timed.deviations.sort_by_key(|(scheduled, _)| scheduled.fetch);
        timed
    }

    /// The cycles of a run for which the instructions are scheduled, with the cells and addresses; cells that decode
    /// nothing are left out.
    pub fn planned(&self, run: &DecodeTimes) -> Vec<(CellId, usize, u64)> {
        let at = |i: &ScheduledInstruction| {
            Some((i.cell, i.address, self.origin(i.cell, run)? + i.fetch))
        };
        self.instructions.iter().filter_map(at).collect()
    }

    /// The cycle of a run from which the schedule counts the cycles of a cell.
    fn origin(&self, cell: CellId, run: &DecodeTimes) -> Option<u64> {
        let (start, of_cell) = (run.start()?, *run.of(cell)?.values().min()?);
        // The fetch cycle of the first instruction shows whether the schedule counts the cycles of all cells together
        // (chapter 1, 7.2).
        let own = self.instructions.iter().filter(|i| i.cell == cell);
        let first = own.min_by_key(|i| i.address).map_or(0, |i| i.fetch);
        Some(if first == of_cell - start { start } else { of_cell })
    }

    /// Actual and scheduled cycle of an instruction.
    fn decoded(&self, scheduled: &ScheduledInstruction, run: &DecodeTimes) -> DecodeState {
        let (Some(first), Some(origin)) =
            (run.of(scheduled.cell), self.origin(scheduled.cell, run))
        else {
            return DecodeState::Never;
        };
        match first.get(&scheduled.address) {
            Some(cycle) => DecodeState::In(cycle - origin, scheduled.fetch),
            // An instruction that a jump skips is not decoded, but later ones are.
            None if first.keys().any(|address| *address > scheduled.address) => {
                DecodeState::Skipped
            }
            None => DecodeState::Never,
        }
    }
}

/// The texts of the instructions of a cell, each with its cell and address.
fn instructions(cell: CellId, words: &[Word], io_cell: bool) -> Vec<((CellId, usize), String)> {
    let isa = Revision::default().isa();
    let bits: Vec<u64> = words.iter().map(|word| word.bits).collect();
    let (mut address, mut all) = (0, Vec::new());
    while let Some(rest) = bits.get(address..).filter(|rest| !rest.is_empty()) {
        all.push(((cell, address), instruction_text(isa, rest, io_cell)));
        address += decode(isa, rest, io_cell).map_or(1, |decoded| decoded.len);
    }
    all
}

/// The decode of an instruction, if there was one.
enum DecodeState {
    /// Decoded in the first of these cycles, scheduled for the second; both are counted as in the schedule.
    In(u64, u64),
    Skipped,
    Never,
}

/// A schedule compared with a run.
#[derive(Clone, Debug, Default)]
pub struct ScheduleComparison {
    /// Number of instructions compared: those of the schedule that were not skipped, and those of the program that the
    /// schedule does not contain.
    pub compared: usize,
    /// Number of instructions skipped by a jump, by a branch, or by a loop without iterations.
    pub skipped: usize,
    /// Deviating instructions, in the order of their scheduled cycles.
    pub deviations: Vec<(ScheduledInstruction, ScheduleDeviation)>,
}

/// A deviation of an instruction from its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleDeviation {
    /// The program has another instruction, or other fields, at this address; `None` if no instruction begins there.
    Instruction(Option<String>),
    /// The instruction is missing from the schedule.
    Unscheduled,
    /// The instruction was decoded in another cycle; both cycles are counted as in the schedule.
    Cycle {
        /// Cycle in which the instruction was decoded.
        cycle: u64,
        /// Cycle of the schedule.
        expected: u64,
    },
    /// Neither this instruction nor any instruction after it was decoded.
    Never,
}

impl fmt::Display for ScheduleDeviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction(Some(text)) => write!(f, "the program has {text} there"),
            Self::Instruction(None) => f.write_str("no instruction of the program begins there"),
            Self::Unscheduled => f.write_str("not in the schedule"),
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
