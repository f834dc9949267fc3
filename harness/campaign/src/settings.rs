// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a campaign.

use std::{path::PathBuf, time::Duration};

use drra_generate::Profile;
use drra_results::known::KnownDeviations;

use crate::shrink;

/// Settings of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignSettings {
    /// Profile of the generator.
    pub profile: Profile,
    /// Absolute path of the profile; `None` for a bundled profile.
    pub profile_file: Option<PathBuf>,
    /// Seed of the campaign.
    pub seed: u64,
    /// Number of cases of the whole campaign; `None`: as many cases as the time allows.
    pub cases: Option<u64>,
    /// Start no new cases after this time; `None`: no limit.
    pub time: Option<Duration>,
    /// Start no new cases after this number of distinct failures that are not known deviations; `None`: no limit.
    pub max_failures: Option<u64>,
    /// Number of workers, which is the maximum number of cases that run at the same time.
    pub jobs: usize,
    /// This shard, numbered from 1, and the number of shards, n: a shard runs every n-th case.
    pub shard: [u64; 2],
    /// Folder for journal, failures and summary; `None`: no files are written.
    pub folder: Option<PathBuf>,
    /// Resume the campaign in the folder.
    pub resume: bool,
    /// Resume the campaign even if other builds ran it; the journal then also records this build.
    pub mix: bool,
    /// Git revision of the sources of `drra`, if it is known.
    pub revision: Option<String>,
    /// Digest of the sources of `drra`; empty if unknown.
    pub program: String,
    /// True if the program knows a checkout of its version, whose chapters can be asked.
    pub checkout: bool,
    /// End each case at its first difference.
    pub first_only: bool,
    /// Limits of the reduction of a failing case.
    pub shrink: shrink::ReductionBounds,
    /// Limits of the variation of a reduced case.
    pub vary: shrink::VariationBounds,
    /// Known deviations. The list is not part of the campaign and is not in its journal.
    pub known: KnownDeviations,
}

impl Default for CampaignSettings {
    /// Profile `default`, seed 1, one worker, and no limit.
    fn default() -> Self {
        Self {
            profile: Profile::shipped("default").expect("shipped profile"),
            profile_file: None,
            seed: 1,
            cases: None,
            time: None,
            max_failures: None,
            jobs: 1,
            shard: [1, 1],
            folder: None,
            resume: false,
            mix: false,
            revision: None,
            program: String::new(),
            checkout: false,
            first_only: false,
            shrink: shrink::ReductionBounds::default(),
            vary: shrink::VariationBounds::default(),
            known: KnownDeviations::default(),
        }
    }
}
