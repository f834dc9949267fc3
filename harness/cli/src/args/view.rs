// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra view`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::start::StartArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct ViewArgs {
    /// Program: assembly (.sasm), image (.bin) or case (.json)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    /// Where the page goes [default: the name of the program, .html instead of its ending]
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
