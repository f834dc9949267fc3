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

/// The commands that need the RTL.
#[cfg(feature = "rtl")]
fn with_rtl(command: Option<Command>) -> Result<Exit, Failure> {
    match command {
        None => cmd_demo::run(),
        Some(Command::Fuzz(a)) => cmd_fuzz::run(&a),
        Some(Command::Replay(a)) => cmd_replay::replay(&a),
        Some(Command::Shrink(a)) => cmd_replay::shrink(&a),
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
