// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a campaign tells while it runs.

use std::time::Duration;

use crate::tally::New;

/// What a campaign tells while it runs.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// A case is finished: cases and cycles so far, distinct failures so far.
    Case {
        /// Finished cases.
        cases: u64,
        /// Cycles compared.
        cycles: u64,
        /// Distinct failures.
        failures: usize,
    },
    /// A new failure, or a new variant of one.
    NewFailure {
        new: New,
        /// What makes it distinct.
        signature: &'a str,
        /// Number of the case.
        case: u64,
        /// Time since the start.
        after: Duration,
    },
    /// A failing case is being reduced.
    Shrinking {
        /// Signature of the failure.
        signature: &'a str,
    },
    /// The files of a failure are written.
    Reported {
        /// Signature of the failure.
        signature: &'a str,
        /// Time that it took after the reduction.
        time: Duration,
    },
    /// A failing case was reduced.
    Reduced {
        /// Signature that the reduced case still has.
        signature: &'a str,
        /// Instructions before and after.
        instructions: [usize; 2],
        /// Time that it took.
        time: Duration,
    },
}
