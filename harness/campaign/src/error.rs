// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a campaign cannot be run, read or written.

use std::{
    io,
    path::{Path, PathBuf},
};

use drra_generate::ProfileError;
use drra_lockstep::DutError;
use drra_report::{BundleError, StoredError, waves::WaveError};
use serde::{Deserialize, Serialize};

/// Why a campaign cannot be run, read or written.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A file or folder of the campaign.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder without a journal.
    #[error("{}: this is not the folder of a campaign: it has no {}", folder.display(), crate::journal::FILE_NAME)]
    NoCampaign {
        /// The folder, which may not exist.
        folder: PathBuf,
    },
    /// The folder of a new campaign holds one already.
    #[error("{}: there is a campaign in this folder", path.display())]
    Exists {
        /// The journal that is there.
        path: PathBuf,
    },
    /// Another process writes the journal.
    #[error("{}: another process runs this campaign", path.display())]
    Running { path: PathBuf },
    /// A line of a journal is not as it was written.
    #[error("{}:{line}: damaged: its checksum does not fit", path.display())]
    Damaged {
        path: PathBuf,
        /// Line, counted from 1; the first one has the settings of the campaign.
        line: usize,
    },
    /// The first line of a journal does not tell its settings.
    #[error("{}:1: not the first line of a journal: {source}", path.display())]
    Header {
        /// The journal cannot be read or written.
        path: PathBuf,
        /// What is wrong with the line.
        source: serde_json::Error,
    },
    /// A journal of another version of the format.
    #[error("{}:1: version {found} is unknown, this program reads version {known}", path.display())]
    Version {
        /// The journal cannot be read or written.
        path: PathBuf,
        found: u32,
        known: u32,
    },
    /// The coverage bins of a journal are numbered in another way.
    #[error("{}:1: the journal counts other coverage bins than this program", path.display())]
    OtherBins { path: PathBuf },
    /// The profile of a journal cannot be used.
    #[error("{}:1: profile: {source}", path.display())]
    Profile {
        path: PathBuf,
        /// What is wrong with the profile.
        source: ProfileError,
    },
    /// A line of a journal does not tell finished cases.
    #[error("{}:{line}: not finished cases: {source}", path.display())]
    Cases {
        /// The journal cannot be read or written.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong with the line.
        source: serde_json::Error,
    },
    /// The files of a failure cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A stored report cannot be used.
    #[error("{}: {source}", path.display())]
    Report {
        path: PathBuf,
        /// What is wrong with it.
        source: StoredError,
    },
    /// The campaign to go on with has other settings.
    #[error(
        "{}: the journal belongs to another campaign ({profile}, seed {seed}, shard {} of {}): {}",
        folder.display(), shard[0], shard[1], differ(differing)
    )]
    OtherCampaign {
        /// Folder of the journal.
        folder: PathBuf,
        /// Profile of the campaign in it.
        profile: String,
        seed: u64,
        /// Its shard and the number of shards.
        shard: [u64; 2],
        /// In what the two differ.
        differing: Vec<&'static str>,
    },
    /// A campaign cannot become shorter.
    #[error("{}: the campaign has {before} cases, {now} are fewer", folder.display())]
    FewerCases {
        /// Folder of the journal.
        folder: PathBuf,
        before: u64,
        /// The cases that were asked for.
        now: u64,
    },
    /// Folders to join that are not shards of one campaign: of the first one and of the one that does not fit the
    /// folder, and profile and seed in words.
    #[error(
        "{}: {} is another campaign than {} in {}: {}",
        other.0.display(), other.1, first.1, first.0.display(), differ(differing)
    )]
    NotOneCampaign {
        /// The first folder.
        first: (PathBuf, String),
        /// The folder that does not fit.
        other: (PathBuf, String),
        /// In what the two differ.
        differing: Box<[&'static str]>,
    },
    /// Folders of one campaign in which other parts of the state were compared: the design or its map changed.
    #[error(
        "{}: {found} were compared here, {compared} {}; the design or its map has changed",
        folder.display(), if found == compared { format!("(others) in {other}") } else { format!("in {other}") }
    )]
    OtherState {
        folder: PathBuf,
        /// How much was compared in it.
        found: String,
        /// What it does not fit.
        other: String,
        /// How much is compared there.
        compared: String,
    },
    /// Folders of one campaign that were run with different builds, or a campaign that another build began.
    #[error(
        "{}: run with {found}; {other} is another build: {here} ({})",
        folder.display(), differ(differing)
    )]
    OtherIdentity {
        folder: PathBuf,
        /// What ran it.
        found: String,
        /// What it does not fit.
        other: String,
        /// The build of that.
        here: String,
        /// In what the two differ.
        differing: Vec<&'static str>,
    },
    /// Cases of a folder that are in another one, too, summed up with others there.
    #[error(
        "{}: {cases} of its cases are summed up with cases that another folder has, too; they are left out",
        folder.display()
    )]
    Overlap {
        folder: PathBuf,
        /// How many.
        cases: u64,
    },
    /// There is nothing to join.
    #[error("no folder to join")]
    NoFolder,
    /// A worker cannot be started: its process, or a thread for it.
    #[error("a worker cannot be started: {0}")]
    NoWorker(io::Error),
    /// A worker process could not do its work.
    #[error("a worker process failed{}", printed.iter().map(|line| format!(": {line}")).collect::<String>())]
    WorkerFailed {
        /// The last line that it printed.
        printed: Option<String>,
    },
    /// What a worker process says about its work.
    #[error(transparent)]
    Worker(Trouble),
    /// A signal came before the case was run.
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

    /// True if there is no room left for files.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File { source, .. } => is_full(source),
            Self::Bundle(e) => matches!(&e.source, WaveError::File(source) if is_full(source)),
            Self::Worker(trouble) => trouble.full,
            _ => false,
        }
    }
}

/// What differs, in words.
fn differ(differing: &[&str]) -> String {
    let verb = if differing.len() == 1 { "differs" } else { "differ" };
    format!("{} {verb}", differing.join(", "))
}

/// True if there is no room left.
fn is_full(e: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(e.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The error of a file.
pub(crate) fn of_file(path: &Path) -> impl FnOnce(io::Error) -> CampaignError {
    let path = path.to_owned();
    move |source| CampaignError::File { path, source }
}

/// Why a worker cannot do its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Trouble {
    /// What it says.
    pub message: String,
    /// A file cannot be read or written.
    pub of_a_file: bool,
    /// There is no room left for its files.
    pub full: bool,
}

impl From<&CampaignError> for Trouble {
    fn from(e: &CampaignError) -> Self {
        Self { message: e.to_string(), of_a_file: e.is_of_a_file(), full: e.is_full() }
    }
}
