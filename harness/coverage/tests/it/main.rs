// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-written programs and directed sequences hit the intended bins.

mod examples;
mod sequences;

use drra_case::Case;
use drra_coverage::Collector;
use drra_lockstep::{EndRule, LockstepRun};

/// Bins that a case hits on the golden model.
fn bins(case: &Case, collector: &mut Collector) -> Vec<u32> {
    collector.start(case);
    LockstepRun::alone(case).run(EndRule::new(case, None), collector);
    collector.bins().collect()
}
