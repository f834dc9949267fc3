// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of mutation runs.

use std::{error::Error, path::Path, path::PathBuf};

/// An error of another part of the program, or a message.
type Reason = Box<dyn Error + Send + Sync>;

/// The reason why a mutation run failed.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// Invalid options.
    #[error("{message}")]
    Usage { message: String, remedy: String },
    /// A file or folder that cannot be used.
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: Reason, remedy: String },
    /// The tool itself, or a tool that it runs, failed.
    #[error("{0}")]
    Tool(Reason),
}

/// Remedy if a folder or file of a run cannot be written.
pub(crate) const WRITABLE: &str = "give a writable folder";

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
