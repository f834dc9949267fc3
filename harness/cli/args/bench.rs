// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra bench`.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct BenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Rounds of interleaved measurements, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(in crate::cli) rounds: u32,
}
