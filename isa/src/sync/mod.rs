// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiler schedules `sync_instr.txt` and `sync_instr.json` (chapter 1, 7.2 and 7.3).

mod json;
mod text;

use std::ops::Range;

use crate::asm::AsmError;

pub use json::read_sync_json;
pub use text::read_sync_text;

/// Why a schedule could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {code} {message}")]
pub struct SyncError {
    /// `SYNC-E1`, `SYNC-E2` or an assembler code.
    pub code: &'static str,
    /// `line N` or a JSON pointer.
    pub place: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Bytes of the text that the error is about.
    pub span: Range<usize>,
    /// What is wrong and what was expected.
    pub message: String,
}

impl From<SyncError> for AsmError {
    /// The same with the JSON pointer in the message.
    fn from(e: SyncError) -> Self {
        let SyncError { code, place, line, span, message } = e;
        let message =
            if place.starts_with('/') { format!("at `{place}`: {message}") } else { message };
        Self { code, line, span, message }
    }
}
