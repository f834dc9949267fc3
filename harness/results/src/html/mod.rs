// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a campaign and the page of several runs, in the frame of the pages of reports and without scripts.

mod groups;
mod history;
mod index;
mod plot;

pub use groups::Entry;
pub use index::Campaign;
