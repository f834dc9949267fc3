// SPDX-License-Identifier: MIT OR Apache-2.0
//! The expected state of a program: registers, memory words and output buffers, read from a text or an array and
//! compared with the end of a run, or with a cycle of it.
//!
//! ```
//! use drra_isa::Geometry;
//! use drra_lockstep::{EndState, GoldenRun, run_golden};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let result = run_golden(&case, None);
//! let mut run = GoldenRun::new(&case);
//! (0..result.cycles).for_each(|_| run.step());
//!
//! let expected = EndState::read("cell[0][0].rf.mem[32] = 16 18 20\n", &geometry).unwrap();
//! assert!(expected.check(&mut run).is_empty());
//! ```

mod read;
mod slice;

use std::{collections::BTreeMap, fmt, sync::Arc};

use drra_case::Case;
use drra_fabric::{Layout, Location};
use drra_isa::{CellId, ColumnId, Unit};

use crate::{golden_run::GoldenRun, schedule::DecodeTimes};

pub use slice::{Slice, SliceItem};

/// Maximum number of values in one text.
const MAX_VALUES: usize = 1 << 20;

/// An expected state: at the end of a run and, in some cycles, during the run.
#[derive(Clone, Debug, Default)]
pub struct EndState {
    expected: Vec<ExpectedValue>,
}

/// A line of an expected end state that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct EndStateError {
    /// Line, counted from 1.
    pub line: usize,
    /// The problem, and the expected text.
    pub message: String,
}

#[derive(Clone, Debug)]
struct ExpectedValue {
    /// `None` for the end of the run.
    at: Option<SampleTime>,
    item: SliceItem,
    /// 64-bit words, low word first.
    value: Vec<u64>,
    source: (&'static str, usize),
}

/// The cycle in which a value is expected. The state of a cycle is that before the edge that ends it.
#[derive(Clone, Debug)]
enum SampleTime {
    Cycle(u64),
    /// A number of cycles after the first decode of the instruction of a label, whose name is kept for messages.
    Decode {
        cell: CellId,
        address: usize,
        after: u64,
        label: Arc<str>,
    },
}

/// A register, or a word of a memory row or of an output buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A register.
    Register(Location),
    /// Word 0 to 15 of a memory row of a tile.
    Word(Location, usize),
    /// Word 0 to 15 of a block of a column's output buffer.
    Output {
        /// Column.
        col: usize,
        /// Address of the block.
        address: u32,
        /// Number of the word.
        word: usize,
    },
}

/// An element whose value is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexpectedValue {
    /// The element or lane.
    pub item: SliceItem,
    /// The cycle whose state was compared; `None` for the end of the run.
    pub cycle: Option<u64>,
    /// Expected value, low word first.
    pub expected: Vec<u64>,
    /// Value in the cycle, low word first, or the reason why there is no such cycle.
    pub found: Result<Vec<u64>, String>,
    /// The origin of the expected value: `line`, counted from 1, or `element` of an array, counted from 0.
    pub source: (&'static str, usize),
}

impl EndState {
    /// Number of expected values.
    pub fn len(&self) -> usize {
        self.expected.len()
    }

    /// True if nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    /// True if values are expected during the run.
    pub fn is_timed(&self) -> bool {
        self.expected.iter().any(|value| value.at.is_some())
    }

    /// Compares the values expected at the end with the current cycle of a run. Returns the differences in the order of
    /// the expected values.
    pub fn check(&self, run: &mut GoldenRun<'_>) -> Vec<UnexpectedValue> {
        run.fabric.pack();
        let at_end = self.expected.iter().filter(|value| value.at.is_none());
        at_end.filter_map(|expected| expected.compare(run)).collect()
    }

