// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command, exit codes in one place.
//!
//! The commands know no design. What they need of the build that they are part of is handed to [`main`] as a
//! [`Build`], so that a change of the RTL compiles none of them again.
//!
//! The way of a run: a file becomes a case ([`drra_case::load`]), and [`drra_lockstep::run`] drives golden
//! model and design with it. A difference is a [`drra_lockstep::Mismatch`], which is data, not an error;
//! [`drra_diagnose::explain`] runs the case again to tell what led to it.
//!
//! It is above its 4 300 lines: about 500 are arguments, whose help texts and
//! order stay, and most others say what a command found. Groups of arguments that commands share would need the same
//! neighbours in each; the table of schedulers is shorter as tuples, but its columns then have no names.

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
mod cmd_merge;
mod cmd_mutate;
mod cmd_replay;
mod cmd_report;
mod cmd_run;
mod cmd_trace;
mod cmd_view;
mod console;
mod description;
mod error;
mod export_sources;
mod failure_log;
mod map_file;
mod near;
mod parallel;
mod program;
mod progress;
mod recording;
mod reports;
mod run_checks;
mod shard;
mod sizes;
mod time;
mod worker;

use std::process::ExitCode;

use clap::Parser;

pub use build::{Build, Ready};

use args::{Args, Command};
use console::note;
use error::{CommandError, Exit};
use reports::{
    announce, enough, no_report, paint, print_account, print_compared, save, show_report,
    write_bundle,
};

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
        Some(Command::Report(a)) if !a.history.is_empty() => cmd_history::run(&a, build),
        Some(Command::Cluster(a)) => cluster::run(&a, build),
        Some(Command::Export(a)) => cmd_export::run(&a, build),
        Some(Command::Mutate(a)) => cmd_mutate::run(&a, build),
        other => with_rtl(other, build),
    }
}

/// The commands that need the RTL.
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
        Some(Command::Cover(a)) => cmd_cover::run(&a),
        Some(Command::MutateWorker(a)) => cmd_mutate::work(&a, &setup, build),
        Some(Command::Worker) => worker::run(&setup),
        Some(Command::Bench(a)) => cmd_bench::run(&a, setup.design, build),
        Some(_) => unreachable!("the caller runs the commands that need no RTL"),
    }
}
