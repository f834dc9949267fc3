// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of `drra cluster`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use crate::time::Time;

#[derive(Debug, ClapArgs)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Submit a campaign to Slurm: an array of shards, and a job that joins them
    Slurm(SlurmArgs),
    /// Tell how far the shards of a submitted campaign are, and what they found
    Status(StatusArgs),
}

#[derive(Debug, ClapArgs)]
#[command(group(clap::ArgGroup::new("length").required(true).multiple(true)))]
pub(crate) struct SlurmArgs {
    /// Profile of the generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Seed of the campaign; today's date if not given, decided now for all shards
    #[arg(long, value_name = "N", value_parser = crate::args::seed)]
    pub(crate) seed: Option<u64>,
    /// Time of each shard (30s, 5m, 2h), all its parts together if it is interrupted
    #[arg(long, value_name = "TIME", group = "length")]
    pub(crate) time: Option<Time>,
    /// Cases of the whole campaign
    #[arg(long, value_name = "N", group = "length")]
    pub(crate) cases: Option<u64>,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=crate::shard::MOST))]
    pub(crate) shards: u64,
    /// Workers of each shard, which asks for so many processors
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: u32,
    /// Folder for everything, on a file system that all nodes share
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Option for the #SBATCH lines of all jobs, such as --partition=long; again for more
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(crate) sbatch: Vec<String>,
    /// Line of shell to run at the beginning of each job, such as "module load gcc"; again for more
    #[arg(long, value_name = "LINE")]
    pub(crate) setup: Vec<String>,
    /// Seconds before the time limit of a job at which its shard stops and is queued again
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=65535))]
    pub(crate) margin: u32,
    /// How often shards that did not end are submitted again
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) retries: u32,
    /// Print the scripts; write and submit nothing
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// Folder of the submitted campaign
    pub(crate) folder: PathBuf,
    /// Print the numbers of the shards that did not end, with commas between, and nothing else
    #[arg(long)]
    pub(crate) unfinished: bool,
}
