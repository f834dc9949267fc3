// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command, exit codes in one place.

mod args;
mod cmd_asm;
#[cfg(feature = "rtl")]
mod cmd_bench;
#[cfg(feature = "rtl")]
mod cmd_cover;
#[cfg(feature = "rtl")]
mod cmd_demo;
#[cfg(feature = "rtl")]
mod cmd_fuzz;
mod cmd_isa;
#[cfg(feature = "rtl")]
mod cmd_replay;
#[cfg(feature = "rtl")]
mod cmd_report;
mod cmd_run;
mod cmd_trace;
mod exit_code;

use std::process::ExitCode;

use clap::Parser;

use crate::diagnostic::Failure;
use args::Args;
use args::Command;
pub use exit_code::Exit;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let result = match args.command {
        Some(Command::Run(a)) => cmd_run::run(&a),
        Some(Command::Trace(a)) => cmd_trace::run(&a),
        Some(Command::Asm(a)) => cmd_asm::assemble(&a),
        Some(Command::Disasm(a)) => cmd_asm::disassemble(&a),
        Some(Command::Isa(a)) => cmd_isa::run(&a),
        other => with_rtl(other),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Failure::BrokenPipe) => Exit::Agreed.into(),
        Err(Failure::Input(report)) => {
            eprintln!("{report:?}");
            Exit::BadInput.into()
        }
        Err(Failure::Tool(message)) => {
            eprintln!("drra failed: {message}");
            Exit::ToolFailure.into()
        }
    }
}

/// Colours on a terminal, unless the environment asks for none (`NO_COLOR`).
#[cfg(feature = "rtl")]
fn paint() -> crate::report::Paint {
    use std::io::IsTerminal;
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    if wanted && std::io::stdout().is_terminal() {
        crate::report::Paint::Ansi
    } else {
        crate::report::Paint::Plain
    }
}

/// Annotations and a job summary for GitHub Actions, if this process runs there.
#[cfg(feature = "rtl")]
fn announce(title: &str, reports: &[&crate::report::Report]) -> Result<(), Failure> {
    use crate::report::github;
    use std::io::Write;
    if github::is_here() {
        for report in reports {
            writeln!(std::io::stdout(), "{}", github::annotation(report))?;
        }
        github::summarize(title, reports)
            .map_err(|e| Failure::Tool(format!("GITHUB_STEP_SUMMARY: {e}")))?;
    }
    Ok(())
}

/// Writes page, data and waves of a mismatch into a folder, which is made if it does not exist.
#[cfg(feature = "rtl")]
fn write_bundle(
    folder: &std::path::Path,
    subject: &crate::report::Subject<'_>,
    report: &crate::report::Report,
) -> Result<(), Failure> {
    use crate::diagnostic::file;
    use crate::diagnostic::plain;
    let remedy = "name a folder that can be written";
    std::fs::create_dir_all(folder).map_err(|e| file(folder, e.to_string(), remedy))?;
    let path = folder.join("case.json");
    let case = crate::case::to_json(subject.case, &crate::GEOMETRY);
    crate::output::write_whole(&path, case.as_bytes())
        .map_err(|e| file(&path, e.to_string(), remedy))?;
    crate::report::write_waves(folder, subject, &crate::GEOMETRY)
        .and_then(|()| crate::report::write_report(folder, report, None))
        .map_err(|e| plain(e.to_string(), remedy))
}

/// The commands that need the RTL.
#[cfg(feature = "rtl")]
fn with_rtl(command: Option<Command>) -> Result<Exit, Failure> {
    match command {
        None => cmd_demo::run(),
        Some(Command::Fuzz(a)) => cmd_fuzz::run(&a),
        Some(Command::Replay(a)) => cmd_replay::replay(&a),
        Some(Command::Shrink(a)) => cmd_replay::shrink(&a),
        Some(Command::Report(a)) => cmd_report::run(&a),
        Some(Command::Merge(a)) => cmd_fuzz::merge(&a.folders, &a.out),
        Some(Command::Cover(a)) => cmd_cover::run(&a),
        Some(Command::Bench(a)) => cmd_bench::run(&a),
        Some(_) => unreachable!("the caller runs the commands that need no RTL"),
    }
}

#[cfg(not(feature = "rtl"))]
fn with_rtl(_: Option<Command>) -> Result<Exit, Failure> {
    Err(no_rtl())
}

/// The answer of a build without RTL to commands that need it.
#[cfg(not(feature = "rtl"))]
fn no_rtl() -> Failure {
    crate::diagnostic::plain(
        "this build has no RTL",
        "build with the default features, or use `run --golden-only` and `trace --model golden`",
    )
}
