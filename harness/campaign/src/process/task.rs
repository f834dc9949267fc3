// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a campaign and its worker processes say to each other.

use drra_generate::Profile;
use serde::{Deserialize, Serialize};

use crate::{
    error::Trouble,
    exam::{Ending, Examined, Wanted},
    sums::Record,
};

/// What a worker is asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// The cases that follow are those of a campaign, directed at these bins.
    Campaign { profile: Box<Profile>, seed: u64, bins: Vec<u32> },
    /// A case of the campaign.
    Case { number: u64 },
    /// A case of its own.
    Exam { case: String, cycles: Option<u64>, report: Option<Box<Wanted>>, how: How },
}

impl Task {
    /// The same task, done in another way.
    pub(super) fn done(&self, now: How) -> Self {
        let mut task = self.clone();
        if let Self::Exam { how, .. } = &mut task {
            *how = now;
        }
        task
    }

    /// True if nothing is known of the case.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::Exam { how, .. } => *how == How::default(),
            Self::Campaign { .. } | Self::Case { .. } => true,
        }
    }
}

/// How a case is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct How {
    /// Every cycle from this one on is told before its edge.
    pub(super) telling: Option<u64>,
    /// Where the design is known to end.
    pub(super) ending: Option<Ending>,
}

/// What a worker says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// It lives: a number that changes if something moves, and the cycle in which a run is.
    Beat { beats: u64, cycle: u64 },
    /// The edge that ends a cycle comes next.
    Cycle(u64),
    /// A case of the campaign is finished.
    Finished(Box<Record>),
    /// A case was looked at.
    Examined(Box<Examined>),
    /// The work cannot be done.
    Failed(Trouble),
}
