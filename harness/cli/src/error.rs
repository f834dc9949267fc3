// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a command ends: what the exit code of the process means, why it could not do its work, and how that is shown.

use std::{
    borrow::Cow,
    error::Error,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use drra_campaign::CampaignError;
use drra_case::CaseError;
use drra_recorded::map::MapError;

use super::near;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Everything was done and both sides agreed.
    Agreed = 0,
    /// A mismatch or another finding.
    Mismatch = 1,
    /// Bad input or usage.
    BadInput = 2,
    /// The tool itself failed.
    ToolFailure = 3,
    /// A campaign is not complete, or a signal ended it early; what was compared agreed.
    Interrupted = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// What another part of the program says.
type Reason = Box<dyn Error + Send + Sync>;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// Arguments that do not go together or name nothing.
    #[error("{message}")]
    Usage {
        message: String,
        /// What a person can do.
        remedy: String,
    },
    /// A program or case that cannot be used.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A campaign that cannot be run, read or written.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// A campaign that found what it tells, and then could not go on.
    #[error(transparent)]
    Incomplete(CampaignError),
    /// A signal map that cannot be read, or does not fit a dump.
    #[error(transparent)]
    Map(#[from] MapError),
    /// Any other file or folder that cannot be used.
    #[error("{}: {reason}", file.display())]
    File {
        /// The file or folder.
        file: PathBuf,
        /// What is wrong with it.
        reason: Reason,
        /// What a person can do.
        remedy: String,
    },
    /// The tool itself failed.
    #[error("{0}")]
    Tool(Reason),
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

/// Arguments that do not go together or name nothing.
pub(super) fn usage(message: impl Into<String>, remedy: impl Into<String>) -> CommandError {
    CommandError::Usage { message: message.into(), remedy: remedy.into() }
}

/// A file or folder that cannot be used.
pub(super) fn file(
    path: &Path,
    reason: impl Into<Reason>,
    remedy: impl Into<String>,
) -> CommandError {
    CommandError::File { file: path.to_owned(), reason: reason.into(), remedy: remedy.into() }
}

/// A failure of the tool itself.
pub(super) fn tool(reason: impl Into<Reason>) -> CommandError {
    CommandError::Tool(reason.into())
}

impl CommandError {
    /// What the exit code says. A reader of standard output that went away is no failure.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Output(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Agreed,
            Self::Output(_) | Self::Tool(_) | Self::Incomplete(_) => Exit::ToolFailure,
            Self::Campaign(e) if of_the_tool(e) => Exit::ToolFailure,
            Self::Usage { .. }
            | Self::Case(_)
            | Self::Campaign(_)
            | Self::Map(_)
            | Self::File { .. } => Exit::BadInput,
        }
    }

    /// What a person can do, if anything.
    fn remedy(&self) -> Cow<'_, str> {
        match self {
            Self::Usage { remedy, .. } | Self::File { remedy, .. } => remedy.into(),
            Self::Case(e) => e.remedy().unwrap_or_default().into(),
            Self::Campaign(CampaignError::NoCampaign { folder }) => {
                near::campaigns(folder, "").into()
            }
            Self::Incomplete(e @ CampaignError::File { .. }) if !e.is_full() => {
                "was the folder removed or made unwritable while the campaign ran? what is left of it can be continued \
                 with drra fuzz --resume"
                    .into()
            }
            Self::Campaign(e) | Self::Incomplete(e) => of_campaign(e).into(),
            Self::Map(_) | Self::Tool(_) | Self::Output(_) => "".into(),
        }
    }

    /// Message, the place in the text that it is about, remedy; with the escapes of a terminal.
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

/// True if the campaign could not be run, whatever was asked for.
fn of_the_tool(e: &CampaignError) -> bool {
    match e {
        CampaignError::Dut(_)
        | CampaignError::NoWorker(_)
        | CampaignError::WorkerFailed { .. }
        | CampaignError::Stopped => true,
        CampaignError::Worker(trouble) => !trouble.of_a_file || trouble.full,
        e => e.is_full(),
    }
}

/// What a person can do about the error of a campaign.
fn of_campaign(e: &CampaignError) -> &'static str {
    match e {
        e if e.is_full() => {
            "there is no room left: make room and go on with drra fuzz --resume and the folder; all cases but those \
             that were just running are kept"
        }
        CampaignError::Worker(trouble) if trouble.of_a_file => "name a folder that can be written",
        CampaignError::Exists { .. } => {
            "choose another folder, or continue the campaign with --resume"
        }
        CampaignError::Running { .. } => {
            "wait until it has ended, or end it; its journal stays whole"
        }
        CampaignError::Header { .. } | CampaignError::Damaged { line: 1, .. } => {
            "the line has the settings of the campaign and cannot be done without: start the campaign again in \
             another folder; the folders of its failures stay usable"
        }
        CampaignError::Version { .. } => {
            "use the program that started the campaign, or start it again in another folder"
        }
        CampaignError::Cases { .. } | CampaignError::Damaged { .. } => {
            "delete that line; drra fuzz --resume runs its cases again"
        }
        CampaignError::Report { .. } => "delete the file and write it again with drra report",
        CampaignError::Profile { .. } => {
            "start the campaign again in another folder: this version cannot use its profile"
        }
        CampaignError::OtherState { .. } => {
            "run a new campaign with the design and the map as they are now, in another folder"
        }
        CampaignError::OtherIdentity { .. } => {
            "run the campaign again with one build, or add --mix: the result names all builds"
        }
        CampaignError::OtherBins { .. } => "run the campaign again, or use the program that ran it",
        CampaignError::Bundle(_) => "name a folder that can be written",
        CampaignError::FewerCases { .. } => {
            "give no fewer cases than before, or none to keep their number"
        }
        CampaignError::File { source, .. } if source.kind() != io::ErrorKind::NotFound => {
            "name a folder that can be read and written"
        }
        CampaignError::File { .. }
        | CampaignError::NoFolder
        | CampaignError::NoCampaign { .. }
        | CampaignError::Overlap { .. } => {
            "name the folder of a campaign; a new one can be made where files can be written"
        }
        CampaignError::OtherCampaign { .. } => {
            "go on with the settings and the build that it was begun with, or choose another folder"
        }
        CampaignError::NotOneCampaign { .. } => "name the shards of one campaign",
        CampaignError::NoWorker(e) if e.kind() == io::ErrorKind::WouldBlock => {
            "this user may have no more processes and threads: raise that limit (ulimit -u), or give fewer --jobs"
        }
        CampaignError::Dut(_)
        | CampaignError::NoWorker(_)
        | CampaignError::WorkerFailed { .. }
        | CampaignError::Worker(_)
        | CampaignError::Stopped => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ends a campaign later than at its start is no bad input; a limit says of what it is one.
    #[test]
    fn failures_of_the_tool() {
        let none = CampaignError::NoWorker(io::ErrorKind::WouldBlock.into());
        let gone = CampaignError::File { path: "x".into(), source: io::ErrorKind::NotFound.into() };
        for (error, part) in [
            (CommandError::Campaign(none), "no more processes and threads"),
            (CommandError::Incomplete(gone), "was the folder removed"),
        ] {
            assert_eq!(error.exit(), Exit::ToolFailure);
            assert!(error.remedy().contains(part), "{part}");
        }
    }
}
