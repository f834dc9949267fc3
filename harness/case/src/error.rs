// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reasons why a case cannot be loaded: the file, the location in it, and the remedy.

use std::{fmt, io, ops::Range, path::PathBuf};

use drra_isa::{AsmError, CellId, SizeError, TextFormat, Warning};

use crate::MAX_CYCLES;

/// The reason why a file is not a usable case.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A file that cannot be read.
    #[error("{}: {error}", file.display())]
    Read {
        file: PathBuf,
        /// The reason.
        error: ReadError,
    },
    /// Neither the contents nor the file extension identifies the kind of program.
    #[error("{}: unknown kind of file", file.display())]
    UnknownKind { file: PathBuf },
    /// A file in a known form that is not the form of a program.
    #[error("{}: this is {form}, not a program", file.display())]
    NoProgram { file: PathBuf, form: TextFormat },
    /// A memory image was given for a case, which has its own memory contents.
    #[error("{}: a case contains its own memory contents", file.display())]
    MemoryOfCase { file: PathBuf },
    /// An instruction set was given for a case, which names its own.
    #[error("{}: a case contains its own revision", file.display())]
    InstructionsOfCase { file: PathBuf },
    /// A memory image initialises a block that the program initialises as well.
    #[error("{}: {memory} {row} {col} block {block} is also initialised by the program", file.display())]
    BlockTwice {
        /// The memory image.
        file: PathBuf,
        /// `SRAM` or `RF`.
        memory: &'static str,
        /// Row of the memory, as counted in images.
        row: usize,
        /// Column of the memory.
        col: usize,
        /// Number of the block.
        block: usize,
    },
    /// An error in a line of assembly or of an image.
    #[error(transparent)]
    Text(Box<TextError>),
    /// A problem with an element of a case file.
    #[error("{}: at `{}`: {}", file.display(), error.path, error.problem)]
    Element {
        /// The case file.
        file: PathBuf,
        /// The element, and the problem with it.
        error: ElementError,
    },
}

impl CaseError {
    /// The remedy, if the message does not already give it.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Read { error, .. } => error.remedy(),
            Self::UnknownKind { .. } => Some(
                "programs are assembly text (.sasm), images (.bin), cases (.json), compiler listings and schedules",
            ),
            Self::NoProgram { form: TextFormat::Case, .. } => Some("name a program"),
            Self::NoProgram { .. } => Some("give a program, and this file with --mem"),
            Self::MemoryOfCase { .. } => Some("omit --mem and --in"),
            Self::InstructionsOfCase { .. } => Some("omit --isa"),
            Self::BlockTwice { .. } => Some("initialise each block in one place only"),
            Self::Text(_) | Self::Element { .. } => None,
        }
    }
}

/// The reason why a file cannot be read as text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// A folder is where a file is expected.
    #[error("this is a folder")]
    Folder,
    /// The file cannot be read, for the reason that the system gives.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The file exceeds the maximum size, given in MiB.
    #[error("the file is larger than {0} MiB")]
    TooLarge(u64),
    /// The file begins with the byte order mark of UTF-16.
    #[error("this is UTF-16 text; save it as UTF-8")]
    Utf16,
    /// The file is not text; the offset of the first byte that is not part of a character is given.
    #[error("byte {0} is not UTF-8 text")]
    NotText(usize),
}

impl ReadError {
    /// The remedy, if the message does not already give it.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Missing => Some("check the path"),
            Self::Folder => Some("name a file"),
            Self::Unreadable(_) | Self::TooLarge(_) | Self::Utf16 | Self::NotText(_) => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Unreadable(e),
        }
    }
}

/// An error in a line of a text, with the text, so that the line can be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {code} {message}", file.display())]
pub struct TextError {
    pub file: PathBuf,
    /// The whole text of the file.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The bytes of the text that caused the error.
    pub span: Range<usize>,
    /// Code of chapter 1, section 7 or 8.6.
    pub code: &'static str,
    /// The problem, and the expected text.
    pub message: String,
}

/// An element of a case file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct ElementError {
    /// JSON path of the element, `.` for the whole file.
    pub path: String,
    /// The problem.
    pub problem: ElementProblem,
}

/// A warning of the assembler about a program of a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementWarning {
    /// JSON path of the program text.
    pub path: String,
    /// The warning; its line number counts from the start of the program text.
    pub warning: Warning,
}

impl fmt::Display for ElementWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Warning { code, line, message } = &self.warning;
        write!(f, "at `{}`: line {line}: {code} {message}", self.path)
    }
}

/// The problem with an element of a case file.
#[derive(Debug, thiserror::Error)]
pub enum ElementProblem {
    /// Not JSON, or not in the form of a case.
    #[error(transparent)]
    Form(#[from] serde_json::Error),
    /// A format version that this build does not support.
    #[error("unknown version {found}; this program reads version {known}")]
    Version { found: u32, known: u32 },
    /// There is no fabric of this size.
    #[error(transparent)]
    Fabric(SizeError),
    /// A revision of the instruction set that does not exist.
    #[error("unknown revision `{0}`; r0 to r4, v2 and v3 are known")]
    Revision(String),
    /// A name that could act as a command in a terminal or log.
    #[error("a name must not contain control characters, such as line feeds")]
    Name,
    /// A cycle or a number of cycles beyond the longest run.
    #[error("{0} is beyond the longest run, which has {MAX_CYCLES} cycles")]
    TooManyCycles(u64),
    /// A location outside the fabric.
    #[error("row {row}, column {col} is outside {rows} x {cols}")]
    Outside {
        /// Row of the location.
        row: usize,
        /// Column of the location.
        col: usize,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// An address beyond the end of a memory; the last address of the memory is given.
    #[error("the address is outside 0..{0}")]
    Address(usize),
    /// The contents of a block are not 64 hexadecimal digits.
    #[error("a block needs 64 hex digits, word 15 first")]
    Block,
    /// Two programs for a cell.
    #[error("cell {} {} is given twice", .0.row(), .0.col())]
    CellTwice(CellId),
    /// An error in the program of a cell.
    #[error("line {}: {} {}", .0.line, .0.code, .0.message)]
    Program(Box<AsmError>),
    /// The program of a cell has parts that only a whole program can have.
    #[error("CELL headings and .DATA are not allowed in the program of one cell")]
    NotOneCell,
    /// Two entries for a cycle.
    #[error("cycle {0} is given twice")]
    CycleTwice(u64),
    /// A value that does not fit the program port.
    #[error("the value is too wide: the word has 27 bits, `row_sel` 2, `col_sel` one per column")]
    ProgramPort,
    /// Memory images in a case with a port-level stimulus.
    #[error("a case with a stimulus loads its memories through it (`sram_init`, `rf_init`)")]
    MemoriesOfStimulus,
    /// Both programs and a port-level stimulus, or neither.
    #[error("a case must have either `cells` or `stimulus`")]
    Kind,
}

impl ElementProblem {
    /// Assigns the problem to the element with this JSON path.
    pub(crate) fn at(self, path: impl Into<String>) -> ElementError {
        ElementError { path: path.into(), problem: self }
    }
}
