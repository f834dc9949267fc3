// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a campaign.

use std::time::Duration;

use crate::tally::Novelty;

/// An event of a running campaign.
#[derive(Clone, Debug)]
pub enum ProgressEvent<'a> {
    /// A case has finished; the values are the totals so far.
    Case { cases: u64, cycles: u64, failures: usize },
    /// A new failure, or a new variant of a failure.
    NewFailure {
        new: Novelty,
        signature: &'a str,
        case: u64,
        /// First cycle whose differences count, for a failure behind the first difference of the case; else 0.
        compare_from: u64,
        /// Time since the start.
        after: Duration,
    },
    /// A failing case is being reduced.
    Shrinking { signature: &'a str },
    /// The files of a failure have been written, which took `time`.
    Reported { signature: &'a str, time: Duration },
    /// A failing case has been reduced.
    Reduced {
        signature: &'a str,
        /// Numbers of instructions before and after the reduction.
        instructions: [usize; 2],
        time: Duration,
    },
}
