// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra bench`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the JSON to a file, besides
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with an earlier result, the JSON of this command, and warn about what is more than 10 % slower
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Rounds of interleaved measurements, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}
