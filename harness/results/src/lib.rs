// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of campaigns, of batches of waveforms, and of successive nights: what failed, what is known, and what is
//! new.
//!
//! A [`Summary`](summary::Summary) holds the figures and distinct failures of a campaign, a [`Batch`](batch::Batch)
//! those of waveforms, and a [`History`](history::History) those of several runs. They are shown as text, as pages
//! ([`CampaignPage`]), as JUnit reports ([`junit`]) and as annotations ([`github`]). Expected deviations are listed in
//! [`known`]; a [`Bundle`] is the folder of a failure.
//!
//! The crate runs nothing, and it adds nothing to the reports of mismatches, which `drra-report` builds.
//!
//! ```
//! use drra_results::{known::KnownDeviations, summary::{Failure, Summary}};
//!
//! let failure = |name: &str| Failure { signature: name.to_owned(), count: 1, ..Failure::default() };
//! let failures = vec![failure("cell AGU"), failure("cell loops")];
//! let mut summary = Summary { cases: 9, failed: 2, failures, ..Summary::default() };
//! summary.mark(&KnownDeviations::parse("cell AGU = 3.7: the reset of the address generator").unwrap());
//! assert!(summary.to_text().starts_with("failures: 1 new, 1 known in 2 of 9 cases\n"));
//! ```

pub mod batch;
mod bundle;
pub mod checked;
pub mod github;
pub mod history;
mod html;
pub mod identity;
pub mod junit;
pub mod known;
pub mod summary;

pub use bundle::{Bundle, BundleError, INDEX_PATH, LOG_FILE, WaveFiles};
pub use html::{CampaignPage, FailureEntry};
