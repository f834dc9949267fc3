// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a mutation run: a plan, and a journal with one line per result.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use drra_case::{ReadError, load::read_text};
use drra_diagnose::signature;
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

/// The plan of a run: mutants, fabric sizes and cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutationPlan {
    /// Version of the format.
    pub version: u32,
    /// Seed for the selection and the campaign.
    pub seed: u64,
    /// Profile of the stimulus generator, as given.
    pub profile: String,
    /// Number of cases on each fabric size.
    pub cases: u64,
    /// Fabric sizes, columns by tile rows.
    pub fabrics: Vec<String>,
    /// The mutants, by number.
    pub mutants: Vec<Mutant>,
    /// In a run of regression cases: the case of each mutant.
    pub saved: Option<Vec<String>>,
}

/// Version of the format of a plan.
pub const PLAN_VERSION: u32 = 2;

impl MutationPlan {
    /// True for a run of published bugs.
    pub(crate) fn is_of_bugs(&self) -> bool {
        self.mutants.iter().any(|m| m.bug.is_some())
    }

    /// Reads the plan in the folder of a run.
    ///
    /// # Errors
    /// If there is no plan of this version.
    pub fn read(folder: &Path) -> Result<Self, MutateError> {
        let path = folder.join(PLAN);
        let remedy = "give the folder of a mutation run";
        let text = read_text(&path).map_err(|e| file(&path, e, remedy))?;
        let plan: Self = serde_json::from_str(&text).map_err(|e| file(&path, e, remedy))?;
        match plan.version {
            PLAN_VERSION => Ok(plan),
            version => Err(file(&path, format!("unknown version {version}"), remedy)),
        }
    }
}

/// The event that killed a mutant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KillCause {
    /// Golden model and RTL differ, or an assertion is violated.
    #[default]
    Difference,
    /// The model ended its process.
    Crash,
    /// A case did not end.
    Hang,
    /// The model used too much memory.
    Memory,
}

/// One line of the journal: a mutant, the size of the fabric on which it was run, and the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalRecord {
    /// Number of the mutant.
    pub mutant: u32,
    /// Fabric size on which the mutant was run.
    pub fabric: String,
    /// The result.
    pub found: MutantResult,
}

/// The result for a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MutantResult {
    /// Verilator or Yosys does not accept the mutant.
    Illegal {
        /// Its message.
        message: String,
    },
    /// A case killed it.
    Killed(KillRecord),
    /// The witness of a published bug was run.
    Witness {
        /// The difference, if there is one.
        found: Option<KillRecord>,
    },
    /// No case killed the mutant.
    Survived {
        /// Cases that were run.
        cases: u64,
    },
    /// In some cycle, the value of the mutated expression differed from that of the original; for a case item, the item
    /// was reached.
    Activated {
        /// Number of the first such case.
        case: u64,
    },
    /// No case activated the mutant.
    NeverActivated {
        /// Cases that were run.
        cases: u64,
    },
    /// The module of the mutant computes the same next state and outputs as the original, for every state and input.
    Equivalent {
        /// The log of the proof, below the output folder.
        log: PathBuf,
    },
    /// The module differs from the original for some state and input, which need not be reachable.
    NotProved {
        /// The log of the attempt, below the output folder.
        log: PathBuf,
    },
    /// The proof timed out or could not run.
    NotDecided {
        /// The log of the attempt, below the output folder.
        log: PathBuf,
    },
    /// The block with the mutant was compared with its chapter.
    Chapter {
        verdict: ProofVerdict,
        /// The log of the proof, below the output folder.
        log: PathBuf,
        /// The log itself, which shows a difference or why there is no verdict.
        said: String,
    },
}

impl MutantResult {
    /// True if no other result can follow.
    pub fn is_final(&self) -> bool {
        use MutantResult::{Chapter, Equivalent, Illegal, Killed};
        let proved = matches!(self, Chapter { verdict: ProofVerdict::Equal, .. });
        proved || matches!(self, Killed(_) | Illegal { .. } | Equivalent { .. })
    }
}

/// The result of a proof against a chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProofVerdict {
    /// The block equals the chapter for every input and every state that its invariants allow.
    Equal,
    /// The block differs from the chapter in such a state.
    Differs,
    /// The proof timed out or could not run.
    NotDecided,
}

