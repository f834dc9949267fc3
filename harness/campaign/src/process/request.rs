// SPDX-License-Identifier: MIT OR Apache-2.0
//! The messages between a campaign and its worker processes.

use std::time::Duration;

use drra_generate::Profile;
use serde::{Deserialize, Serialize};

use crate::{
    case_run::{CaseResult, CrashPoint, ReportRequest},
    sums::CaseRecord,
};

/// A message to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum WorkerRequest {
    /// The cases that follow belong to this campaign; these are the bins that its first cases hit, one bit for each bin.
    Campaign { profile: Box<Profile>, seed: u64, hits: Vec<u8> },
    /// Run a case of the campaign; unless `first_only`, it goes on behind its first difference.
    Case { number: u64, first_only: bool },
    /// Run a single case.
    RunCase {
        case: String,
        cycles: Option<u64>,
        report: Option<Box<ReportRequest>>,
        behind: Option<String>,
        mode: RunMode,
    },
}

impl WorkerRequest {
    /// The same request in another mode.
    pub(super) fn with_mode(&self, new: RunMode) -> Self {
        let mut request = self.clone();
        if let Self::RunCase { mode, .. } = &mut request {
            *mode = new;
        }
        request
    }

    /// True unless the request is to run a case in a special mode, as after a crash.
    pub(super) fn is_first_run(&self) -> bool {
        match self {
            Self::RunCase { mode, .. } => *mode == RunMode::default(),
            Self::Campaign { .. } | Self::Case { .. } => true,
        }
    }
}

/// The way to run a case after a crash, or a candidate that may crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunMode {
    /// Report every cycle, starting with this cycle, before its clock edge.
    pub(super) cycles_from: Option<u64>,
    /// Stop just before this point.
    pub(super) crash: Option<CrashPoint>,
}

/// A message from a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum WorkerAnswer {
    /// Sent periodically: a counter that changes if the run makes progress, the cycle of the run, and the CPU time of
    /// the worker, where the system reports it.
    Heartbeat { count: u64, cycle: u64, cpu: Option<Duration> },
    /// The clock edge that ends this cycle comes next.
    Cycle(u64),
    /// The names of unknown state that the design has shown during this request; another answer follows.
    UnknownState(Vec<String>),
    /// A case of the campaign has finished.
    Finished(Box<CaseRecord>),
    /// A single case has been run.
    CaseResult(Box<CaseResult>),
    /// The request cannot be carried out, for this reason.
    Failed(String),
}
