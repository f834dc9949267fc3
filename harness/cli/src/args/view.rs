// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra view`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::start::StartArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    /// Program: assembly (.sasm), image (.bin) or case (.json); two of them with --compare
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Put two versions of a program side by side
    #[arg(long)]
    pub(crate) compare: bool,
    /// Where the page goes [default: the name of the program, .html instead of its ending; of a comparison
    /// A-B.html]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// First cycle that is shown
    #[arg(long, value_name = "CYCLE")]
    pub(crate) from: Option<u64>,
    /// Last cycle that is shown [default: the last one of the run, but at most 10000 cycles in all]
    #[arg(long, value_name = "CYCLE")]
    pub(crate) to: Option<u64>,
    /// Print the figures as well
    #[arg(long)]
    pub(crate) stats: bool,
}
