// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comments that allow a finding and give the reason: `# lint: allow KIND: reason` for the instruction of its line or,
//! on a line of its own, for the next instruction, and `# lint: allow-file KIND: reason` for the whole file. Several
//! kinds are separated by commas.

use std::collections::BTreeSet;

use drra_isa::SourceLine;

use crate::{Finding, Kind};

/// A comment that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {message}")]
pub struct CommentError {
    /// Line of the comment, from 1.
    pub line: usize,
    /// The problem, and what to write.
    pub message: String,
}

/// The findings that the comments of a text allow.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    /// Kinds, each with the line of the instruction, or none for the whole file.
    all: BTreeSet<(Kind, Option<usize>)>,
}

impl Allowed {
    /// Reads the comments of a text; `lines` are its instructions.
    pub(crate) fn read(text: &str, lines: &[SourceLine]) -> Result<Self, CommentError> {
        let mut all = BTreeSet::new();
        for (line, text) in (1..).zip(text.lines()) {
            let starts = [text.find('#'), text.find("//"), text.find("/*")];
            let Some(start) = starts.into_iter().flatten().min() else { continue };
            let comment = text[start..].trim_start_matches(['#', '/', '*', ' ']);
            let Some(words) = comment.strip_prefix("lint:") else { continue };
            let (file, words) = match words.trim_start().split_once(' ') {
                Some(("allow", rest)) => (false, rest),
                Some(("allow-file", rest)) => (true, rest),
                _ => return Err(error(line, "write `lint: allow KIND: reason`, or `allow-file`")),
            };
            let Some((kinds, reason)) = words.split_once(':') else {
                return Err(error(line, "write a reason: `lint: allow KIND: reason`"));
            };
            if reason.trim_end_matches("*/").trim().is_empty() {
                return Err(error(line, "write a reason after the colon"));
            }
            let next = lines.iter().map(|l| l.line).filter(|l| *l >= line).min();
            for name in kinds.split(',').map(str::trim) {
                let Some(kind) = Kind::from_name(name) else {
                    let message = format!(
                        "there is no kind of finding `{name}`; `drra lint --kinds` lists them"
                    );
                    return Err(error(line, message));
                };
                let place = if file { None } else { Some(next.unwrap_or(line)) };
                all.insert((kind, place));
            }
        }
        Ok(Self { all })
    }

    /// True if a comment allows a finding.
    pub(crate) fn allows(&self, finding: &Finding) -> bool {
        self.all.contains(&(finding.kind, None))
            || finding.line.is_some() && self.all.contains(&(finding.kind, finding.line))
    }
}

fn error(line: usize, message: impl Into<String>) -> CommentError {
    CommentError { line, message: message.into() }
}
