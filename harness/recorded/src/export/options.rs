// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options for applying the stimulus of a case to the ports of another fabric.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options for applying the stimulus of a case to the ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportOptions {
    /// Cycles between the release of reset and cycle 0 of the case. Some fabrics lose inputs in the first cycles
    /// after reset.
    pub idle_cycles: u64,
    /// The order in which the cells are loaded.
    pub order: WordOrder,
    /// The time at which the immediate flag of a word is on its port.
    pub flag: FlagTiming,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { idle_cycles: 2, order: WordOrder::RowMajor, flag: FlagTiming::Word }
    }
}

/// The order of the words within a load, that is, a sequence of cycles that each have a program word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WordOrder {
    /// As in the case; programs are loaded row by row.
    RowMajor,
    /// By the distance r+c of the cells, nearest first; cells at equal distance stay in the order of the case. A load
    /// that selects a cell in several ways is left as it is.
    Diagonal,
}

/// The time at which the immediate flag of a word is on its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlagTiming {
    /// With its word: the flag travels with the word from cell to cell.
    Word,
    /// When the word arrives, r+c cycles later: the flag is broadcast to all cells at once.
    Delayed,
}
