// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes the cases of a campaign, and how long it runs.

use std::{path::PathBuf, time::Duration};

use drra_generate::Profile;

use crate::shrink;

/// Settings of a campaign.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Profile of the generator.
    pub profile: Profile,
    /// Seed of the campaign.
    pub seed: u64,
    /// Cases of the whole campaign; `None`: as many as the time allows.
    pub cases: Option<u64>,
    /// Time after which no case is started; `None`: until all cases are done.
    pub time: Option<Duration>,
    /// Number of workers, that is, of cases that are run at the same time.
    pub jobs: usize,
    /// This shard and the number of shards, counted from 1: it runs every n-th case.
    pub shard: [u64; 2],
    /// Folder for journal, failures and summary.
    pub folder: Option<PathBuf>,
    /// Continue the journal in the folder.
    pub resume: bool,
    /// Results of another build may be in the journal, too: they are marked.
    pub mix: bool,
    /// Git revision of the program, if it is known.
    pub revision: Option<String>,
    /// Digest of the sources of the program; empty if it is not known.
    pub program: String,
    /// Bounds of the reduction of a failing case.
    pub shrink: shrink::Bounds,
}

impl Default for Settings {
    /// Cases of the profile `default` with seed 1, until it is stopped, by one worker.
    fn default() -> Self {
        Self {
            profile: Profile::shipped("default").expect("shipped profile"),
            seed: 1,
            cases: None,
            time: None,
            jobs: 1,
            shard: [1, 1],
            folder: None,
            resume: false,
            mix: false,
            revision: None,
            program: String::new(),
            shrink: shrink::Bounds::default(),
        }
    }
}
