// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exit codes, and the errors of commands with their messages and remedies.

use std::{
    borrow::Cow,
    error::Error,
    io,
    path::{Path, PathBuf},
};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use drra_campaign::CampaignError;
use drra_case::CaseError;
use drra_recorded::map::MapError;

use super::{console::note, suggest};

/// The result of a command. Results are ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Both sides agreed.
    Agreed,
    /// No mismatch so far, but a signal ended the campaign or mutation run early, or cases are missing.
    Interrupted,
    /// A mismatch or another finding.
    Mismatch,
    /// Bad input or usage, or nothing (or less than required) was compared.
    BadInput,
    /// The tool itself failed.
    ToolFailure,
}

impl Exit {
    /// The exit code.
    pub(super) fn code(self) -> u8 {
        [0, 4, 1, 2, 3][self as usize]
    }
}

/// The reason for an error: another error, or a text.
type ErrorReason = Box<dyn Error + Send + Sync>;

/// The reason a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// Invalid arguments or input, or nothing to compare.
    #[error("{message}")]
    Usage { message: String, remedy: String },
    /// A case for a fabric size of which this program has no model; `skipped` is true if the case was skipped.
    #[error("{message}")]
    NoModel { message: String, remedy: String, skipped: bool },
    /// An invalid program or case.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A campaign that cannot be run, read or written.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// A campaign whose findings were printed, but that could not be completed.
    #[error(transparent)]
    Incomplete(CampaignError),
    /// A signal map that is invalid, or does not fit a waveform.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Any other file or folder that cannot be used.
    #[error("{}: {reason}", file.display())]
    File { file: PathBuf, reason: ErrorReason, remedy: String },
    /// The tool itself failed.
    #[error("{0}")]
    Tool(ErrorReason),
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

/// The error for invalid arguments or input, or if nothing is compared.
pub(super) fn usage(message: impl Into<String>, remedy: impl Into<String>) -> CommandError {
    CommandError::Usage { message: message.into(), remedy: remedy.into() }
}

/// The error for a file or folder that cannot be used.
pub(super) fn file(
    path: &Path,
    reason: impl Into<ErrorReason>,
    remedy: impl Into<String>,
) -> CommandError {
    CommandError::File { file: path.to_owned(), reason: reason.into(), remedy: remedy.into() }
}

/// The error for a failure of the tool itself.
pub(super) fn tool(reason: impl Into<ErrorReason>) -> CommandError {
    CommandError::Tool(reason.into())
}

impl CommandError {
    /// The exit code. A closed pipe on standard output is not a failure.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Output(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Agreed,
            Self::NoModel { skipped: true, .. } => Exit::Agreed,
            Self::Output(_) | Self::Tool(_) | Self::Incomplete(_) => Exit::ToolFailure,
            Self::Campaign(e) if of_the_tool(e) => Exit::ToolFailure,
            Self::File { reason, .. } if is_full(reason) => Exit::ToolFailure,
            _ => Exit::BadInput,
        }
    }

    /// The error for this file or folder, if it cannot be written instead of standard output.
    pub(super) fn of_output(self, path: &Path, remedy: &str) -> Self {
        match self {
            Self::Output(e) => file(path, e, remedy),
            other => other,
        }
    }

    /// Prints the error, and returns its exit code.
    pub(super) fn print(&self) -> Exit {
        let exit = self.exit();
        if exit != Exit::Agreed {
            note!("{}", self.text());
        }
        exit
    }

    /// The remedy for the error; empty if unknown.
    fn remedy(&self) -> Cow<'_, str> {
        match self {
            Self::File { reason, .. } if is_full(reason) => {
                "free space, or raise the quota or `ulimit -f`, and run the command again".into()
            }
            Self::Usage { remedy, .. }
            | Self::NoModel { remedy, .. }
            | Self::File { remedy, .. } => remedy.into(),
            Self::Case(e) => e.remedy().unwrap_or_default().into(),
            Self::Campaign(CampaignError::NoCampaign { folder, .. }) => {
                suggest::campaigns(folder, "").into()
            }
            Self::Incomplete(e) if e.is_file_error() && !e.is_full() => {
                "check that the folder still exists and is writable; if its journal is intact, resume with drra fuzz \
                 --resume DIR"
                    .into()
            }
            Self::Campaign(e) | Self::Incomplete(e) => of_campaign(e).into(),
            Self::Tool(e) => e.downcast_ref().map_or("", of_the_system).into(),
            Self::Map(_) | Self::Output(_) => "".into(),
        }
    }

    /// The message, position in the file and remedy, with terminal escapes.
    pub(super) fn text(&self) -> String {
        let level = match self.exit() {
            Exit::ToolFailure => Level::ERROR.with_name("drra failed"),
            _ => Level::ERROR,
        };
        if let Self::Map(e) = self {
            return e.text(&Renderer::styled());
        }
        let mut group = Group::with_title(level.primary_title(self.to_string()));
        if let Self::Case(CaseError::Text(e)) = self {
            let place = AnnotationKind::Primary.span(e.span.clone());
            let path = e.file.display().to_string();
            group = group.element(Snippet::source(&e.text).path(path).annotation(place));
        }
        let remedy = self.remedy();
        if !remedy.is_empty() {
            group = group.element(Level::HELP.message(remedy));
        }
        Renderer::styled().render(&[group])
    }
}

