// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: run the cases of a profile in parallel workers, keep a journal of the finished cases, reduce and report
//! each distinct failure, and summarize.
//!
//! A case depends only on the profile, the seed of the campaign and its own number, and the summary depends only on the
//! finished cases. Neither depends on the number of workers, on interruptions or on shards.
//!
//! Workers are threads ([`InProcessExecutor`]) or processes ([`process::WorkerPool`]). In a worker process, a design
//! that crashes, hangs or prints excessive output is an ordinary failure of one case.
//!
//! The crate runs any design; `drra-report` determines the contents of reports.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use drra_campaign::{CampaignSettings, run};
//! use drra_lockstep::GoldenDesign;
//!
//! let settings = CampaignSettings { cases: Some(3), ..CampaignSettings::default() };
//! let stop = AtomicBool::new(false);
//! let result = run(&settings, &GoldenDesign, &stop, &mut |_| {}).unwrap();
//! assert_eq!((result.summary.cases, result.summary.failed), (3, 0));
//! ```

mod case_run;
mod common;
mod directed;
mod distil;
mod effectiveness;
mod error;
pub mod estimate;
mod executor;
mod joined;
pub mod journal;
mod merge;
pub mod process;
mod progress;
mod publish;
mod run;
mod settings;
pub mod shrink;
mod store;
mod summarize;
mod sums;
mod tally;
pub mod timestamps;

pub use case_run::{
    CaseFailure, CaseResult, CaseRun, CrashHandling, CrashPoint, ReportRequest, run_case,
};
pub use directed::{CampaignCases, case_hitting, case_seed};
pub use distil::{CampaignCase, Selection, distil};
pub use effectiveness::measure_effectiveness;
pub use error::CampaignError;
pub use executor::{Executor, InProcessExecutor, WorkerContext};
pub use joined::JoinedCampaigns;
pub use journal::header;
pub use merge::{ShardHandler, Shards};
pub use progress::ProgressEvent;
pub use publish::{
    RTL_COVERAGE, generate_command, publish, repeat_command, stored_entries, stored_folder,
    stored_report, update_report,
};
pub use run::{CampaignResult, run, run_on};
pub use settings::CampaignSettings;
pub use store::{find_carriers, reduction, shrink_check};
pub use sums::{CaseRecord, CaseSums};
pub use tally::{AddOutcome, Novelty, Tally};
