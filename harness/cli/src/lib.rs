// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command or group of commands, exit codes in one place.
//!
//! The commands do not depend on a design: they receive the build that they belong to as a [`Build`], so they are not
//! recompiled when the RTL changes.
//!
//! In a run, [`drra_case::load`] turns a file into a case, and [`drra_lockstep::run`] drives golden model and design
//! with it. A [`drra_lockstep::Mismatch`] is data rather than an error; [`drra_diagnose::explain`] runs the case again
//! to find its cause.
//!
//! The crate exceeds its budget of 4 300 lines. About 700 lines declare arguments, and 600 lines measure speed (`drra
//! bench`) and find the commit that made a case fail (`drra bisect`). Most of the other lines print results, or errors
//! with their remedies. Arguments can be shared as a group only if they are listed together in the help of every
//! command.

mod args;
mod bench;
mod build;
mod checkout;
mod cmd_asm;
mod cmd_bench;
mod cmd_bisect;
mod cmd_check;
mod cmd_cluster;
mod cmd_cover;
mod cmd_demo;
mod cmd_distil;
mod cmd_export;
mod cmd_fuzz;
mod cmd_install;
mod cmd_isa;
mod cmd_map;
mod cmd_merge;
mod cmd_mutate;
mod cmd_night;
mod cmd_replay;
mod cmd_report;
mod cmd_run;
mod cmd_trace;
mod cmd_view;
mod command_prelude;
mod console;
mod error;
mod export_sources;
mod failure_log;
mod program;
mod progress;
mod reports;
mod repository;
mod run_checks;
mod shard;
mod signals;
mod sizes;
mod suggest;
mod time;
mod waveform;
mod worker;

use std::{env, ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};

pub use build::{Build, Ready};

use args::{Args, Command};
use command_prelude::*;

/// The JSON schemas of command output: file names in the project, and contents.
pub fn schemas() -> [(&'static str, String); 2] {
    let text = |schema| serde_json::to_string_pretty(&schema).expect("plain data") + "\n";
    [
        ("harness/cli/bench.schema.json", text(schemars::schema_for!(bench::Measurement))),
        ("harness/cli/cover.schema.json", text(schemars::schema_for!(cmd_cover::Covered))),
    ]
}

/// Runs the command given by the arguments of the process.
pub fn main(build: &Build) -> ExitCode {
    signals::report_large_files();
    let result = check_arguments().and_then(|()| command(arguments(build), build));
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

/// The arguments of this process. The output of `--version` includes the revision.
fn arguments(build: &Build) -> Args {
    let version = env!("CARGO_PKG_VERSION");
    let version = match build.revision {
        Some(revision) => format!("{version} ({revision})"),
        None => version.to_owned(),
    };
    let matches = Args::command().version(version).get_matches();
    Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Rejects arguments with control characters. File names appear in messages, reports and CI logs, where a line feed
/// could start a workflow command.
fn check_arguments() -> Result<(), CommandError> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let bad = |argument: &&OsString| argument.to_string_lossy().contains(char::is_control);
    if let Some(bad) = arguments.iter().find(bad) {
        let what = format!("the argument {bad:?} contains a control character");
        return Err(usage(what, "remove it; if the argument is a file name, rename the file"));
    }
    Ok(())
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
        Some(Command::Report(a)) if !a.history.is_empty() => cmd_report::history(&a, build),
        Some(Command::Night(a)) => cmd_night::run(&a, build),
        Some(Command::Cluster(a)) => cmd_cluster::run(&a, build),
        Some(Command::Export(a)) => cmd_export::run(&a, build),
        Some(Command::Distil(a)) => cmd_distil::run(&a, build),
        Some(Command::Cover(a)) => cmd_cover::run(&a, build),
        Some(Command::Bisect(a)) => cmd_bisect::run(&a, build),
        Some(Command::Mutate(a)) => cmd_mutate::run(&a, build),
        Some(Command::Version(a)) => cmd_install::version(&a, build),
        Some(Command::Completions(a)) => cmd_install::completions(&a, build),
        Some(Command::Man(a)) => cmd_install::man(&a),
        other => with_rtl(other, build),
    }
}

/// Runs a command that needs the RTL.
fn with_rtl(command: Option<Command>, build: &Build) -> Result<Exit, CommandError> {
    let setup = match command {
        Some(Command::Worker | Command::MutateWorker(_)) => build.quiet_setup(None)?,
        _ => build.setup(None)?,
    };
    match command {
        None => cmd_demo::run(&setup, build),
        Some(Command::Fuzz(a)) => cmd_fuzz::run(&a, &setup, build),
        Some(Command::Replay(a)) => cmd_replay::replay(&a, &setup, build),
        Some(Command::Shrink(a)) => cmd_replay::shrink(&a, &setup, build),
        Some(Command::Report(a)) => cmd_report::run(&a, &setup, build),
        Some(Command::Merge(a)) => cmd_merge::run(&a, setup.design),
        Some(Command::MutateWorker(a)) => cmd_mutate::work(&a, &setup, build),
        Some(Command::Worker) => worker::run(&setup),
        Some(Command::Bench(a)) => cmd_bench::run(&a, setup.design, build),
        Some(_) => unreachable!("the caller runs the commands that need no RTL"),
    }
}
