// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands for one case: `drra replay`, `drra shrink`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use drra_isa::Geometry;

use super::{campaign::ShrinkBounds, start::DesignLimits};

/// Waveforms to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Waves {
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
    /// Write the case to FILE
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write an HTML page, data and a waveform of the mismatch to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Record waveforms
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, default_missing_value = "window")]
    pub(crate) waves: Option<Waves>,
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
