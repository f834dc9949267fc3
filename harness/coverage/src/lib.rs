// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stimulus coverage, collected on the golden side while cases run: bins come from the instruction set and fabric
//! descriptions, and from the chapters. Each covergroup declares its coverpoints and has directed sequences for some
//! or all of its bins.
//!
//! The crate does not decide which cases are run; it reports which bins have not been hit.
//!
//! ```
//! use drra_coverage::{Collector, Coverage};
//! use drra_isa::Geometry;
//! use drra_lockstep::{EndRule, LockstepRun};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let mut collector = Collector::new();
//! collector.start(&case);
//! LockstepRun::alone(&case).run(EndRule::new(&case, None), &mut collector);
//! let mut coverage = Coverage::default();
//! coverage.add(&collector.bins().collect::<Vec<_>>());
//! assert!(coverage.groups().iter().any(|group| group.hit > 0));
//! ```

mod collect;
mod coverage;
mod covergroup;
mod covergroups;
mod cross;
mod decode;
pub mod rtl;
mod table;

pub use collect::Collector;
pub use coverage::{Coverage, CoverageTotal, GroupCoverage, Holes, by_missing};
pub use covergroup::{Covergroup, IgnoredBins, ignored_bins};
pub use cross::Coverpoint;
pub use table::{DirectedBin, fingerprint, groups};
