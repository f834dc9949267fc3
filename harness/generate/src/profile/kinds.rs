// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kinds of scenarios to which a profile gives weights.

use drra_isa::Opcode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    constraint::{ResolvedConstraints, Situation},
    preload,
};

/// Kinds of scenarios, the first layer of a case.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// Words from a register file through one to three DPUs into a register file.
    Stream,
    /// Words from a register file straight into a register file.
    Copy,
    /// Blocks from a tile over a NoC path into a register file.
    TileLoad,
    /// Blocks from a register file over a NoC path into a tile.
    TileStore,
    /// Blocks from an input buffer into a register file.
    IoIn,
    /// Blocks from a register file into an output buffer.
    IoOut,
    /// Permutations of blocks.
    Permute,
    /// Nested loops with computed addresses.
    Loops,
    /// Branches on the status of a comparison.
    Branch,
    /// A unit is reconfigured while it is active.
    Reconfigure,
    /// Several writers or paths are made to collide.
    Conflict,
    /// Extreme values in every lane of the DPU: the largest products, and accumulators that saturate.
    Extremes,
}

impl Scenario {
    /// The constraint that defeats the purpose of the sequence.
    pub(super) fn hindered(self, rules: &ResolvedConstraints) -> Option<usize> {
        let needs: &[Opcode] = match self {
            Self::Stream => &[Opcode::Refi, Opcode::Swb, Opcode::Dpu],
            Self::Copy => &[Opcode::Refi, Opcode::Swb],
            Self::TileLoad | Self::TileStore => &[Opcode::Route, Opcode::Sram, Opcode::Refi],
            Self::IoIn | Self::IoOut => &[Opcode::Io, Opcode::Refi],
            Self::Permute => &[Opcode::Perm],
            Self::Loops => &[Opcode::Loop],
            Self::Branch => &[Opcode::Branch],
            Self::Reconfigure => {
                let refi = [rules.lacks(Opcode::Refi), rules.excludes(Situation::AguRelaunch)];
                let dpu = [rules.lacks(Opcode::Dpu), rules.excludes(Situation::DpuModeChange)];
                let [refi, dpu] = [refi, dpu].map(|[lacks, excludes]| lacks.or(excludes));
                return refi.filter(|_| dpu.is_some());
            }
            Self::Extremes => {
                if let Some(excluded) = preload::hindered(rules) {
                    return Some(excluded);
                }
                &[Opcode::Refi, Opcode::Swb, Opcode::Dpu]
            }
            Self::Conflict => {
                let missing = [Opcode::Refi, Opcode::Route].map(|o| rules.lacks(o));
                return missing[0].filter(|_| missing[1].is_some());
            }
        };
        needs.iter().find_map(|opcode| rules.lacks(*opcode))
    }
}
