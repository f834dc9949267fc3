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

/// Cases of one fabric size, and how many of them have the failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricFailures {
    /// Columns x tile rows, followed by any other differences from the default fabric: `8x2`, `2x2-rf32-sram16`.
    pub fabric: String,
    /// Cases with the failure.
    pub failing: u64,
    /// Cases run.
    pub cases: u64,
}

impl FabricFailures {
    /// Minimum number of failing cases from which a single size is remarkable.
    const MIN_CASES: u64 = 3;
    /// The beginning of the text for failing cases that have a single size.
    pub(crate) const ONLY: &str = "only on ";

    /// All sizes in one line: `only on 8x2: 12 of 240 cases; 2x1: 0 of 300 cases`; `None` without sizes. A few cases can
    /// have the same size by chance.
    pub fn text(sizes: &[Self]) -> Option<String> {
        let of = |s: &Self| format!("{}: {} of {} cases", s.fabric, s.failing, s.cases);
        let (failing, others): (Vec<&Self>, Vec<&Self>) =
            sizes.iter().partition(|size| size.failing > 0);
        let start = match failing[..] {
            [] => return None,
            [one] if one.failing >= Self::MIN_CASES => Self::ONLY,
            _ => "by fabric size: ",
        };
        let all: Vec<String> = failing.into_iter().chain(others).map(of).collect();
        Some(format!("{start}{}", all.join("; ")))
    }
}

impl CommonSituation {
    /// True if the situation occurred in all failing cases examined, and in no agreeing one.
    pub fn is_exact(&self) -> bool {
        self.failing[0] == self.failing[1] && self.agreeing[0] == 0
    }

    /// True if the situation separates failing from agreeing cases: it occurred at least twice as often in failing cases,
    /// and the chance that it occurs in so many cases like the agreeing ones is below e^-12 (Chernoff's bound). Thousands
    /// of situations are examined, so in a few failing cases some are common by chance.
    pub fn separates(&self) -> bool {
        // Half a case is added on both sides, because no occurrence in a few cases proves little.
        let share = |[cases, of]: [u64; 2]| (cases as f64 + 0.5) / (of as f64 + 1.0);
        let [p, q] = [self.failing, self.agreeing].map(share);
        let distance = p * (p / q).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - q)).ln();
        p >= 2.0 * q && self.failing[1] as f64 * distance >= 12.0
    }

    /// As one line: `64 of 64 failing, 3 of 512 agreeing cases: DPU configuration: mode = mac_inter`.
    pub fn text(&self) -> String {
        let Self { what, failing: [failing, of_failing], agreeing: [agreeing, of_agreeing] } = self;
        format!(
            "{failing} of {of_failing} failing, {agreeing} of {of_agreeing} agreeing cases: {what}"
        )
    }
}
