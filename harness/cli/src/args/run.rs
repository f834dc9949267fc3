// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra run`, `drra trace` and `drra view`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::start::{Bounds, ProgramArgs, StartArgs};

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// Programs: assembly, Manas source, images, cases, compiler listings or schedules; their content tells
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Compare the decode cycle of every instruction with the schedule of a compiler (sync_instr.json or
    /// sync_instr.txt)
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule: Option<PathBuf>,
    /// Compare the end state with what this file expects: lines `path = value ...`, or a memory image
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Exit code 2 if less of the state is compared than this, in percent of its bits
    #[arg(long, value_name = "PERCENT", conflicts_with = "golden_only", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    /// Run the golden model alone
    #[arg(long)]
    pub(crate) golden_only: bool,
    /// Print what each unit was busy with: cycles, operations, words moved, messages and configurations lost
    #[arg(long)]
    pub(crate) stats: bool,
    /// Write the same figures of all programs as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_json: Option<PathBuf>,
    /// Write a JUnit report with a test case for each program
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write page, data and waves of a mismatch into this folder; of several programs each gets a
    /// folder of its own in it
    #[arg(long, value_name = "DIR", conflicts_with = "golden_only")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// The golden model
    Golden,
    /// The Verilated RTL
    Rtl,
}

/// Form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Changes, one JSON object per line
    Jsonl,
    /// Waves for GTKWave or Surfer; one nanosecond is one cycle
    Fst,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Which side is traced
    #[arg(long, value_enum, default_value = "golden")]
    pub(crate) model: Model,
    /// Form of the trace
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: Format,
    /// Write to a file, which appears whole or not at all; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Go on to the state after the last edge, and tell that cycle in a last line; `drra check` then needs no --cycles
    #[arg(long)]
    pub(crate) with_end: bool,
    /// First cycle of the trace
    #[arg(long, value_name = "CYCLE")]
    pub(crate) from: Option<u64>,
    /// Last cycle of the trace
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Only registers whose paths match; `*` is any text, `?` any character
    #[arg(long, value_name = "PATH-GLOB")]
    pub(crate) only: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Where the page goes [default: the name of the program, .html instead of its ending]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// First cycle that is shown
    #[arg(long, value_name = "CYCLE")]
    pub(crate) from: Option<u64>,
    /// Last cycle that is shown [default: the last one of the run, but at most 10000 cycles in all]
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Print the figures as well
    #[arg(long)]
    pub(crate) stats: bool,
}
