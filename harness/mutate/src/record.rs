// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run of mutants stores: a plan, and a journal with one line for each finding.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Mutant, MutateError, Operator,
    error::{WRITABLE, file},
};

/// Name of the file with the plan.
pub const PLAN: &str = "plan.json";
/// Name of the journal.
pub const JOURNAL: &str = "journal.jsonl";

/// What is tried: mutants, fabrics, cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the format.
    pub version: u32,
    /// Seed of the draw and of the campaign.
    pub seed: u64,
    /// Profile of the generator, as it was named.
    pub profile: String,
    /// Cases of the campaign on each fabric.
    pub cases: u64,
    /// Sizes of the fabric, columns by rows of tiles.
    pub fabrics: Vec<String>,
    /// The mutants, by number.
    pub mutants: Vec<Mutant>,
    /// For a run of saved cases: the case of each mutant.
    pub saved: Option<Vec<String>>,
}

/// Version of the format of a plan.
pub const PLAN_VERSION: u32 = 2;

/// How a mutant showed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kill {
    /// Golden model and RTL differ, or an assertion is violated.
    Difference,
    /// The process of the model ended.
    Crash,
    /// A case did not come to an end.
    Hang,
}

/// A finding about a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Number of the mutant.
    pub mutant: u32,
    /// Fabric on which it was tried.
    pub fabric: String,
    /// What was found.
    pub found: Found,
}

/// What was found about a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// Verilator does not accept it.
    Illegal {
        /// What Verilator says.
        message: String,
    },
    /// A case showed it.
    Killed(Killed),
    /// No case showed it.
    Survived {
        /// Cases that were run.
        cases: u64,
    },
    /// It would have differed from the original in some cycle.
    Activated {
        /// Number of the first such case.
        case: u64,
    },
    /// It would never have differed from the original.
    NeverActivated {
        /// Cases that were run.
        cases: u64,
    },
    /// Its module computes the same next state and outputs from every state and input.
    Equivalent {
        /// The log of the proof, below the output folder.
        log: PathBuf,
    },
    /// It computes something else from some state and input, which need not be reachable.
    NotProved {
        /// The log of the attempt, below the output folder.
        log: PathBuf,
    },
    /// The proof was stopped or could not run.
    NotDecided {
        /// The log of the attempt, below the output folder.
        log: PathBuf,
    },
}

/// How and when a mutant was killed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Killed {
    /// How it showed itself.
    pub by: Kill,
    /// Number of the case in the campaign.
    pub case: u64,
    /// Cycle of the difference, if one was seen.
    pub cycle: Option<u64>,
    /// First register that differs, if one does.
    pub path: Option<String>,
    /// Signature of the failure; empty if it is not known.
    pub signature: String,
    /// Seconds from the first case on.
    pub seconds: f64,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder, and reads what it has. A last line that was cut short is dropped.
    ///
    /// # Errors
    /// If it cannot be read or written, or a line before the last is not a record.
    pub fn open(folder: &Path) -> Result<(Self, Vec<Record>), MutateError> {
        let path = folder.join(JOURNAL);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(file(&path, e, WRITABLE)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut records = Vec::new();
        for (place, line) in text[..whole].lines().enumerate() {
            let record = serde_json::from_str(line);
            let damaged = |e| file(&path, format!("line {}: {e}", place + 1), "delete the line");
            records.push(record.map_err(damaged)?);
        }
        let options = OpenOptions::new().create(true).append(true).open(&path);
        let opened = options.and_then(|journal| journal.set_len(whole as u64).map(|()| journal));
        let journal = opened.map_err(|e| file(&path, e, WRITABLE))?;
        Ok((Self { file: journal, path }, records))
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn append(&mut self, record: &Record) -> Result<(), MutateError> {
        let line = serde_json::to_string(record).unwrap_or_default() + "\n";
        self.file.write_all(line.as_bytes()).map_err(|e| file(&self.path, e, WRITABLE))
    }
}

/// The fault that a saved case is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The case, a file in the folder of the faults.
    pub case: String,
    /// What the fault changes.
    pub operator: Operator,
    /// File of the RTL.
    pub file: String,
    /// What stands there, once in the file: whole tokens of one statement.
    pub old: String,
    /// What the fault has there.
    pub new: String,
}

/// A mutant that no case can show, because the states in which it differs cannot be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// File of the mutant.
    pub file: String,
    /// The line of the source, without the space around it.
    pub code: String,
    /// What stands there.
    pub before: String,
    /// What the mutant has instead.
    pub after: String,
    /// Why it cannot show.
    pub argument: String,
}

/// Reads the waivers of a folder of RTL; none if it has no `mutants.json`.
///
/// # Errors
/// If the file cannot be read or has another form.
pub fn waivers(rtl: &Path) -> Result<Vec<Waiver>, MutateError> {
    let path = rtl.join("mutants.json");
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| file(&path, e, "correct the file")),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(file(&path, e, "")),
    }
}
