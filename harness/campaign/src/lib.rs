// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: cases of one profile in parallel workers, a journal of the finished ones, distinct
//! failures with reduced cases, a summary.
//!
//! A case depends on the profile, the seed of the campaign and its own number alone, and the
//! summary on the finished cases alone: the number of workers, interruptions and shards change
//! nothing.
//!
//! Workers are threads ([`Here`]) or processes ([`process::Processes`]). In a process a design may crash, hang or
//! print without end: that is a failure of one case like any other.
//!
//! The crate runs on any design; what a failure looks like is the business of `drra-report`.
//!
//! It is above its 3 300 lines: nothing is lost or counted twice when a worker, a campaign or a machine is killed, a
//! disk is full or a journal damaged, and a good part of it is that.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use drra_campaign::{Settings, run};
//! use drra_lockstep::GoldenDesign;
//!
//! let settings = Settings { cases: Some(3), ..Settings::default() };
//! let stop = AtomicBool::new(false);
//! let result = run(&settings, &GoldenDesign, &stop, &mut |_| {}).unwrap();
//! assert_eq!((result.summary.cases, result.summary.failed), (3, 0));
//! ```

mod cases;
mod effectiveness;
mod error;
mod estimate;
mod exam;
pub mod journal;
mod merge;
pub mod moments;
mod place;
pub mod process;
mod progress;
mod publish;
mod run;
mod runner;
mod settings;
pub mod shrink;
mod steer;
mod store;
mod summarize;
mod sums;
mod tally;

pub use cases::{Cases, case_of};
pub use effectiveness::effectiveness;
pub use error::CampaignError;
pub use exam::{Effort, Ending, Exam, Examined, Found, LOG, Wanted, examine, write_log};
pub use journal::header;
pub use merge::{EachOf, Shards};
pub use place::{Here, Place, Work};
pub use progress::Progress;
pub use publish::{
    RTL_COVERAGE, generate_command, moved, publish, repeat_command, stored_entries, stored_folder,
    stored_report,
};
pub use run::{CampaignResult, run, run_at};
pub use settings::Settings;
pub use steer::case_seed;
pub use store::{reduction, tries};
pub use sums::{Record, Sums};
pub use tally::{Fit, New, Tally};
