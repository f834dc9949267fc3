// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the campaign commands: `drra fuzz`, `report`, `merge`, `cover`, `distil`, `night`, `cluster` and
//! `mutate`.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, Parser, Subcommand};
use drra_isa::Geometry;

use super::start::{DesignLimits, KnownArgs};

#[derive(Debug, Parser)]
pub(crate) struct FuzzArgs {
    /// Profile of the stimulus generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Run only cases for this fabric size, such as 2x1, instead of the sizes in the profile
    #[arg(long, value_name = "SIZE")]
    pub(crate) fabric: Option<Geometry>,
    /// Seed of the campaign
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Number of cases in the whole campaign; if it is resumed, no fewer than before
    #[arg(long, value_name = "N")]
    pub(crate) cases: Option<u64>,
    /// Start no new cases after TIME (30s, 5m, 2h) [default: 30s, or no limit with --cases]
    #[arg(long, value_name = "TIME", value_parser = crate::time::time)]
    pub(crate) time: Option<Duration>,
    /// Start no new cases after N distinct failures, not counting known failures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_failures: Option<u64>,
    /// Same as --max-failures 1
    #[arg(long, conflicts_with = "max_failures")]
    pub(crate) until_failure: bool,
    /// End each case at its first difference, instead of looking for other failures behind it
    #[arg(long)]
    pub(crate) first_only: bool,
    /// Number of workers [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Run shard I of N; auto or auto/N takes the shard from the environment variables of the job scheduler
    #[arg(long, value_name = "I/N|auto")]
    pub(crate) shard: Option<String>,
    /// Folder for journal, failures and summary
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the campaign in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "profile", "fabric", "seed", "shard", "first_only"])]
    pub(crate) resume: Option<PathBuf>,
    /// Resume the campaign in --out, or start it if there is none; --time includes earlier runs
    #[arg(long = "continue", requires = "out")]
    pub(crate) resume_or_start: bool,
    /// Continue a campaign started by another build (both are recorded)
    #[arg(long)]
    pub(crate) mix: bool,
    /// Exit with code 2 instead of 0 if less than this percentage of the state bits is compared
    #[arg(long, value_name = "PERCENT", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    /// Print the coverage of each covergroup
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Append a line to this file for each new failure, or new variant of a failure, as soon as it is found
    #[arg(long, value_name = "FILE")]
    pub(crate) failure_log: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) limits: DesignLimits,
    #[command(flatten)]
    pub(crate) shrink: ShrinkBounds,
}

/// Limits of a reduction and of the variation of its result.
#[derive(Debug, ClapArgs)]
pub(crate) struct ShrinkBounds {
    /// Maximum number of candidates to try per reduction
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) shrink_steps: u64,
    /// Maximum number of variations of a reduced case, which show what decides whether it fails; 0 for none
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(crate) vary_steps: u64,
    /// Maximum time per reduction, and per variation of the reduced case
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = crate::time::time)]
    pub(crate) shrink_time: Duration,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// Folder of a campaign or of one failure
    #[arg(value_name = "DIR", required_unless_present = "history")]
    pub(crate) folder: Option<PathBuf>,
    /// Compare a series of campaigns, such as nightly campaigns: their folders, or folders with one campaign per
    /// profile
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "folder")]
    pub(crate) history: Vec<PathBuf>,
    /// With --history: folder for history.html and history.json [default: the last campaign]
    #[arg(short, long, value_name = "DIR", requires = "history")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MergeArgs {
    /// Folders of the shards
    #[arg(required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Folder for the merged campaign
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Merge results of different builds (all are recorded)
    #[arg(long)]
    pub(crate) mix: bool,
    /// Exit with code 0 instead of 4 if cases are missing and all other cases agree
    #[arg(long)]
    pub(crate) partial: bool,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CoverArgs {
    /// Folders of campaigns, also with other profiles, seeds and fabric sizes, which are joined; without a journal, as in
    /// stored nights, hits.bin is read
    #[arg(required_unless_present = "make")]
    pub(crate) folders: Vec<PathBuf>,
    /// Combine results of different builds; other profiles, seeds and fabric sizes do not need this
    #[arg(long)]
    pub(crate) mix: bool,
    /// Print JSON, with all coverage holes
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the bins that either this earlier campaign or the others hit, but not both
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    pub(crate) diff: Option<PathBuf>,
    /// Exit with code 1 if less than this percentage of a covergroup, or of `all`, is hit; can be repeated
    #[arg(long, value_name = "GROUP=PERCENT", value_parser = minimum)]
    pub(crate) min_coverage: Vec<(String, f64)>,
    /// Write a case that hits a bin, such as "DPU width changes: mac, from int8 to int4"
    #[arg(long, value_name = "GROUP: BIN", conflicts_with_all = ["folders", "json", "diff", "min_coverage"])]
    pub(crate) make: Option<String>,
    /// With --make: profile of the cases to try
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// With --make: file for the case
    #[arg(short, long, value_name = "FILE", default_value = "case.json")]
    pub(crate) out: PathBuf,
    /// Maximum number of holes to list per covergroup, or per RTL module and kind
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) holes: u32,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DistilArgs {
    /// Folders of campaigns, also with other profiles, seeds and fabric sizes; without a journal, as in stored nights,
    /// hits.bin names the cases, which run again on the golden model. With several campaigns, the names of the files
    /// contain the place of the campaign in this list
    #[arg(required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Combine results of different builds
    #[arg(long)]
    pub(crate) mix: bool,
    /// Folder of a `drra mutate` run of the same cases; cases that killed its mutants are selected first
    #[arg(long, value_name = "DIR")]
    pub(crate) mutation: Option<PathBuf>,
    /// Maximum number of cases
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) cases: u32,
    /// Folder for the cases, empty or new
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

