// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings of programs: which fail, and how they are printed.

use drra_case::load::LoadedCase;
use drra_isa::TextFormat;
use drra_lint::{Finding, Kind, Level, Lint, lint};
use drra_lockstep::GoldenResult;
use drra_results::github;

use crate::{
    args::{Denied, FindingArgs},
    command_prelude::*,
    console::command,
};

/// What to do about a comment that cannot be read.
const REMEDY: &str = "see harness/guide/programs.md, \"Findings\"";

/// The findings of a program that are shown.
pub(super) struct Findings {
    /// Findings that fail, as lines.
    pub(super) denied: Vec<String>,
    /// Other findings, as lines.
    pub(super) others: Vec<String>,
    /// All of them.
    pub(super) all: Vec<Finding>,
    /// Number of findings that a comment allows.
    pub(super) allowed: usize,
    /// The end of the run.
    pub(super) run: GoldenResult,
}

/// Which findings a command shows and denies.
#[derive(Clone, Copy)]
pub(super) struct FindingRules<'a> {
    pub(super) args: &'a FindingArgs,
    /// Shows hints, too.
    pub(super) hints: bool,
    /// Denies lost configurations and messages.
    pub(super) deny_lost: bool,
    /// Shows only what is lost, and what is denied.
    pub(super) lost_only: bool,
}

impl FindingRules<'_> {
    fn denies(self, kind: Kind) -> bool {
        self.args.deny.iter().any(|denied| match denied {
            Denied::All => kind.level() == Level::Warning,
            Denied::Kind(denied) => *denied == kind,
        }) || self.deny_lost && kind == Kind::Lost
    }

    fn shows(self, kind: Kind) -> bool {
        let by_default = match self.lost_only {
            true => kind == Kind::Lost,
            false => self.hints || kind.level() != Level::Hint,
        };
        (by_default || self.denies(kind)) && !self.args.allow.contains(&kind)
    }
}

/// Runs a program on the golden model and returns its findings; on GitHub Actions, they become annotations.
pub(super) fn examine(
    path: &Path,
    program: &LoadedCase,
    cycles: Option<u64>,
    rules: FindingRules<'_>,
) -> Result<Findings, CommandError> {
    let wrong = |e| usage(format!("{}:{e}", path.display()), REMEDY);
    let Lint { mut findings, allowed, run } = lint(program, cycles).map_err(wrong)?;
    findings.retain(|finding| rules.shows(finding.kind));
    let (mut denied, mut others) = (Vec::new(), Vec::new());
    for finding in &findings {
        let denies = rules.denies(finding.kind);
        let level = if denies { "error" } else { finding.kind.level().name() };
        let line = format!("{level}: {}", line(path, finding));
        if github::is_here() {
            let level = match finding.kind.level() {
                _ if denies => "error",
                Level::Warning => "warning",
                Level::Note | Level::Hint => "notice",
            };
            let name = path.display().to_string();
            command(&github::line(level, &name, finding.line, finding.kind.name(), &line))?;
        }
        if denies { &mut denied } else { &mut others }.push(line);
    }
    Ok(Findings { denied, others, all: findings, allowed, run })
}

/// True if a file is a program rather than a case, whose behaviour is only compared.
pub(super) fn is_program(program: &LoadedCase) -> bool {
    program.form != TextFormat::Case
}

/// A finding as a line: file and line of the instruction, or its cell and address, the kind, and what happens.
fn line(path: &Path, finding: &Finding) -> String {
    let place = match (finding.line, finding.instruction) {
        (Some(line), _) => format!("{}:{line}", path.display()),
        (None, Some((cell, address))) => format!("{}: address {address} of {cell}", path.display()),
        (None, None) => path.display().to_string(),
    };
    format!("{place}: {}: {}", finding.kind, finding.sentence())
}