    /// Compares the values expected during a run of a number of cycles, in which the instructions were decoded at these
    /// times. Returns the differences in the order of the cycles; a value whose cycle does not occur is one, too.
    pub fn check_times(
        &self,
        case: &Case,
        times: &DecodeTimes,
        cycles: u64,
    ) -> Vec<UnexpectedValue> {
        let mut due: BTreeMap<u64, Vec<&ExpectedValue>> = BTreeMap::new();
        let mut unexpected = Vec::new();
        for value in &self.expected {
            match value.at.as_ref().map(|at| at.cycle(times, cycles)).transpose() {
                Ok(cycle) => cycle.map_or((), |cycle| due.entry(cycle).or_default().push(value)),
                Err(why) => unexpected.push(value.unexpected(None, Err(why))),
            }
        }
        let mut run = GoldenRun::new(case);
        for (cycle, values) in due {
            (run.cycle..cycle).for_each(|_| run.step());
            run.fabric.pack();
            unexpected.extend(values.into_iter().filter_map(|value| value.compare(&run)));
        }
        unexpected
    }
}

impl ExpectedValue {
    fn compare(&self, run: &GoldenRun<'_>) -> Option<UnexpectedValue> {
        let found = self.item.value(run)?;
        let cycle = self.at.as_ref().map(|_| run.cycle);
        (found != self.value).then(|| self.unexpected(cycle, Ok(found)))
    }

    fn unexpected(&self, cycle: Option<u64>, found: Result<Vec<u64>, String>) -> UnexpectedValue {
        let (item, expected, source) = (self.item, self.value.clone(), self.source);
        UnexpectedValue { item, cycle, expected, found, source }
    }
}

impl SampleTime {
    /// The cycle, or the reason why it does not occur.
    fn cycle(&self, times: &DecodeTimes, cycles: u64) -> Result<u64, String> {
        let (cycle, label) = match self {
            Self::Cycle(cycle) => (*cycle, String::new()),
            Self::Decode { cell, address, after, label } => {
                let first = times.of(*cell).and_then(|first| first.get(address));
                let first = first.ok_or_else(|| format!("{label} is never decoded"))?;
                (first.saturating_add(*after), format!("{label}+{after}, "))
            }
        };
        match cycle <= cycles {
            true => Ok(cycle),
            false => {
                Err(format!("{label}cycle {cycle} is after the end of the run, cycle {cycles}"))
            }
        }
    }
}

impl Element {
    /// The unit that has the element or, for an output buffer, its column.
    ///
    /// # Panics
    /// If no fabric has such a column.
    pub fn unit(self) -> Unit {
        match self {
            Self::Register(at) | Self::Word(at, _) => at.unit,
            Self::Output { col, .. } => ColumnId::new(col).expect("a column of a fabric").into(),
        }
    }

    /// The value in the current cycle of a run; `None` if the fabric has no such element.
    fn value(self, run: &GoldenRun<'_>) -> Option<Vec<u64>> {
        match self {
            Self::Register(location) => run.fabric.value(location),
            Self::Word(row, word) => Some(vec![word_of(&run.fabric.value(row)?, word)]),
            Self::Output { col, address, word } => {
                Some(vec![word_of(&run.buffers.output(col, address), word)])
            }
        }
    }
}

/// A 16-bit word of a block.
fn word_of(block: &[u64], word: usize) -> u64 {
    block[word / 4] >> (16 * (word % 4)) & 0xffff
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(location) => location.fmt(f),
            Self::Word(row, word) => write!(f, "{row} word {word}"),
            Self::Output { col, address, word } => {
                write!(f, "output_buffer[{col}][{address}] word {word}")
            }
        }
    }
}

impl fmt::Display for UnexpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (item, expected, (source, number)) =
            (self.item, self.item.shown(&self.expected), self.source);
        let at = self.cycle.map_or_else(String::new, |cycle| format!(" in cycle {cycle}"));
        match &self.found {
            Ok(found) => write!(f, "{item}{at} is {}, expected {expected}", item.shown(found))?,
            Err(why) => write!(f, "{item}, expected {expected}: {why}")?,
        }
        write!(f, " ({source} {number})")
    }
}

impl SliceItem {
    /// Small values are also given in decimal.
    fn shown(&self, value: &[u64]) -> String {
        match *value {
            [low] => format!("{} ({low:#x})", self.number(low)),
            _ => Layout::hex(value, 64 * value.len() as u32),
        }
    }
}
