// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of campaigns.

use std::{
    io,
    path::{Path, PathBuf},
};

use drra_generate::ProfileError;
use drra_lockstep::DutError;
use drra_report::{BundleError, StoredError, waves::WaveError};
use serde::{Deserialize, Serialize};

/// The reason a campaign cannot be run, read or written.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A file or folder of the campaign cannot be read or written.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A folder without a journal.
    #[error("{}: not a campaign folder: it contains no {file}", folder.display())]
    NoCampaign { folder: PathBuf, file: &'static str },
    /// The folder of a new campaign already contains a campaign.
    #[error("{}: this folder already contains a campaign", path.display())]
    Exists { path: PathBuf },
    /// Another process writes the journal.
    #[error("{}: another process is running this campaign", path.display())]
    Running { path: PathBuf },
    /// A line of a journal is damaged.
    #[error("{}:{line}: damaged line: wrong checksum", path.display())]
    Damaged {
        path: PathBuf,
        /// Line number, starting at 1; the first line contains the settings of the campaign.
        line: usize,
    },
    /// The first line of a journal does not contain valid settings.
    #[error("{}:1: invalid settings: {source}", path.display())]
    Header { path: PathBuf, source: serde_json::Error },
    /// A journal in another version of the format.
    #[error("{}:1: unknown version {found}; this program reads version {known}", path.display())]
    Version { path: PathBuf, found: u32, known: u32 },
    /// The coverage bins of a journal are numbered differently.
    #[error("{}:1: the coverage bins of the journal differ from those of this program", path.display())]
    OtherBins { path: PathBuf },
    /// The profile of a journal cannot be used.
    #[error("{}:1: profile: {source}", path.display())]
    Profile { path: PathBuf, source: ProfileError },
    /// A line of a journal does not contain valid records.
    #[error("{}:{line}: invalid record: {source}", path.display())]
    Cases {
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        source: serde_json::Error,
    },
    /// The files of a failure cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A stored report cannot be used.
    #[error("{}: {source}", path.display())]
    Report { path: PathBuf, source: StoredError },
    /// The campaign to resume has other settings.
    #[error(
        "{}: the journal belongs to another campaign ({profile}, seed {seed}, shard {} of {}): {}",
        folder.display(), shard[0], shard[1], differ(differing)
    )]
    OtherCampaign {
        folder: PathBuf,
        profile: String,
        seed: u64,
        shard: [u64; 2],
        /// The settings that differ.
        differing: Vec<&'static str>,
    },
    /// A campaign cannot become shorter.
    #[error("{}: the campaign already has {before} cases, more than {now}", folder.display())]
    FewerCases { folder: PathBuf, before: u64, now: u64 },
    /// Folders to merge that are not shards of one campaign, each with its profile and seed as text.
    #[error(
        "{}: {} is a different campaign from {} in {}: {}",
        other.0.display(), other.1, first.1, first.0.display(), differ(differing)
    )]
    NotOneCampaign {
        first: (PathBuf, String),
        other: (PathBuf, String),
        /// The settings that differ.
        differing: Box<[&'static str]>,
    },
    /// Parts of one campaign compared different state: the design or its map has changed.
    #[error(
        "{}: {found} were compared here, {compared} {}; the design or its map has changed",
        folder.display(), if found == compared { format!("(different ones) in {other}") } else { format!("in {other}") }
    )]
    OtherState {
        folder: PathBuf,
        /// Its comparison coverage.
        found: String,
        /// The folder or program that differs.
        other: String,
        /// The comparison coverage of that folder or program.
        compared: String,
    },
    /// Parts of one campaign were run with different builds.
    #[error(
        "{}: run with {found}, but {other} is {here} ({})",
        folder.display(), differ(differing)
    )]
    OtherIdentity {
        folder: PathBuf,
        /// Its build.
        found: String,
        /// The folder or program that differs.
        other: String,
        /// The build there.
        here: String,
        /// The settings that differ.
        differing: Vec<&'static str>,
    },
    /// Sums that include both cases of another folder and further cases.
    #[error(
        "{}: {cases} cases are left out, because their sums include cases of another folder",
        folder.display()
    )]
    Overlap { folder: PathBuf, cases: u64 },
    /// There is nothing to merge.
    #[error("no folders to merge")]
    NoFolder,
    /// The process or thread of a worker cannot be started.
    #[error("cannot start a worker: {0}")]
    NoWorker(io::Error),
    /// A worker process failed.
    #[error("a worker process failed{}", printed.iter().map(|line| format!(": {line}")).collect::<String>())]
    WorkerFailed {
        /// The last line of the worker's output.
        printed: Option<String>,
    },
    /// The error of a worker process.
    #[error(transparent)]
    Worker(WorkerError),
    /// A signal arrived before the case was run.
    #[error("stopped by a signal")]
    Stopped,
    /// The design does not fit its maps, or its coverage cannot be written.
    #[error(transparent)]
    Dut(#[from] DutError),
}

impl CampaignError {
    /// True if a file cannot be read or written.
    pub fn is_of_a_file(&self) -> bool {
        match self {
            Self::File { .. } | Self::Bundle(_) => true,
            Self::Worker(trouble) => trouble.of_a_file,
            _ => false,
        }
    }

    /// True if no space is left for files.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File { source, .. } => is_full(source),
            Self::Bundle(e) => matches!(&e.source, WaveError::File(source) if is_full(source)),
            Self::Worker(trouble) => trouble.full,
            _ => false,
        }
    }
}

/// Describes the settings that differ.
fn differ(differing: &[&str]) -> String {
    let verb = if differing.len() == 1 { "differs" } else { "differ" };
    format!("{} {verb}", differing.join(", "))
}

/// True if no space is left.
fn is_full(e: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(e.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The error for a file that cannot be read or written.
pub(crate) fn of_file(path: &Path) -> impl FnOnce(io::Error) -> CampaignError {
    let path = path.to_owned();
    move |source| CampaignError::File { path, source }
}

/// The error of a worker process, as sent to the campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct WorkerError {
    pub message: String,
    /// A file cannot be read or written.
    pub of_a_file: bool,
    /// No space is left for the files of the worker.
    pub full: bool,
}

impl From<&CampaignError> for WorkerError {
    fn from(e: &CampaignError) -> Self {
        Self { message: e.to_string(), of_a_file: e.is_of_a_file(), full: e.is_full() }
    }
}