/// The kill of a mutant: its cause, case and cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillRecord {
    pub by: KillCause,
    /// Number of the case in the campaign.
    pub case: u64,
    /// Cycle of the mismatch, if there is one.
    pub cycle: Option<u64>,
    /// First register or port that differs, or the violated assertion, if any.
    pub path: Option<String>,
    /// Signature of the failure; empty if unknown.
    #[serde(deserialize_with = "signature::deserialize")]
    pub signature: String,
    /// Seconds since the first case.
    pub seconds: f64,
}

/// A journal open for writing.
#[derive(Debug)]
pub struct MutationJournal {
    file: File,
    path: PathBuf,
}

impl MutationJournal {
    /// Opens the journal in a folder, and reads its records. An incomplete last line is dropped.
    ///
    /// # Errors
    /// If the journal cannot be read or written, or a complete line is not a record.
    pub fn open(folder: &Path) -> Result<(Self, Vec<JournalRecord>), MutateError> {
        let path = folder.join(JOURNAL);
        let (records, whole) = read(&path)?;
        let options = OpenOptions::new().create(true).append(true).open(&path);
        let opened = options.and_then(|journal| journal.set_len(whole as u64).map(|()| journal));
        let journal = opened.map_err(|e| file(&path, e, WRITABLE))?;
        Ok((Self { file: journal, path }, records))
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn append(&mut self, record: &JournalRecord) -> Result<(), MutateError> {
        let line = serde_json::to_string(record).unwrap_or_default() + "\n";
        self.file.write_all(line.as_bytes()).map_err(|e| file(&self.path, e, WRITABLE))
    }
}

/// The records of a journal, and the length of its complete lines; no records if there is no journal.
fn read(path: &Path) -> Result<(Vec<JournalRecord>, usize), MutateError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(file(path, e, WRITABLE)),
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut records = Vec::new();
    for (place, line) in text[..whole].lines().enumerate() {
        let record = serde_json::from_str(line);
        let damaged = |e| {
            file(
                path,
                format!("line {}: {e}", place + 1),
                "delete this line; --resume then runs its mutant again",
            )
        };
        records.push(record.map_err(damaged)?);
    }
    Ok((records, whole))
}

/// The mutants that were killed in the run in a folder, each with the fabric size and the number of the case that
/// killed it.
///
/// # Errors
/// If the journal of the run cannot be read.
pub fn kills(folder: &Path) -> Result<Vec<(u32, String, u64)>, MutateError> {
    let killed = |record: JournalRecord| match record.found {
        MutantResult::Killed(killed) => Some((record.mutant, record.fabric, killed.case)),
        _ => None,
    };
    Ok(read(&folder.join(JOURNAL))?.0.into_iter().filter_map(killed).collect())
}

/// The fault of a regression case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegressionFault {
    /// File of the case, in the folder of the faults.
    pub case: String,
    /// The kind of change.
    pub operator: Operator,
    /// File of the RTL.
    pub file: String,
    /// The original code, which consists of whole tokens of one statement and occurs once in the file.
    pub old: String,
    /// The code of the fault.
    pub new: String,
}

/// A waived mutant: no case can kill it, because it differs only in unreachable states or without any effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// File of the mutant.
    pub file: String,
    /// The line of the source, trimmed.
    pub code: String,
    /// The original code.
    pub before: String,
    /// The code of the mutant.
    pub after: String,
    /// The reason why no case can kill the mutant.
    pub argument: String,
}

impl Waiver {
    /// True if the waiver is about a mutant, which is on the given line.
    pub(crate) fn is_about(&self, mutant: &Mutant, line: &str) -> bool {
        self.file == mutant.file
            && self.code == line
            && self.before == mutant.before
            && self.after == mutant.after
    }
}

/// Reads the waivers in the RTL folder; none if it has no `mutants.json`.
///
/// # Errors
/// If the file cannot be read or has another form.
pub fn waivers(rtl: &Path) -> Result<Vec<Waiver>, MutateError> {
    let path = rtl.join("mutants.json");
    match read_text(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| {
            file(&path, e, "correct the file; see harness/guide/mutation.md for its format")
        }),
        Err(ReadError::Missing) => Ok(Vec::new()),
        Err(e) => Err(file(&path, e, "")),
    }
}
