// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra view`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::start::StartArgs;

#[derive(Debug, ClapArgs)]
pub(in crate::cli) struct ViewArgs {
    /// Program: assembly (.sasm), image (.bin) or case (.json); two of them with --compare
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) start: StartArgs,
    /// Put two versions of a program side by side
    #[arg(long)]
    pub(in crate::cli) compare: bool,
    /// Where the page goes [default: the name of the program, .html instead of its ending; of a comparison
    /// A-B.html]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// First cycle that is shown
    #[arg(long, value_name = "CYCLE")]
    pub(in crate::cli) from: Option<u64>,
    /// Last cycle that is shown [default: the last one of the run, but at most 10000 cycles in all]
    #[arg(long, value_name = "CYCLE")]
    pub(in crate::cli) to: Option<u64>,
    /// Print the figures as well
    #[arg(long)]
    pub(in crate::cli) stats: bool,
}
