// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra export`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::start::{FORMS, StartArgs};

/// In which order cells are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadOrder {
    /// Row by row
    RowMajor,
    /// By the distance r+c of the cells, nearest first
    Diagonal,
}

/// When the immediate flag of a word is on its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FlagTime {
    /// With its word
    Word,
    /// When its word arrives at cell (r,c), r+c cycles later
    Delayed,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    #[arg(help = FORMS, required_unless_present = "campaign", conflicts_with = "campaign")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Export all cases of a campaign, or all cases and programs of a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["mem", "isa", "cycles", "io_cells"])]
    pub(crate) campaign: Option<PathBuf>,
    /// Folder to write; it must not exist or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Cycles without inputs between reset and the first block
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) idle_cycles: u64,
    /// Order in which cells are loaded
    #[arg(long, value_enum, default_value = "row-major")]
    pub(crate) order: LoadOrder,
    /// When the immediate flag of a word is on its port
    #[arg(long, value_enum, default_value = "word")]
    pub(crate) flag: FlagTime,
    /// Export so many cases of the campaign at most
    #[arg(long, value_name = "N", requires = "campaign")]
    pub(crate) cases: Option<usize>,
    /// Workers; all cores if not given
    #[arg(long, value_name = "N", requires = "campaign", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
}
