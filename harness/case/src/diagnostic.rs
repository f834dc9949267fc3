// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person did wrong, with the place and the remedy.

use std::io;
use std::ops::Range;
use std::path::Path;

use miette::LabeledSpan;
use miette::MietteDiagnostic;
use miette::NamedSource;
use miette::Report;

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// Bad input or usage: exit code 2.
    Input(Report),
    /// The tool itself failed: exit code 3.
    Tool(String),
    /// The reader of standard output went away: no failure.
    BrokenPipe,
}

impl From<io::Error> for Failure {
    /// Errors while writing to standard output.
    fn from(e: io::Error) -> Self {
        match e.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Tool(format!("cannot write to standard output: {e}")),
        }
    }
}

/// A failure without a place in a text.
pub fn plain(message: impl Into<String>, help: impl Into<String>) -> Failure {
    let mut diagnostic = MietteDiagnostic::new(message);
    let help = help.into();
    if !help.is_empty() {
        diagnostic = diagnostic.with_help(help);
    }
    Failure::Input(Report::new(diagnostic))
}

/// A failure about a file as a whole.
pub fn file(path: &Path, message: impl AsRef<str>, help: impl Into<String>) -> Failure {
    plain(format!("{}: {}", path.display(), message.as_ref()), help)
}

/// A failure at a place in a text.
pub fn located(
    path: &Path,
    text: &str,
    line: usize,
    span: Range<usize>,
    code: &str,
    message: &str,
) -> Failure {
    let diagnostic = MietteDiagnostic::new(format!("{}:{line}: {code} {message}", path.display()))
        .with_label(LabeledSpan::new(Some("here".to_owned()), span.start, span.len()));
    let source = NamedSource::new(path.display().to_string(), text.to_owned());
    Failure::Input(Report::new(diagnostic).with_source_code(source))
}

/// Bytes of a line counted from 1, without its line feed.
pub fn line_span(text: &str, line: usize) -> Range<usize> {
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let len = text[start..].lines().next().unwrap_or("").len();
    start..start + len
}
