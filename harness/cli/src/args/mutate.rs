// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra mutate`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::time::Time;

#[derive(Debug, ClapArgs)]
pub(crate) struct MutateArgs {
    /// Folder for sources, journal and results
    #[arg(short, long, value_name = "DIR", required_unless_present = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the run in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "modules", "mutants", "seed", "changed_since", "regressions", "profile", "cases", "fabric"])]
    pub(crate) resume: Option<PathBuf>,
    /// Mutate only these modules
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    pub(crate) modules: Vec<String>,
    /// Maximum number of mutants
    #[arg(long, value_name = "N", default_value_t = 1500)]
    pub(crate) mutants: usize,
    /// Seed for the selection of mutants and for the campaign run on them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Mutate only lines that changed since this git revision
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<String>,
    /// Run each regression case against the fault it was saved for, instead of running mutants
    #[arg(long, conflicts_with_all = ["modules", "mutants", "changed_since"])]
    pub(crate) regressions: bool,
    /// Profile of the stimulus generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Number of cases to run on each mutant and fabric size until one kills it
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) cases: u64,
    /// Fabric sizes, columns x tile rows; survivors of one size are retried on the next size
    #[arg(long, value_name = "CxR", value_delimiter = ',', default_value = "2x1,4x2")]
    pub(crate) fabric: Vec<String>,
    /// Number of workers [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Report a hang if a case takes longer than TIME
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub(crate) watchdog: Time,
    /// Report a failure if a worker uses more memory than SIZE (500M, 2G) [default: 3/4 of this machine's
    /// memory, divided by the number of its cores, but at least 1G]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::bytes)]
    pub(crate) memory: Option<u64>,
    /// Exit with code 1 if the mutation score is below this percentage
    #[arg(long, value_name = "PERCENT")]
    pub(crate) min_score: Option<f64>,
}

/// Arguments of a `drra mutate` worker, which is this program built with the mutants.
#[derive(Debug, ClapArgs)]
pub(crate) struct MutateWorkerArgs {
    /// Profile of the generator: a name or a file
    #[arg(long)]
    pub(crate) profile: String,
    /// Seed of the campaign
    #[arg(long)]
    pub(crate) seed: u64,
    /// Disable coverage-directed generation
    #[arg(long)]
    pub(crate) undirected: bool,
}
