// SPDX-License-Identifier: MIT OR Apache-2.0
//! The expected final state of a program: registers, memory words and output buffers, read from a text and compared
//! with the end of a run.
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

use std::fmt;

use drra_fabric::{Layout, Location};
use drra_isa::{ColumnId, Unit};

use crate::golden_run::GoldenRun;

/// An expected end state.
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
    element: Element,
    /// 64-bit words, low word first.
    value: Vec<u64>,
    /// The value is shown as a signed number.
    signed: bool,
    line: usize,
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
    /// The element.
    pub element: Element,
    /// Expected value, low word first.
    pub expected: Vec<u64>,
    /// Value at the end of the run, low word first.
    pub found: Vec<u64>,
    /// True if both are words of 16 bits that are shown as signed numbers.
    pub signed: bool,
    /// Line of the expected value, counted from 1.
    pub line: usize,
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

    /// Compares the expected values with the current cycle of a run. Returns the differences in the order of the
    /// expected values.
    pub fn check(&self, run: &mut GoldenRun<'_>) -> Vec<UnexpectedValue> {
        run.fabric.pack();
        let differs = |expected: &ExpectedValue| {
            let found = expected.element.value(run)?;
            (found != expected.value).then(|| UnexpectedValue {
                element: expected.element,
                expected: expected.value.clone(),
                found,
                signed: expected.signed,
                line: expected.line,
            })
        };
        self.expected.iter().filter_map(differs).collect()
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

    /// The value at the end of a run; `None` if the fabric has no such element.
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
        let [found, expected] =
            [&self.found, &self.expected].map(|value| shown(value, self.signed));
        write!(f, "{} is {found}, expected {expected} (line {})", self.element, self.line)
    }
}

/// Small values are also given in decimal.
fn shown(value: &[u64], signed: bool) -> String {
    match value {
        [low] if signed => format!("{} ({low:#x})", *low as i16),
        [low] => format!("{low} ({low:#x})"),
        _ => Layout::hex(value, 64 * value.len() as u32),
    }
}
