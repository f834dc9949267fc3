// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of campaigns.

use std::{
    io,
    path::{Path, PathBuf},
};

use drra_lockstep::{ComparisonCoverage, DutError};
use drra_report::waves::WaveError;
use drra_results::BundleError;

/// The reason a campaign cannot be run, read or written.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A file or folder of the campaign cannot be read or written.
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A folder without a journal.
    #[error("{}: not a campaign folder: it contains no {file}", folder.display())]
    NoCampaign { folder: PathBuf, file: &'static str },
    /// The first line of a journal does not contain valid settings.
    #[error("{}:1: {reason}", path.display())]
    Settings { path: PathBuf, reason: String },
    /// Folders, journals or settings that cannot be used for another reason, with the remedy.
    #[error("{message}")]
    Unusable { message: String, remedy: &'static str },
    /// The files of a failure cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The process or thread of a worker cannot be started.
    #[error("cannot start a worker: {0}")]
    NoWorker(io::Error),
    /// A worker process failed.
    #[error("a worker process failed ({cause}){}", printed.iter().map(|line| format!(": {line}")).collect::<String>())]
    WorkerFailed {
        /// The end of the process, or its unexpected answer.
        cause: String,
        /// The last line of the worker's output.
        printed: Option<String>,
        /// True if the process was ended by a signal that may have come from outside.
        killed: bool,
    },
    /// A worker process could not allocate memory.
    #[error("a worker process is out of memory")]
    WorkerMemory,
    /// An error that a worker process reported.
    #[error("{0}")]
    Worker(String),
    /// The waves around a mismatch cannot be made.
    #[error(transparent)]
    Waves(#[from] WaveError),
    /// The run of a case was abandoned after a signal, because the design did not return.
    #[error("stopped by a signal")]
    Stopped,
    /// The design does not fit its maps or the fabric size, or its coverage cannot be written.
    #[error(transparent)]
    Dut(#[from] DutError),
}

impl CampaignError {
    /// True if the error is a file or folder that cannot be read or written.
    pub fn is_file_error(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Bundle(_))
    }

    /// True if no space is left for files.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File { source, .. } | Self::Bundle(BundleError { source, .. }) => is_full(source),
            _ => false,
        }
    }
}

/// The error for folders, journals or settings that cannot be used.
pub(crate) fn unusable(message: String, remedy: &'static str) -> CampaignError {
    CampaignError::Unusable { message, remedy }
}

/// The error for parts of a campaign that compared different state, because the design or its map has changed. `other`
/// is the folder or program with which the folder is combined.
pub(crate) fn other_state(
    folder: &Path,
    found: &ComparisonCoverage,
    other: &str,
    here: &ComparisonCoverage,
) -> CampaignError {
    let (folder, found, here) = (folder.display(), found.share(), here.share());
    let differs = if found == here { "(different ones) in" } else { "in" };
    unusable(
        format!(
            "{folder}: {found} were compared here, {here} {differs} {other}; the design or its map has changed"
        ),
        "run a new campaign with the current design and map in another folder",
    )
}

/// Describes the settings that differ.
pub(crate) fn differ(differing: &[&str]) -> String {
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
