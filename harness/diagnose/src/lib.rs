// SPDX-License-Identifier: MIT OR Apache-2.0
//! Diagnosis of a mismatch: the block in which the difference originated and the rule that decides which side is right
//! ([`explain`]), the instruction that had set the block up ([`attribution`]), and the signature that distinguishes the
//! failure from others ([`signature`]). For an end state that is not the expected one, the golden model alone is
//! recorded ([`GoldenHistory`]).
//!
//! None of this is recorded in the first run of a case. A failing case is run again, with the same result, and the
//! events around its mismatch are recorded then. The crate writes nothing: its results are data.
//!
//! ```
//! use drra_diagnose::signature;
//! use drra_isa::Geometry;
//! use drra_fabric::BlockId;
//! use drra_lockstep::{GoldenDesign, RunSetup};
//! use drra_testkit::{Fault, FaultyDesign, Flip};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let flip = Flip { cycle: 30, location: "cell[0][0].rf.mem[40]".parse().unwrap(), bit: 3 };
//! let design = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
//! let setup = RunSetup::new(&design);
//! let failing = signature::check(&case, &setup).unwrap().unwrap();
//! assert_eq!(failing.mismatch.cycle, 30);
//! assert_eq!(failing.explanation.rule.block(), BlockId::RegisterFile);
//! ```

mod active_outputs;
pub mod attribution;
mod backtrace;
mod behind;
pub mod crossbar;
pub mod explain;
mod fan_in;
mod golden_history;
mod rerun;
mod root_cause;
pub mod signature;

pub use active_outputs::{ActiveOutputs, block_up, crossbar_sources, low};
pub use behind::{LaterDifferences, later_differences};
pub use golden_history::GoldenHistory;
pub use rerun::{HISTORY_CYCLES, SIGNAL_CYCLES, Surroundings};
