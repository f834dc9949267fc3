// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands for other simulators: `drra check`, `drra map` and `drra export`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use drra_isa::Geometry;

use super::start::{FORMS, KnownArgs, StartArgs, seed};

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Waveform (VCD, FST, GHW or `drra trace` output), preceded by its case if there is one; without a case, the
    /// stimulus is taken from the waveform. A waveform that a simulator is still writing to a FIFO, or to standard input
    /// (-), is compared as it arrives (not FST)
    #[arg(value_name = "[CASE] WAVEFORM", num_args = 1..=2, required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) files: Vec<PathBuf>,
    /// Signal map of the waveform
    #[arg(long, value_name = "MAP")]
    pub(crate) map: PathBuf,
    /// Compare only the first N cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=drra_case::MAX_CYCLES))]
    pub(crate) cycles: Option<u64>,
    /// Exit with code 2 instead of 0 if less than this percentage of the state bits is compared
    #[arg(long, value_name = "PERCENT", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Print only whether the golden model agrees with the code of the chapters, so that the waveform is alone; needs
    /// Python and a checkout of this version
    #[arg(long, conflicts_with_all = ["batch", "junit", "report", "known", "min_compared"])]
    pub(crate) chapters: bool,
    /// Check all cases in a folder; each case is a folder with case.json and one waveform
    #[arg(long, value_name = "DIR")]
    pub(crate) batch: Option<PathBuf>,
    /// Number of waveforms of a batch to check in parallel [default: number of cores]
    #[arg(long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Write the results of a batch as JSON
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(crate) json: Option<PathBuf>,
    /// Write a JUnit report with a test case per waveform
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write an HTML page, data and a waveform of the mismatch to this folder; with --batch, to a subfolder per
    /// distinct failure
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MapCommand {
    /// Show, line by line, which waveform signals a map finds
    Check {
        /// Signal map
        map: PathBuf,
        /// Waveform: VCD, FST, GHW or the output of `drra trace --format jsonl`
        waveform: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Infer a map from waveforms of known cases, by comparing value changes with the golden model
    ///
    /// Give all cases first, then their waveforms in the same order; all waveforms must have the same format. A signal
    /// is assigned to a register if it changes at the same times to the same values. More cases, and more varied
    /// cases, make chance matches less likely. The map is a proposal to review; it does not show that the design
    /// agrees.
    Learn {
        /// Cases or programs, then their waveforms
        #[arg(required = true, num_args = 2.., value_name = "CASE... WAVEFORM")]
        files: Vec<PathBuf>,
        /// Partial map whose clock, reset, ports and entries are kept
        #[arg(long, value_name = "MAP")]
        map: Option<PathBuf>,
        /// Write the map to this file
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the map of this project's RTL
    Rtl {
        /// Fabric size that the map is for [default: the first size that this build supports]
        #[arg(long, value_name = "SIZE")]
        fabric: Option<Geometry>,
    },
    /// Print a configuration file (.vlt) with which Verilator keeps the signals of a map readable through VPI
    Verilator {
        /// Signal map
        map: PathBuf,
    },
}

/// Order in which cells are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadOrder {
    /// As in the case; programs are loaded row by row
    RowMajor,
    /// By distance r+c, nearest first
    Diagonal,
}

/// The time at which the port carries the immediate flag of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FlagTime {
    /// In the cycle of its word
    Word,
    /// When the word arrives at cell (r,c), r+c cycles later
    Delayed,
}

/// A fabric for which cases can be exported with a test bench of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetFabric {
    /// The published SiLago fabric, in VHDL
    SilagoPublished,
}

/// A test bench that is written on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExtraBench {
    /// A test in Python for cocotb, with a verdict while the design is simulated
    Cocotb,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    #[arg(help = FORMS, required_unless_present_any = ["campaign", "profile", "target"], conflicts_with_all = ["campaign", "profile"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Export the cases of a campaign for one fabric size, or all cases and programs in a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["profile", "mem", "arrays", "isa", "cycles", "io_cells"])]
    pub(crate) campaign: Option<PathBuf>,
    /// Export generated cases of this profile: a name or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["mem", "arrays", "isa", "cycles", "io_cells"])]
    pub(crate) profile: Option<String>,
    /// Seed of generated cases
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed, conflicts_with_all = ["file", "campaign"])]
    pub(crate) seed: u64,
    /// Write a test bench, map and scripts for this fabric, and use its --flag-timing; without FILE, --campaign and
    /// --profile, export generated cases of its profile
    #[arg(long = "for", value_enum, value_name = "FABRIC")]
    pub(crate) target: Option<TargetFabric>,
    /// Instead of cases, write what makes the --for fabric a design for DRRA_RTL: a script that translates it, a wrapper
    /// and a map
    #[arg(long, requires = "target", conflicts_with_all = ["file", "campaign", "profile", "seed", "cases", "mem", "isa",
        "fabric", "cycles", "io_cells", "idle_cycles", "load_order", "flag_timing"])]
    pub(crate) lock_step: bool,
    /// Write this test bench, too
    #[arg(long, value_enum, value_name = "BENCH", conflicts_with = "target")]
    pub(crate) bench: Option<ExtraBench>,
    /// Folder for the exported files, empty or new
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Idle cycles between reset and cycle 0 of the case
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) idle_cycles: u64,
    /// Order in which cells are loaded
    #[arg(long, value_enum, default_value = "row-major")]
    pub(crate) load_order: LoadOrder,
    /// Time at which the port carries the immediate flag of a word [default: word, or what the --for fabric needs]
    #[arg(long, value_enum)]
    pub(crate) flag_timing: Option<FlagTime>,
    /// Export at most N cases of a campaign or folder [default: all], or N cases of a profile [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) cases: Option<usize>,
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
}
