// SPDX-License-Identifier: MIT OR Apache-2.0
//! Situations that failing cases have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A situation that occurred in failing cases before their first difference, and the numbers of cases in which it
/// occurred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommonSituation {
    /// The covergroup, and values of its coverpoints.
    pub what: String,
    /// Number of failing cases in which the situation occurred before their first difference; number of failing cases
    /// examined.
    pub failing: [u64; 2],
    /// Number of agreeing cases in which the situation occurred at all; number of agreeing cases examined.
    pub agreeing: [u64; 2],
}

impl CommonSituation {
    /// As one line: `64 of 64 failing, 3 of 512 agreeing cases: DPU configuration: mode = mac_inter`.
    pub fn text(&self) -> String {
        let Self { what, failing: [failing, of_failing], agreeing: [agreeing, of_agreeing] } = self;
        format!(
            "{failing} of {of_failing} failing, {agreeing} of {of_agreeing} agreeing cases: {what}"
        )
    }
}
