// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sign of life of this process: a watchdog sees that no clock cycle comes to its end, and a person how far a long
//! run has come.

use std::sync::atomic::{AtomicU64, Ordering};

static BEATS: AtomicU64 = AtomicU64::new(0);
static CYCLE: AtomicU64 = AtomicU64::new(0);

/// What the runs of this process have done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pulse {
    /// Changes with every cycle of every run; where several threads run cases, it counts fewer than there are.
    pub beats: u64,
    /// Cycle in which a run was last.
    pub cycle: u64,
}

/// The pulse of this process.
pub fn pulse() -> Pulse {
    Pulse { beats: BEATS.load(Ordering::Relaxed), cycle: CYCLE.load(Ordering::Relaxed) }
}

/// A run enters a cycle.
#[inline]
pub(crate) fn beat(cycle: u64) {
    // Nobody counts the beats, so an addition that is lost costs nothing, and one that is not atomic costs less.
    BEATS.store(BEATS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    CYCLE.store(cycle, Ordering::Relaxed);
}