/// True if a file could not be written because the disk or a quota is full.
fn is_full(reason: &ErrorReason) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let kind = reason.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(FileTooLarge | QuotaExceeded | StorageFull))
}

/// True if the tool failed, independently of the input.
fn of_the_tool(e: &CampaignError) -> bool {
    match e {
        CampaignError::Dut(_)
        | CampaignError::NoWorker(_)
        | CampaignError::WorkerFailed { .. }
        | CampaignError::WorkerMemory
        | CampaignError::Worker(_)
        | CampaignError::Waves(_)
        | CampaignError::Stopped => true,
        e => e.is_full(),
    }
}

/// The remedy for an error of a campaign.
fn of_campaign(e: &CampaignError) -> &'static str {
    match e {
        e if e.is_full() => {
            "free space, or raise the quota or `ulimit -f`, and resume with drra fuzz --resume DIR; only cases that were \
             running are lost"
        }
        CampaignError::Unusable { remedy, .. } => remedy,
        CampaignError::Settings { .. } => {
            "this line holds the settings of the campaign and cannot be restored: start the campaign again in another \
             folder; the failure folders can still be used"
        }
        CampaignError::File { source, .. } if source.kind() != io::ErrorKind::NotFound => {
            "give a readable and writable folder"
        }
        CampaignError::File { .. } | CampaignError::NoCampaign { .. } => {
            "give the folder of a campaign; to start a new one, give a writable folder"
        }
        CampaignError::Bundle(_) => "give a writable folder",
        CampaignError::NoWorker(e) => of_the_system(e),
        CampaignError::WorkerMemory => NO_MEMORY,
        _ => "",
    }
}

const NO_MEMORY: &str =
    "no memory is left: raise the limit of this shell (ulimit -v), or reduce --jobs";

/// The remedy if the system has no process, thread or memory left.
fn of_the_system(e: &io::Error) -> &'static str {
    match e.kind() {
        io::ErrorKind::WouldBlock => {
            "this user's limit on processes and threads was reached: raise it (ulimit -u), or reduce --jobs"
        }
        io::ErrorKind::OutOfMemory => NO_MEMORY,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_from_best_to_worst() {
        use Exit::{Agreed, BadInput, Interrupted, Mismatch, ToolFailure};
        let mut all = [ToolFailure, Mismatch, Agreed, BadInput, Interrupted];
        all.sort();
        assert_eq!(all.map(Exit::code), [0, 4, 1, 2, 3]);
    }

    /// A full disk is not the fault of the input.
    #[test]
    fn a_full_disk_is_a_tool_failure() {
        let of = |kind: io::ErrorKind| file(Path::new("x"), io::Error::from(kind), "").exit();
        assert_eq!(of(io::ErrorKind::StorageFull), Exit::ToolFailure);
        assert_eq!(of(io::ErrorKind::PermissionDenied), Exit::BadInput);
    }

    /// Errors after the start of a campaign are failures of the tool rather than bad input, and have a remedy.
    #[test]
    fn failures_of_the_tool() {
        let none = CampaignError::NoWorker(io::ErrorKind::WouldBlock.into());
        let gone = CampaignError::File { path: "x".into(), source: io::ErrorKind::NotFound.into() };
        for (error, part) in [
            (CommandError::Campaign(none), "limit on processes and threads"),
            (CommandError::Incomplete(gone), "check that the folder still exists"),
        ] {
            assert_eq!(error.exit(), Exit::ToolFailure);
            assert!(error.remedy().contains(part), "{part}");
        }
    }
}
