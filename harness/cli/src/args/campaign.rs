// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands about campaigns: `drra fuzz`, `report`, `merge`, `cover`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use drra_isa::Geometry;

use super::start::Bounds;
use crate::time::Time;

#[derive(Debug, ClapArgs)]
pub(crate) struct FuzzArgs {
    /// Profile of the generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(crate) profile: String,
    /// Cases of this size of the fabric alone, such as 2x1, instead of those that the profile names
    #[arg(long, value_name = "SIZE")]
    pub(crate) fabric: Option<Geometry>,
    /// Seed of the campaign
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::args::seed)]
    pub(crate) seed: u64,
    /// Cases of the whole campaign; with --resume as many as before or more
    #[arg(long, value_name = "N")]
    pub(crate) cases: Option<u64>,
    /// Start no case after so long (30s, 5m, 2h); without --cases 30s
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<Time>,
    /// Workers; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Run the I-th of N parts of the campaign; auto, or auto/N: as the scheduler of this job says
    #[arg(long, value_name = "I/N|auto")]
    pub(crate) shard: Option<String>,
    /// Folder for the journal, the failures and the summary
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Continue the campaign of a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "profile", "fabric", "seed", "shard"])]
    pub(crate) resume: Option<PathBuf>,
    /// Continue the campaign of --out if it has begun, else start it; --time counts all its parts
    #[arg(long = "continue", requires = "out")]
    pub(crate) go_on: bool,
    /// Go on although another build began the campaign; the result names both
    #[arg(long)]
    pub(crate) mix: bool,
    /// Exit code 2 if less of the state is compared than this, in percent of its bits
    #[arg(long, value_name = "PERCENT", value_parser = crate::args::percent)]
    pub(crate) min_compared: Option<f64>,
    /// Print the coverage of each group
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Append a line to a file as soon as a new failure, or a new variant of one, is found
    #[arg(long, value_name = "FILE")]
    pub(crate) failures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Bounds,
    #[command(flatten)]
    pub(crate) shrink: ShrinkBounds,
}

/// When a reduction ends.
#[derive(Debug, ClapArgs)]
pub(crate) struct ShrinkBounds {
    /// Runs of a reduced case at most
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) shrink_steps: u64,
    /// Time for a reduction at most
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub(crate) shrink_time: Time,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// Folder of a campaign, or of one failure
    #[arg(value_name = "DIR", required_unless_present = "history")]
    pub(crate) folder: Option<PathBuf>,
    /// Compare the campaigns of several runs (nights): their folders, or folders with one for each profile
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "folder")]
    pub(crate) history: Vec<PathBuf>,
    /// With --history: folder for history.html and history.json; that of the last night if not given
    #[arg(short, long, value_name = "DIR", requires = "history")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MergeArgs {
    /// Folders of the shards
    #[arg(required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Folder of the joined campaign
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Join results of different builds; the result names them
    #[arg(long)]
    pub(crate) mix: bool,
    /// Exit code 0 instead of 4 although cases are missing, if the others agree
    #[arg(long)]
    pub(crate) partial: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CoverArgs {
    /// Folders of campaigns with the same settings
    #[arg(required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Take results of different builds together
    #[arg(long)]
    pub(crate) mix: bool,
    /// Print JSON with all holes
    #[arg(long)]
    pub(crate) json: bool,
    /// Holes named in each group
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) holes: u32,
}
