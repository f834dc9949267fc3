// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra mutate`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::time::Time;

#[derive(Debug, ClapArgs)]
pub(crate) struct MutateArgs {
    /// Folder for the sources, the journal and the results
    #[arg(short, long, value_name = "DIR", required_unless_present = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Continue in a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "blocks", "count", "seed", "changed", "regressions", "profile", "cases", "fabric"])]
    pub(crate) resume: Option<PathBuf>,
    /// Mutants of these modules only
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub(crate) blocks: Vec<String>,
    /// Mutants at most
    #[arg(long, value_name = "N", default_value_t = 1500)]
    pub(crate) count: usize,
    /// Seed of the draw of mutants, and of the campaign that is to kill them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Mutants only in lines that changed since a git revision
    #[arg(long, value_name = "REV")]
    pub(crate) changed: Option<String>,
    /// The faults that the saved cases are for, each against its case, instead of drawn mutants
    #[arg(long, conflicts_with_all = ["blocks", "count", "changed"])]
    pub(crate) regressions: bool,
    /// Profile of the generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Cases of the campaign that a mutant has to survive on each fabric
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) cases: u64,
    /// Sizes of the fabric, columns by rows of tiles: survivors of one go on to the next
    #[arg(long, value_name = "CxR", value_delimiter = ',', default_value = "2x1,4x2")]
    pub(crate) fabric: Vec<String>,
    /// Workers; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// A case that takes longer hangs
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub(crate) watchdog: Time,
    /// Exit code 1 if the score is below so many percent
    #[arg(long, value_name = "PERCENT")]
    pub(crate) at_least: Option<f64>,
}

/// A worker of `drra mutate`, in the build with the mutants.
#[derive(Debug, ClapArgs)]
pub(crate) struct MutateWorkerArgs {
    /// Profile of the generator: a name or a file
    #[arg(long)]
    pub(crate) profile: String,
    /// Seed of the campaign
    #[arg(long)]
    pub(crate) seed: u64,
    /// Direct no case at bins
    #[arg(long)]
    pub(crate) undirected: bool,
}
