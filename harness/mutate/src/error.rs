// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a design has no mutants, or their results cannot be read or written.

use std::{io, path::PathBuf};

/// Why a design has no mutants, or their results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// A source that the reader does not understand.
    #[error("{file}:{line}:{column}: expected {expected}, found {found:?}")]
    Syntax {
        /// File name.
        file: String,
        /// Line, from 1 on.
        line: u32,
        /// Column, from 1 on.
        column: u32,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line of a journal, or a file with judgements or faults, of another form.
    #[error("{}:{line}: {source}", path.display())]
    Data {
        path: PathBuf,
        /// Line, from 1 on.
        line: usize,
        source: serde_json::Error,
    },
}

impl MutateError {
    /// For `map_err` of what is done with a file.
    pub fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
