// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a campaign and the page of several runs. They have the frame of the pages of reports, and no scripts.

mod groups;
mod history;
mod index;
mod plot;

pub use groups::FailureEntry;
pub use index::CampaignPage;
