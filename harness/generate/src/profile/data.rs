// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kinds of data to which a profile gives weights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limits::MAX_WEIGHT;

/// Weights of the kinds of data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Data")]
pub struct DataWeights {
    /// Any words.
    #[schemars(range(max = MAX_WEIGHT))]
    pub random: u32,
    /// Small numbers, so that sums and products stay in range.
    #[schemars(range(max = MAX_WEIGHT))]
    pub small: u32,
    /// Words near 0, and near the largest and the smallest number.
    #[schemars(range(max = MAX_WEIGHT))]
    pub extreme: u32,
    /// Powers of two and their negatives.
    #[schemars(range(max = MAX_WEIGHT))]
    pub power_of_two: u32,
    /// Mostly zeros.
    #[schemars(range(max = MAX_WEIGHT))]
    pub sparse: u32,
}
