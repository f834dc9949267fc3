// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra run`, `drra trace` and `drra view`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::{
    known::KnownArgs,
    start::{DesignLimits, ProgramArgs, StartArgs},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// Programs: assembly, Manas source, image, case, compiler listing or schedule; detected from the content
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Compare the decode cycle of every instruction with a compiler schedule (sync_instr.json or sync_instr.txt)
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule: Option<PathBuf>,
    /// Compare the end state with an expectation file: lines `path = value ...`, or a memory image
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Exit with code 2 if less than this percentage of the state bits is compared
    #[arg(long, value_name = "PERCENT", conflicts_with = "golden_only", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Run the golden model only
    #[arg(long, conflicts_with = "known")]
    pub(crate) golden_only: bool,
    /// Print statistics per unit: busy cycles, operations, words transferred, lost messages and configurations
    #[arg(long)]
    pub(crate) stats: bool,
    /// Write the same statistics for all programs as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_json: Option<PathBuf>,
    /// Write a JUnit report with a test case per program
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write an HTML page, data and a waveform of each mismatch to this folder; with several programs, to a subfolder
    /// per program
    #[arg(long, value_name = "DIR", conflicts_with = "golden_only")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: DesignLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// The golden model
    Golden,
    /// The Verilated RTL
    Rtl,
}

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// State changes, one JSON object per line
    Jsonl,
    /// Waveform for GTKWave or Surfer; one nanosecond is one cycle
    Fst,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Side to trace
    #[arg(long, value_enum, default_value = "golden")]
    pub(crate) model: Model,
    /// Format of the trace
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: Format,
    /// Write to FILE, completely or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Include the state after the last clock edge and a final line with its cycle, so that `drra check` needs no
    /// --cycles
    #[arg(long)]
    pub(crate) with_end: bool,
    /// First cycle of the trace
    #[arg(long, value_name = "CYCLE")]
    pub(crate) from: Option<u64>,
    /// Last cycle of the trace
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Trace only registers whose paths match; `*` matches any text, and `?` any character
    #[arg(long, value_name = "PATH-GLOB")]
    pub(crate) only: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Write the page to FILE [default: name of the program with extension .html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// First cycle to show
    #[arg(long, value_name = "CYCLE")]
    pub(crate) from: Option<u64>,
    /// Last cycle to show [default: end of the run, but at most 10000 cycles]
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Also print the statistics
    #[arg(long)]
    pub(crate) stats: bool,
}