/// Parses a fabric size without depths, because proofs support no others.
fn columns_and_rows(text: &str) -> Result<Geometry, &'static str> {
    let usual = |size: &Geometry| format!("{}x{}", size.columns, size.tile_rows) == text;
    text.parse().ok().filter(usual).ok_or("give COLUMNSxROWS, such as 2x1")
}

/// Parses GROUP=PERCENT.
fn minimum(text: &str) -> Result<(String, f64), String> {
    let (group, percentage) = text.rsplit_once('=').ok_or("give GROUP=PERCENT")?;
    Ok((group.to_owned(), super::percent(percentage)?))
}

#[derive(Debug, Subcommand)]
pub(crate) enum NightCommand {
    /// Run a shard of the campaign of each profile into DIR/PROFILE
    Shard {
        /// Shard I of N, or auto as in drra fuzz --shard
        #[arg(value_name = "I/N")]
        shard: String,
        /// Time for all profiles together (30s, 5m, 2h)
        #[arg(value_parser = crate::time::positive)]
        time: Duration,
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Merge the shards DIR/*/PROFILE of each profile into OUT/PROFILE
    Merge {
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        out: PathBuf,
    },
    /// Compare the campaigns in OUT/* with the nights in KEPT, and write OUT/history.html; add them to KEPT as a night,
    /// and keep the last 90 nights
    History { out: PathBuf, kept: PathBuf },
    /// Run the saved cases and programs in CASES, then a campaign of each profile into OUT/night, and compare it with
    /// KEPT
    Verify {
        /// Folder with *.json and *.sasm files; cases of fabric sizes that this program has no model for are skipped
        cases: PathBuf,
        /// Time for the campaigns of all profiles together (30s, 5m, 2h)
        #[arg(value_parser = crate::time::positive)]
        time: Duration,
        /// Folder for all results
        out: PathBuf,
        /// Folder with earlier nights, for the history
        kept: Option<PathBuf>,
    },
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
    #[arg(long, value_name = "TIME", group = "length", value_parser = crate::time::time)]
    pub(crate) time: Option<Duration>,
    /// Number of cases of the whole campaign
    #[arg(long, value_name = "N", group = "length")]
    pub(crate) cases: Option<u64>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=crate::shard::MAX_SHARDS))]
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

#[derive(Debug, ClapArgs)]
pub(crate) struct MutateArgs {
    /// Folder for sources, journal and results
    #[arg(short, long, value_name = "DIR", required_unless_present = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the run in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "modules", "mutants", "seed", "guarded", "changed_since", "regressions", "profile", "cases", "fabric"])]
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
    /// Let each mutant act only while a second, rare condition of its module holds, and report the number of cases
    /// until such mutants are found
    #[arg(long)]
    pub(crate) guarded: bool,
    /// Mutate only lines that changed since this git revision
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<String>,
    /// Run each regression case against the fault it was saved for, instead of running mutants; with a folder: run the
    /// campaign against each bug that a patch in the folder plants
    #[arg(long, value_name = "DIR", conflicts_with_all = ["modules", "mutants", "guarded", "changed_since", "fabric"])]
    pub(crate) regressions: Option<Option<PathBuf>>,
    /// Profile of the stimulus generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Maximum number of cases to run on each mutant and fabric size until one kills it [default: 2000]
    #[arg(long, value_name = "N")]
    pub(crate) cases: Option<u64>,
    /// Fabric sizes, columns x tile rows; survivors of one size are retried on the next size
    #[arg(long, value_name = "CxR", value_delimiter = ',', default_value = "2x1,4x2", value_parser = columns_and_rows)]
    pub(crate) fabric: Vec<Geometry>,
    /// Number of workers [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Count a mutant as killed if a case takes longer than TIME
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::time::time)]
    pub(crate) watchdog: Duration,
    /// Count a mutant as killed if its worker uses more memory than SIZE (500M, 2G) [default: 3/4 of this machine's
    /// memory, divided by the number of its cores, but at least 1G]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::bytes)]
    pub(crate) memory: Option<u64>,
    /// Exit with code 1 if the mutation score is below this percentage
    #[arg(long, value_name = "PERCENT")]
    pub(crate) min_score: Option<f64>,
    /// Checkout of this project whose RTL is mutated [default: that of the current folder, or else that of this program]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
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
