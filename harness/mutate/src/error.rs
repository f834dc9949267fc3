// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why mutants cannot be made, run, or summed up.

use std::{error::Error, path::Path, path::PathBuf};

/// What another part of the program says.
type Reason = Box<dyn Error + Send + Sync>;

/// Why mutants cannot be made, run, or summed up.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// Options that name nothing.
    #[error("{message}")]
    Usage {
        message: String,
        /// What a person can do.
        remedy: String,
    },
    /// A file or folder that cannot be used.
    #[error("{}: {reason}", path.display())]
    File {
        path: PathBuf,
        reason: Reason,
        /// What a person can do.
        remedy: String,
    },
    /// The tool itself failed, or one that it runs.
    #[error("{0}")]
    Tool(Reason),
}

/// A folder or file of a run that cannot be written.
pub(crate) const WRITABLE: &str = "name a folder that can be written";

pub(crate) fn usage(message: impl Into<String>, remedy: impl Into<String>) -> MutateError {
    MutateError::Usage { message: message.into(), remedy: remedy.into() }
}

pub(crate) fn file(
    path: &Path,
    reason: impl Into<Reason>,
    remedy: impl Into<String>,
) -> MutateError {
    MutateError::File { path: path.to_owned(), reason: reason.into(), remedy: remedy.into() }
}

pub(crate) fn tool(reason: impl Into<Reason>) -> MutateError {
    MutateError::Tool(reason.into())
}
