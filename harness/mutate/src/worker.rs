// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said between `drra mutate` and its worker processes: a task per line, and lines about it.

use serde::{Deserialize, Serialize};

/// A mutant to be killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its place in the list that the model was written from, from 1 on; 0: the original.
    pub slot: usize,
    /// With what.
    pub work: Work,
}

/// Cases to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Those of the campaign from `first` up to `end`, without it, until one kills the mutant.
    Campaign {
        /// The first one.
        first: u64,
        /// The one after the last.
        end: u64,
    },
    /// The case of a file.
    File(String),
    /// Those of the campaign from `first` up to `end`, without it: all of them, with a verdict about each that
    /// fails.
    Verdicts {
        /// The first one.
        first: u64,
        /// The one after the last.
        end: u64,
    },
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Line {
    /// A case begins.
    Begins(u64),
    /// A case differs; the result follows when its signature is known.
    Differs {
        /// Number of the case.
        case: u64,
        /// Cycle of the difference.
        cycle: u64,
    },
    /// Result: a case differs.
    Killed {
        /// Number of the case.
        case: u64,
        /// Cycle of the difference.
        cycle: u64,
        /// The first register that differs, if one does.
        path: Option<String>,
        /// Signature of the failure.
        signature: String,
    },
    /// What is said about a case that differs.
    Said(Verdict),
    /// Result: no case differs; of verdicts: all are told.
    Survived,
}

/// What is said about a failing case of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Number of the case.
    pub case: u64,
    /// Cycle of the difference.
    pub cycle: u64,
    /// The first register or port that differs.
    pub path: String,
    /// The block that is named.
    pub block: String,
    /// The modules of the RTL to look at.
    pub modules: Vec<String>,
    /// It is said that something was not compared that reaches the block.
    pub hedged: bool,
    /// The instruction that is named, if one is.
    pub instruction: Option<String>,
    /// Without that instruction the case does not fail there any more; if none is named: it still does without
    /// any instruction.
    pub causal: bool,
    /// Signature of the failure.
    pub signature: String,
}
