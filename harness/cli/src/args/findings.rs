// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments about findings in programs, and those of `drra lint`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use drra_lint::Kind;

use super::start::StartArgs;
use crate::suggest;

/// The findings that fail, and those that do not count.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct FindingArgs {
    /// Exit with code 1 if there is a finding of this kind or, with `all`, any warning; may be repeated, and `drra lint
    /// --kinds` lists the kinds
    #[arg(long, value_name = "KIND|all", value_parser = denied)]
    pub(crate) deny: Vec<Denied>,
    /// Do not show findings of this kind; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) allow: Vec<Kind>,
}

/// The findings that an option denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// All warnings.
    All,
    /// Findings of this kind.
    Kind(Kind),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LintArgs {
    /// Programs: assembly, Manas source, image, case, compiler listing or schedule; detected from the content
    #[arg(required_unless_present = "kinds")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    #[command(flatten)]
    pub(crate) findings: FindingArgs,
    /// Show hints, too: findings that many right programs have
    #[arg(long)]
    pub(crate) all: bool,
    /// List the kinds of findings, their chapters, and what to do about them
    #[arg(long, exclusive = true)]
    pub(crate) kinds: bool,
    /// Write the findings of all programs as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a JUnit report with a test case per program, which fails if a finding is denied
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

fn kind(name: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.iter().map(|kind| kind.name());
    let help = || suggest::did_you_mean(name, known());
    Kind::from_name(name).ok_or_else(|| format!("{}drra lint --kinds lists the kinds", help()))
}

fn denied(name: &str) -> Result<Denied, String> {
    if name == "all" { Ok(Denied::All) } else { kind(name).map(Denied::Kind) }
}
