// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra cluster`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::known::KnownArgs;
use crate::time::Time;

#[derive(Debug, ClapArgs)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Submit a campaign to Slurm: an array of shards, and a job that merges them
    Slurm(SlurmArgs),
    /// Show the progress and the failures of a submitted campaign
    Status(StatusArgs),
}

#[derive(Debug, ClapArgs)]
#[command(group(clap::ArgGroup::new("length").required(true).multiple(true)))]
pub(crate) struct SlurmArgs {
    /// Profile of the stimulus generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Seed of the campaign [default: the date of submission, such as 20261125]
    #[arg(long, value_name = "N", value_parser = crate::args::seed)]
    pub(crate) seed: Option<u64>,
    /// Total run time of each shard (30s, 5m, 2h), over all its restarts
    #[arg(long, value_name = "TIME", group = "length")]
    pub(crate) time: Option<Time>,
    /// Number of cases of the whole campaign
    #[arg(long, value_name = "N", group = "length")]
    pub(crate) cases: Option<u64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=crate::shard::MOST))]
    pub(crate) shards: u64,
    /// Number of workers per shard, and of processors requested for it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: u32,
    /// Folder for scripts, logs and results, on a file system shared by all nodes
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Option for an #SBATCH line of all jobs, such as --partition=long (may be repeated)
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) sbatch: Vec<String>,
    /// Shell command to run at the start of each job, such as "module load gcc" (may be repeated)
    #[arg(long, value_name = "LINE")]
    pub(crate) setup: Vec<String>,
    /// Stop and requeue a shard this many seconds before the time limit of its job
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=65535))]
    pub(crate) margin: u32,
    /// Resubmit unfinished shards up to this many times
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) retries: u32,
    /// Print the scripts without writing or submitting anything
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// Folder of the submitted campaign
    pub(crate) folder: PathBuf,
    /// Print only the numbers of unfinished shards, separated by commas
    #[arg(long)]
    pub(crate) unfinished: bool,
}
