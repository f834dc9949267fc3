// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors and warnings of the assembler, and the places in the text that they are about.

use std::ops::Range;

use crate::image::line_span;

/// A warning `Wxx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// `W01` .. `W10`.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

/// The first error found in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {code} {message}")]
pub struct AsmError {
    /// `A01` .. `A22`, or `SYNC-E1` and `SYNC-E2` for schedules.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// The bytes of the text that the error is about.
    pub span: Range<usize>,
    /// The problem, or the expected text.
    pub message: String,
}

impl AsmError {
    /// An error about a whole line; lines are numbered from 1.
    pub(crate) fn of_line(
        code: &'static str,
        text: &str,
        line: usize,
        message: impl Into<String>,
    ) -> Self {
        Self { code, line, span: line_span(text, line), message: message.into() }
    }
}

/// Location in the source: line and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceSpan {
    pub(crate) line: usize,
    pub(crate) span: Range<usize>,
}

impl SourceSpan {
    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> AsmError {
        AsmError { code, line: self.line, span: self.span.clone(), message: message.into() }
    }

    pub(crate) fn fail<T>(
        &self,
        code: &'static str,
        message: impl Into<String>,
    ) -> Result<T, AsmError> {
        Err(self.error(code, message))
    }

    pub(crate) fn to(&self, end: &SourceSpan) -> SourceSpan {
        SourceSpan { line: self.line, span: self.span.start..end.span.end.max(self.span.end) }
    }
}
