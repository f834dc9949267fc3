// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a map: each with its place in the file and a remedy.

use std::fmt;

use drra_isa::fabric::Location;

use super::{pattern::PatternError, template::TemplateError};

/// Similar paths that are named.
pub(super) const NEAREST: usize = 3;

/// Why a text is no map.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// JSON that is malformed or has another form than a map.
    #[error("at `{path}`: {source}")]
    Json {
        /// JSON path of the element, `.` for the whole file.
        path: String,
        source: serde_json::Error,
    },
    /// Another version of the format.
    #[error("at `version`: version {found} is unknown, this program reads version {known}")]
    Version {
        found: u32,
        /// The version that can be read.
        known: u32,
    },
}

/// Why a map cannot be used with a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapProblem {
    /// JSON path of the element, such as `registers[3].value`.
    pub at: String,
    pub what: Fault,
    /// The first register that it concerns, if it belongs to one.
    pub example: Option<Location>,
    /// Further registers with the same problem.
    pub more: usize,
}

/// What is wrong with an element of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    /// No register is mapped at all.
    #[error("the map matches nothing: none of the signals that it names is in the dump")]
    Nothing {
        /// The first path that was looked for.
        path: String,
        /// Paths that are like it.
        nearest: Vec<String>,
    },
    /// Cycles are asked for without a clock.
    #[error("the map names no clock")]
    NoClock,
    /// The map is for another fabric.
    #[error("the map is for {map} {name}, the fabric has {fabric}")]
    Fabric {
        /// What differs.
        name: &'static str,
        /// Size in the map.
        map: usize,
        /// Size of the fabric.
        fabric: usize,
    },
    /// A text that is no pattern of registers.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A substitution that has no value.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A name that cannot be told from an index letter, or is none.
    #[error(
        "`{name}` is no name: use a letter, then letters, digits and `_`, two characters at least"
    )]
    Name { name: String },
    /// Neither a value nor a reason, or both.
    #[error("an entry has either a `value` or a reason to `exclude` the register")]
    ValueOrReason,
    /// Two entries with equally many fixed indices take the same register.
    #[error("`{other}` takes the same register and is equally specific")]
    Ambiguous {
        /// JSON path of the other entry.
        other: String,
    },
    /// The dump lacks a signal that nothing works without.
    #[error("the dump has no signal `{path}`")]
    Missing {
        path: String,
        /// Paths that are like it.
        nearest: Vec<String>,
    },
    /// A path that several signals have.
    #[error("`{path}` is the path of several signals: {}", paths.join(", "))]
    Several {
        path: String,
        /// Some of them.
        paths: Vec<String>,
    },
    /// A signal that shows text.
    #[error("`{path}` shows names, not bits")]
    Text { path: String },
    /// A signal whose values cannot be compared.
    #[error("`{path}` shows real numbers or events, which cannot be compared")]
    Real { path: String },
    /// An expression of the wrong width.
    #[error("{expected} bits are needed, the expression has {found}")]
    Width { expected: u32, found: u32 },
    /// A text that looks like a constant and is none.
    #[error("`{text}` is no constant")]
    Constant { text: String },
    /// Bits that the value does not have.
    #[error("bits {msb} to {lsb} of a value of {width} bits")]
    Slice {
        /// Highest bit.
        msb: u32,
        /// Lowest bit.
        lsb: u32,
        /// Width of the value.
        width: u32,
    },
    /// An empty list.
    #[error("the list is empty")]
    Empty,
    /// An enumeration with another number of values than literals.
    #[error("{literals} literals and {values} values")]
    Values {
        /// Number of literals.
        literals: usize,
        /// Number of values.
        values: usize,
    },
    /// A literal that stands twice.
    #[error("the literal `{literal}` stands twice")]
    LiteralTwice { literal: String },
    /// A value that is translated twice.
    #[error("the value `{value}` stands twice")]
    ValueTwice { value: String },
    /// A literal that the signal does not have.
    #[error("the signal has no literal `{literal}`, it has {}", known.join(", "))]
    Literal {
        literal: String,
        /// Those of the dump.
        known: Vec<String>,
    },
    /// A value that does not fit the width.
    #[error("the value {value} does not fit {width} bits")]
    Value { value: u64, width: u32 },
    /// A memory at another place than as the value of `tile[R][c].sram[a]`.
    #[error("a memory is the value of all blocks of a tile and of nothing else")]
    Memory,
    /// A golden condition without exactly one of `equals` and `not`.
    #[error("a condition on a register has either `equals` or `not`")]
    Condition,
    /// A condition on a register that has no number.
    #[error("registers of more than 64 bits and memories cannot be a condition")]
    ConditionWidth,
    /// An offset that is too large.
    #[error("an offset of {offset} cycles, at most {most} to either side")]
    Offset {
        offset: i64,
        /// Largest one.
        most: u32,
    },
    /// The map does not say when the reset ends, but cycle 0 depends on it.
    #[error("cycle 0 is found by the end of the reset, and there is no `reset`")]
    NoReset,
    /// A name that is no output port.
    #[error("`{name}` is no output of the fabric")]
    Output { name: String },
}

