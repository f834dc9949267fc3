// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands for waveforms of other simulators: `drra check`, `drra map`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use drra_isa::Geometry;

use super::known::KnownArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Waveform (VCD, FST, GHW or `drra trace` output), preceded by its case if there is one; without a case, the
    /// stimulus is taken from the waveform
    #[arg(value_name = "[CASE] WAVEFORM", num_args = 1..=2, required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) files: Vec<PathBuf>,
    /// Signal map of the waveform
    #[arg(long, value_name = "MAP")]
    pub(crate) map: PathBuf,
    /// Compare only the first N cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=drra_case::MAX_CYCLES))]
    pub(crate) cycles: Option<u64>,
    /// Exit with code 2 if less than this percentage of the state bits is compared
    #[arg(long, value_name = "PERCENT", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
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

#[derive(Debug, ClapArgs)]
pub(crate) struct MapArgs {
    #[command(subcommand)]
    pub(crate) command: MapCommand,
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
    /// Give all cases first, then their waveforms in the same order, all in one format. A signal that changes at the
    /// same times to the same values as a register is assigned to it. More cases, and more varied cases, make chance
    /// matches less likely. The map is a proposal to review; it does not show that the design agrees.
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
}
