// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-written programs and directed sequences hit the intended bins, and the collector finds what a naive one finds.

mod examples;
mod naive;
mod rtl;
mod sequences;
mod table;

use drra_case::Case;
use drra_coverage::Collector;
use drra_lockstep::{EndRule, LockstepRun};

/// Bins that a case hits on the golden model.
fn bins(case: &Case, collector: &mut Collector) -> Vec<u32> {
    collector.start(case);
    LockstepRun::alone(case).run(EndRule::new(case, None), collector);
    collector.bins().collect()
}
