// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands about one case: `drra replay`, `drra shrink`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use drra_isa::Geometry;

use super::{campaign::ShrinkBounds, start::Bounds};

/// Which waves are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Waves {
    /// Registers of both sides around the mismatch
    Window,
    /// Registers of both sides in the whole run
    Full,
    /// All signals of the RTL in the whole run, as Verilator writes them
    Rtl,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// Case (.json) or program
    pub(crate) case: Option<PathBuf>,
    /// Profile of a campaign whose case is made again
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Size of the fabric to which that campaign was restricted
    #[arg(long, value_name = "SIZE", conflicts_with = "case")]
    pub(crate) fabric: Option<Geometry>,
    /// Seed of that campaign
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Number of the case in that campaign
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// Write the case here
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write page, data and waves of the mismatch into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Record waves
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, default_missing_value = "window")]
    pub(crate) waves: Option<Waves>,
    /// Cycles before the mismatch in its waves
    #[arg(long, value_name = "N", default_value_t = 64, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) waves_before: u64,
    /// Cycles after the mismatch in its waves
    #[arg(long, value_name = "N", default_value_t = 32, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) waves_after: u64,
    /// Write the waves here; beside the case, with the ending .fst or .rtl.fst, if not given
    #[arg(long, value_name = "FILE", requires = "waves")]
    pub(crate) waves_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Bounds,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ShrinkArgs {
    /// Failing case (.json) or program
    pub(crate) case: PathBuf,
    /// Write the reduced case here; NAME.small.json beside the case if not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Bounds,
    #[command(flatten)]
    pub(crate) bounds: ShrinkBounds,
}
