// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster`: campaigns on the nodes of a cluster.

mod slurm;
mod status;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    Exit,
    args::{ClusterArgs, ClusterCommand},
    build::Build,
    error::{CommandError, file},
};

/// Name of the file that tells what was submitted, in the folder of the campaign.
const FILE_NAME: &str = "cluster.json";

/// What was submitted.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Submitted {
    /// Version of the format.
    version: u32,
    /// Number of shards; shard I has the folder `shards/I`.
    shards: u64,
}

pub(super) fn run(a: &ClusterArgs, build: &Build) -> Result<Exit, CommandError> {
    match &a.command {
        ClusterCommand::Slurm(a) => slurm::run(a, build),
        ClusterCommand::Status(a) => status::run(a),
    }
}

/// What was submitted with a folder.
fn submitted(folder: &Path) -> Result<Submitted, CommandError> {
    let path = folder.join(FILE_NAME);
    let remedy = "name the folder that drra cluster slurm was given with --out";
    let text = std::fs::read_to_string(&path).map_err(|e| file(&path, e, remedy))?;
    let submitted: Submitted = serde_json::from_str(&text).map_err(|e| file(&path, e, remedy))?;
    match submitted.version {
        1 => Ok(submitted),
        other => Err(file(&path, format!("version {other} is unknown"), remedy)),
    }
}
