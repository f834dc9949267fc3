// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command, exit codes in one place.

mod args;
mod cmd_asm;
#[cfg(feature = "rtl")]
mod cmd_bench;
#[cfg(feature = "rtl")]
mod cmd_demo;
mod cmd_isa;
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
        None => demo(),
        Some(Command::Run(a)) => cmd_run::run(&a),
        Some(Command::Trace(a)) => cmd_trace::run(&a),
        Some(Command::Bench(a)) => bench(&a),
        Some(Command::Asm(a)) => cmd_asm::assemble(&a),
        Some(Command::Disasm(a)) => cmd_asm::disassemble(&a),
        Some(Command::Isa(a)) => cmd_isa::run(&a),
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

#[cfg(feature = "rtl")]
fn bench(a: &args::BenchArgs) -> Result<Exit, Failure> {
    cmd_bench::run(a)
}

#[cfg(not(feature = "rtl"))]
fn bench(_: &args::BenchArgs) -> Result<Exit, Failure> {
    Err(no_rtl())
}

#[cfg(feature = "rtl")]
fn demo() -> Result<Exit, Failure> {
    cmd_demo::run()
}

#[cfg(not(feature = "rtl"))]
fn demo() -> Result<Exit, Failure> {
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
