// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands about recordings of other simulators: `drra check`, `drra map`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Dump (VCD, FST, GHW, or the lines of `drra trace`), after the case if there is one. Without a case the
    /// stimulus is taken from the dump
    #[arg(value_name = "[CASE] DUMP", num_args = 1..=2, required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) files: Vec<PathBuf>,
    /// Signal map of the dump
    #[arg(long, value_name = "MAP")]
    pub(crate) map: PathBuf,
    /// Compare so many cycles instead of all of the dump
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=drra_case::MAX_CYCLES))]
    pub(crate) cycles: Option<u64>,
    /// Exit code 2 if less of the state is compared than this, in percent of its bits
    #[arg(long, value_name = "PERCENT", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    /// Check all cases of a folder: each is a folder with case.json and one dump
    #[arg(long, value_name = "DIR")]
    pub(crate) batch: Option<PathBuf>,
    /// Dumps of a batch that are checked at the same time; all cores if not given
    #[arg(long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Write the results of a batch as JSON
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(crate) json: Option<PathBuf>,
    /// Write a JUnit report with a test case for each dump
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write page, data and waves of a mismatch into this folder; of a batch each distinct failure gets a
    /// folder of its own in it
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
    /// Tell line by line what a map finds in a dump
    Check {
        /// Signal map
        map: PathBuf,
        /// Dump: VCD, FST, GHW, or the lines of `drra trace --format jsonl`
        dump: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Propose a map for dumps of cases, by comparing change sequences with the golden model
    ///
    /// Give as many cases as dumps: first all cases, then their dumps in the same order, all of one format.
    /// Signals that change at the same times to the same values as a register are taken for it. More and more
    /// varied cases make fewer accidents. A proposal claims no agreement.
    Learn {
        /// Cases or programs, then their dumps
        #[arg(required = true, num_args = 2.., value_name = "CASE... DUMP")]
        files: Vec<PathBuf>,
        /// Map whose clock, reset, ports and entries are kept
        #[arg(long, value_name = "MAP")]
        map: Option<PathBuf>,
        /// Write the map to this file
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the map of the RTL that belongs to this project, for the size of this build
    Rtl,
    /// Print a map in JSON, as earlier releases had it, in the form of today
    Convert {
        /// Signal map in JSON
        json: PathBuf,
    },
}