impl Fault {
    /// What a person can do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Nothing { path, nearest } => {
                let seen = format!("`{path}` was looked for");
                format!("{seen}; {}", like(nearest, "check `let` against the names of the dump"))
            }
            Self::Missing { nearest, .. } => like(nearest, "check the path"),
            Self::Fabric { .. } => "use the map of this fabric, or change `fabric`".into(),
            Self::Pattern(_) => {
                "paths are those of chapter 5, section 7; an index letter is one letter".into()
            }
            Self::Template(_) => {
                "between braces stands a name of `let`, or arithmetic with the letters of the entry"
                    .into()
            }
            Self::Name { .. } => "rename it".into(),
            Self::ValueOrReason => "leave one of them out".into(),
            Self::Ambiguous { .. } => "fix an index in one of them; more fixed indices win".into(),
            Self::Several { .. } => "write the level of `*` that tells them apart".into(),
            Self::Text { .. } => "use {\"enum\": path, \"literals\": [...]}".into(),
            Self::Real { .. } => "exclude the register with a reason".into(),
            Self::Width { .. } => {
                "use slice to take bits away, concat with a constant to add some".into()
            }
            Self::Constant { .. } => {
                "constants are WIDTH'bDIGITS, WIDTH'oDIGITS, WIDTH'dDIGITS, WIDTH'hDIGITS".into()
            }
            Self::Slice { .. } => "bits are counted from 0, and msb is not below lsb".into(),
            Self::Empty => "write at least one element".into(),
            Self::Values { .. } => "give one value for each literal, or none at all".into(),
            Self::LiteralTwice { .. } | Self::ValueTwice { .. } => "leave one of them out".into(),
            Self::Literal { .. } => "write the literals as the design declares them".into(),
            Self::Value { .. } => "check the value and the width".into(),
            Self::Memory => "write it as the value of `tile[R][c].sram[a]`".into(),
            Self::Condition | Self::ConditionWidth => "use a condition on another register".into(),
            Self::Offset { .. } => "use `from` to begin later".into(),
            Self::NoClock => "add `clock` with the path of the signal".into(),
            Self::NoReset => "add `reset`, or `cycle_0` with `when`".into(),
            Self::Output { .. } => "outputs are named in chapter 5, without `_o`".into(),
        }
    }
}

fn like(nearest: &[String], otherwise: &str) -> String {
    match nearest {
        [] => otherwise.to_owned(),
        some => format!("the dump has {}", some.join(", ")),
    }
}

/// Place, what is wrong, first register.
impl fmt::Display for MapProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at `{}`: {}", self.at, self.what)?;
        match (&self.example, self.more) {
            (None, _) => Ok(()),
            (Some(example), 0) => write!(f, " ({example})"),
            (Some(example), more) => write!(f, " ({example} and {more} more)"),
        }
    }
}
