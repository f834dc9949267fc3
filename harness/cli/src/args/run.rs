// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands for programs and single cases: `drra run`, `trace`, `view`, `replay`, `shrink` and
//! `bisect`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use drra_isa::Geometry;

use super::{
    campaign::ShrinkBounds,
    findings::FindingArgs,
    start::{DesignLimits, KnownArgs, ProgramArgs, StartArgs},
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
    /// Compare with expectations: a file of lines `path = value ...`, a memory image, or an array and its place, such as
    /// y.npy=cell[0][0].rf.mem[32],signed (may be repeated)
    #[arg(long, value_name = "FILE[=PLACE]")]
    pub(crate) expect: Vec<PathBuf>,
    /// Write values at the end of the run to a .npy, .csv, .json or text file, such as
    /// y.npy=cell[0][0].rf.mem[32..47],signed (may be repeated)
    #[arg(short, long, value_name = "FILE=PLACE")]
    pub(crate) out: Vec<String>,
    /// Print values at the end of the run, such as 'tile[1][0].sram[0],width=8' (may be repeated)
    #[arg(long, value_name = "PLACE")]
    pub(crate) dump: Vec<String>,
    /// Write tiles and register files at the end of the run as a memory image
    #[arg(long, value_name = "FILE")]
    pub(crate) end_mem: Option<PathBuf>,
    /// Exit with code 2 instead of 0 if less than this percentage of the state bits is compared
    #[arg(long, value_name = "PERCENT", conflicts_with = "golden_only", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Run the golden model only
    #[arg(long, conflicts_with = "known")]
    pub(crate) golden_only: bool,
    #[command(flatten)]
    pub(crate) findings: FindingArgs,
    /// Print statistics per unit: busy cycles, operations, words transferred, lost messages and configurations
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print only which of golden model, RTL and the code of the chapters is alone at the first difference; needs Python
    /// and a checkout of this version
    #[arg(long, conflicts_with_all = ["stats", "stats_json", "junit", "report", "known", "min_compared", "out", "dump", "end_mem"])]
    pub(crate) chapters: bool,
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
pub(crate) enum ModelChoice {
    /// The golden model
    Golden,
    /// The Verilated RTL
    Rtl,
}

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// State changes, one JSON object per line
    Jsonl,
    /// Waveform for GTKWave or Surfer; one nanosecond is one cycle
    Fst,
    /// Table for people: what each unit decodes, reads, computes and writes
    Table,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Side to trace
    #[arg(long, value_enum, default_value = "golden")]
    pub(crate) model: ModelChoice,
    /// Format of the trace
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: TraceFormat,
    /// Print the differences from another program or case instead; exit with 1 if there are any
    #[arg(long, value_name = "OLD", conflicts_with_all = ["format", "model", "with_end", "from", "to", "only"])]
    pub(crate) diff: Option<PathBuf>,
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
    /// Last cycle to show [default: end of the run, but at most 100000 cycles]
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Show the planned cycle of each instruction beside the actual one, from the schedule in FILE (sync_instr.json or
    /// sync_instr.txt)
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule: Option<PathBuf>,
    /// Also print the statistics
    #[arg(long)]
    pub(crate) stats: bool,
}

/// Waveforms to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaveChoice {
    /// Registers of both sides around the mismatch
    Window,
    /// Registers of both sides for the whole run
    Full,
    /// All signals of the RTL for the whole run, as Verilator writes them
    Rtl,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BisectArgs {
    /// Case (.json) or program that fails at BAD
    pub(crate) case: PathBuf,
    /// RTL commit at which both sides agree
    pub(crate) good: String,
    /// RTL commit at which the case fails
    #[arg(default_value = "HEAD")]
    pub(crate) bad: String,
    /// Checkout of this project whose harness is built with each commit [default: that of the current folder, or else
    /// that of this program]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// Case (.json) or program
    pub(crate) case: Option<PathBuf>,
    /// Profile of the campaign whose case is regenerated
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Fabric size to which the campaign was restricted
    #[arg(long, value_name = "SIZE", conflicts_with = "case")]
    pub(crate) fabric: Option<Geometry>,
    /// Seed of the campaign
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Number of the case in the campaign
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// First cycle whose differences count: in earlier cycles, the design takes over the state of the golden model
    #[arg(long, value_name = "CYCLE", requires = "number")]
    pub(crate) compare_from: Option<u64>,
    /// Write the case to FILE
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write an HTML page, data and a waveform of the mismatch to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Print only which of golden model, RTL and the code of the chapters is alone at the first difference; needs Python
    /// and a checkout of this version
    #[arg(long, conflicts_with_all = ["report", "waves"])]
    pub(crate) chapters: bool,
    /// Record waveforms
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, default_missing_value = "window")]
    pub(crate) waves: Option<WaveChoice>,
    /// Cycles to record before the mismatch
    #[arg(long, value_name = "N", default_value_t = 64, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) waves_before: u64,
    /// Cycles to record after the mismatch
    #[arg(long, value_name = "N", default_value_t = 32, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) waves_after: u64,
    /// Write the waveform to FILE [default: name of the case with extension .fst or .rtl.fst]
    #[arg(long, value_name = "FILE", requires = "waves")]
    pub(crate) waves_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: DesignLimits,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ShrinkArgs {
    /// Failing case (.json) or program
    pub(crate) case: PathBuf,
    /// Write the reduced case to FILE [default: NAME.small.json for case NAME.json]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: DesignLimits,
    #[command(flatten)]
    pub(crate) bounds: ShrinkBounds,
}
