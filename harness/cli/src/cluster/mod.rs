// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster`: campaigns on the nodes of a cluster.

mod slurm;
mod status;

use super::{
    Exit,
    args::{ClusterArgs, ClusterCommand},
    build::Build,
    error::CommandError,
};

pub(super) fn run(a: &ClusterArgs, build: &Build) -> Result<Exit, CommandError> {
    match &a.command {
        ClusterCommand::Slurm(a) => slurm::run(a, build),
        ClusterCommand::Status(a) => status::run(a),
    }
}
