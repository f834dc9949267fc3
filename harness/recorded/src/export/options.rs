// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the stimulus of a case is brought to the ports of another fabric.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the stimulus of a case is brought to the ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Cycles between the release of reset and cycle 0 of the case. Some fabrics lose what comes in the
    /// first cycles after reset.
    pub idle_cycles: u64,
    /// In which order the cells are loaded.
    pub order: Order,
    /// When the immediate flag of a word is on its port.
    pub flag: Flag,
}

impl Default for Options {
    fn default() -> Self {
        Self { idle_cycles: 2, order: Order::RowMajor, flag: Flag::Word }
    }
}

/// In which order the words of a load come: of a run of cycles with a program word in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As in the case: of programs row by row.
    RowMajor,
    /// By the distance r+c of the cells, nearest first; for equal distances as in the case. A load that
    /// selects a cell in several ways stays as it is.
    Diagonal,
}

/// When the immediate flag of a word is on its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// With its word: the flag travels with the word from cell to cell.
    Word,
    /// When the word arrives, r+c cycles later: the flag goes to all cells at once.
    Delayed,
}
