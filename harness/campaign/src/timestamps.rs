// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timestamps: lines of the journal that record when the parts of a campaign started and ended.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A timestamp in a journal: UTC, in the form of RFC 3339, to the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timestamp {
    /// A process started or resumed the campaign.
    Started(String),
    /// The process ended; if it was killed, the time of its last write to the journal.
    Ended {
        at: String,
        /// Final number of cases by shard, with shards numbered from 0; empty if a signal or an error ended the
        /// campaign early.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        until: Vec<[u64; 2]>,
    },
}

/// The times at which a campaign first started and last ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// Empty if unknown.
    pub started: String,
    /// Empty if unknown.
    pub ended: String,
}

impl TimeRange {
    /// Extends the range to include a timestamp.
    pub fn add(&mut self, timestamp: &Timestamp) {
        // Texts in this form sort by time.
        match timestamp {
            Timestamp::Started(at) => {
                if self.started.is_empty() || *at < self.started {
                    self.started.clone_from(at);
                }
            }
            Timestamp::Ended { at, .. } => {
                if *at > self.ended {
                    self.ended.clone_from(at);
                }
            }
        }
    }

    /// Extends the range to include another range.
    pub fn join(&mut self, other: Self) {
        if !other.started.is_empty() {
            self.add(&Timestamp::Started(other.started));
        }
        self.add(&Timestamp::Ended { at: other.ended, until: Vec::new() });
    }
}

/// The total duration of all parts, in the order of the journal. If the last part has no end, it is still running or
/// was killed, and is counted until `written`, the time of the last write to the journal.
pub(crate) fn duration(timestamps: &[Timestamp], written: SystemTime) -> Duration {
    let mut total = Duration::ZERO;
    let mut since = None;
    for timestamp in timestamps {
        match timestamp {
            Timestamp::Started(at) => since = humantime::parse_rfc3339(at).ok(),
            Timestamp::Ended { at, .. } => {
                let ended = humantime::parse_rfc3339(at).ok();
                total += between(since.take(), ended);
            }
        }
    }
    total + between(since, Some(written))
}

/// The duration between two times; zero if one of them is unknown, or if they are in reverse order.
fn between(from: Option<SystemTime>, to: Option<SystemTime>) -> Duration {
    from.zip(to).and_then(|(from, to)| to.duration_since(from).ok()).unwrap_or_default()
}

/// The current time as text.
pub fn now() -> String {
    text(SystemTime::now())
}

/// A time as text. Because the clock may be wrong, the time is clamped to the years 1970 to 9999, which fit the format.
pub fn text(at: SystemTime) -> String {
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_seconds(at.clamp(UNIX_EPOCH, last)).to_string()
}
