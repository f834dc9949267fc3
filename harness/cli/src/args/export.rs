// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra export`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::start::{FORMS, StartArgs, seed};

/// Order in which cells are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadOrder {
    /// Row by row
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

/// A fabric whose test bench is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fabric {
    /// The published SiLago fabric, in VHDL
    SilagoPublished,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    #[arg(help = FORMS, required_unless_present_any = ["campaign", "profile", "target"], conflicts_with_all = ["campaign", "profile"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Export all cases of a campaign, or all cases and programs in a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["profile", "mem", "isa", "cycles", "io_cells"])]
    pub(crate) campaign: Option<PathBuf>,
    /// Export generated cases of this profile: a name or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["mem", "isa", "cycles", "io_cells"])]
    pub(crate) profile: Option<String>,
    /// Seed of generated cases
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed, conflicts_with_all = ["file", "campaign"])]
    pub(crate) seed: u64,
    /// Write a test bench, map and scripts for this fabric, and use its --flag-timing; without a program, generate
    /// cases from its profile
    #[arg(long = "for", value_enum, value_name = "FABRIC")]
    pub(crate) target: Option<Fabric>,
    /// Folder for the exported files, empty or new
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Idle cycles between reset and the first input
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) idle_cycles: u64,
    /// Order in which cells are loaded
    #[arg(long, value_enum, default_value = "row-major")]
    pub(crate) load_order: LoadOrder,
    /// Time at which the port carries the immediate flag of a word [default: word, or what the --for fabric needs]
    #[arg(long, value_enum)]
    pub(crate) flag_timing: Option<FlagTime>,
    /// Export at most N cases of a campaign, or N cases of a profile [default: 100]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) cases: Option<usize>,
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
}
