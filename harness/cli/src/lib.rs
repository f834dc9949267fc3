// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command, exit codes in one place.
//!
//! The commands know no design. What they need of the build that they are part of is handed to [`main`] as a
//! [`Build`], so that a change of the RTL compiles none of them again.
//!
//! The way of a run: a file becomes a case ([`drra_case::load`]), and [`drra_lockstep::run`] drives golden
//! model and design with it. A difference is a [`drra_lockstep::Mismatch`], which is data, not an error;
//! [`drra_diagnose::explain`] runs the case again to tell what led to it.

mod args;
mod bench;
mod build;
mod check_batch;
mod cluster;
mod cmd_asm;
mod cmd_bench;
mod cmd_check;
mod cmd_cover;
mod cmd_demo;
mod cmd_export;
mod cmd_fuzz;
mod cmd_history;
mod cmd_isa;
mod cmd_map;
mod cmd_map_learn;
mod cmd_mutate;
mod cmd_replay;
mod cmd_report;
mod cmd_run;
mod cmd_trace;
mod cmd_view;
mod console;
mod description;
mod error;
mod exit_code;
mod export_sources;
mod failure_log;
mod map_file;
mod program;
mod progress;
mod recording;
mod run_checks;
mod shard;
mod sizes;
mod time;
mod worker;

use std::{io::Write, process::ExitCode, slice};

use clap::Parser;
use drra_campaign::CampaignError;
use drra_isa::Geometry;
use drra_lockstep::{Compared, Setup};

pub use build::{Build, Ready};

use args::{Args, Command};
use console::{note, stdout};
use error::{CommandError, file};
use exit_code::Exit;

/// Runs the command that the process was started with.
pub fn main(build: &Build) -> ExitCode {
    let result = harmless_arguments().and_then(|()| command(Args::parse(), build));
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            let exit = error.exit();
            if exit != Exit::Agreed {
                note!("{}", error.text());
            }
            exit.into()
        }
    }
}

/// Names of files stand in messages, reports and the logs of CI runs, where a line feed may begin a command.
fn harmless_arguments() -> Result<(), CommandError> {
    let bad = |argument: &std::ffi::OsString| argument.to_string_lossy().contains(char::is_control);
    match std::env::args_os().find(bad) {
        Some(argument) => Err(error::usage(
            format!("the argument {argument:?} has a control character"),
            "write it without one; give a file another name",
        )),
        None => Ok(()),
    }
}

fn command(args: Args, build: &Build) -> Result<Exit, CommandError> {
    match args.command {
        Some(Command::Run(a)) => cmd_run::run(&a, build),
        Some(Command::Trace(a)) => cmd_trace::run(&a, build),
        Some(Command::View(a)) => cmd_view::run(&a, build),
        Some(Command::Check(a)) => cmd_check::run(&a, build),
        Some(Command::Asm(a)) => cmd_asm::assemble(&a, build),
        Some(Command::Disasm(a)) => cmd_asm::disassemble(&a, build),
        Some(Command::Isa(a)) => cmd_isa::run(&a),
        Some(Command::Map(a)) => cmd_map::run(&a, build),
        Some(Command::Report(a)) if !a.history.is_empty() => cmd_history::run(&a),
        Some(Command::Cluster(a)) => cluster::run(&a, build),
        Some(Command::Export(a)) => cmd_export::run(&a, build),
        Some(Command::Mutate(a)) => cmd_mutate::run(&a, build),
        other => with_rtl(other, build),
    }
}

/// Colours on a terminal, unless the environment asks for none (`NO_COLOR`).
fn paint() -> drra_report::Paint {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => drra_report::Paint::Plain,
        _ => drra_report::Paint::Ansi,
    }
}

/// Annotations and a job summary for GitHub Actions, if this process runs there.
fn announce(title: &str, reports: &[&drra_report::Report]) -> Result<(), CommandError> {
    use drra_report::github;
    if github::is_here() {
        for report in reports {
            writeln!(stdout(), "{}", github::annotation(report))?;
        }
        // The job's page is a convenience: the verdict does not depend on it.
        if let Err(e) = github::summarize(title, reports) {
            note!("warning: GITHUB_STEP_SUMMARY: {e}");
        }
    }
    Ok(())
}

/// Writes page, data and waves of a mismatch into a folder, which is made if it does not exist.
fn write_bundle(
    folder: &std::path::Path,
    subject: &drra_report::Subject<'_>,
    report: &drra_report::Report,
) -> Result<(), CommandError> {
    let remedy = "name a folder that can be written";
    std::fs::create_dir_all(folder).map_err(|e| file(folder, e, remedy))?;
    let path = folder.join("case.json");
    let case = drra_case::to_json(subject.case);
    drra_case::output::write_whole(&path, case.as_bytes()).map_err(|e| file(&path, e, remedy))?;
    drra_report::write_waves(folder, subject)
        .and_then(|()| drra_report::write_report(folder, report, None))
        .map_err(|e| CampaignError::Bundle(e).into())
}

/// Says that there is nothing to report, where a report was asked for.
fn no_report(folder: Option<&std::path::Path>) -> std::io::Result<()> {
    match folder {
        Some(folder) => writeln!(stdout(), "no mismatch: no report in {}", folder.display()),
        None => Ok(()),
    }
}

/// Prints how much of the state a design of a size lets compare, and what not.
fn print_account(setup: &Setup<'_>, size: &Geometry) -> Result<(), CommandError> {
    print_compared(&setup.compared(slice::from_ref(size)))
}

/// Prints how much of the state was compared, and what not.
fn print_compared(compared: &Compared) -> Result<(), CommandError> {
    writeln!(stdout(), "compared: {}", compared.share())?;
    for line in compared.lines() {
        writeln!(stdout(), "not compared: {line}")?;
    }
    Ok(())
}

/// The commands that need the RTL.
fn with_rtl(command: Option<Command>, build: &Build) -> Result<Exit, CommandError> {
    let setup = build.setup(None)?;
    match command {
        None => cmd_demo::run(&setup, build),
        Some(Command::Fuzz(a)) => cmd_fuzz::run(&a, &setup, build),
        Some(Command::Replay(a)) => cmd_replay::replay(&a, &setup, build),
        Some(Command::Shrink(a)) => cmd_replay::shrink(&a, &setup, build),
        Some(Command::Report(a)) => cmd_report::run(&a, &setup, build),
        Some(Command::Merge(a)) => cmd_fuzz::merge(&a, setup.design),
        Some(Command::Cover(a)) => cmd_cover::run(&a),
        Some(Command::MutateWorker(a)) => cmd_mutate::work(&a, &setup, build),
        Some(Command::Worker) => worker::run(&setup),
        Some(Command::Bench(a)) => cmd_bench::run(&a, setup.design, build),
        Some(_) => unreachable!("the caller runs the commands that need no RTL"),
    }
}
