// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the parts of a campaign began and ended: lines of the journal beside those of the cases.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A line of a journal; the time is UTC in the form of RFC 3339, to the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// A process began to run the campaign, or went on with it.
    Started(String),
    /// It ended, with its summary.
    Ended {
        /// When.
        at: String,
        /// How many cases the shards had then, by shard counted from 0: nothing lacks behind them. Empty if a signal
        /// or an error ended it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        until: Vec<[u64; 2]>,
    },
}

/// When a campaign began, and when it ended last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first beginning; empty if unknown.
    pub started: String,
    /// Its last end; empty if unknown.
    pub ended: String,
}

impl Span {
    /// Widens the span by a moment.
    pub fn add(&mut self, moment: &Moment) {
        // Times of this form are in the order of their texts.
        match moment {
            Moment::Started(at) => {
                if self.started.is_empty() || *at < self.started {
                    self.started.clone_from(at);
                }
            }
            Moment::Ended { at, .. } => {
                if *at > self.ended {
                    self.ended.clone_from(at);
                }
            }
        }
    }

    /// Widens the span by another.
    pub fn join(&mut self, other: Self) {
        if !other.started.is_empty() {
            self.add(&Moment::Started(other.started));
        }
        self.add(&Moment::Ended { at: other.ended, until: Vec::new() });
    }
}

/// The time between beginnings and ends, in the order of the journal. A last part without an end runs, or was killed:
/// it ran until the journal was written.
pub(crate) fn spent(moments: &[Moment], written: SystemTime) -> Duration {
    let mut spent = Duration::ZERO;
    let mut since = None;
    for moment in moments {
        match moment {
            Moment::Started(at) => since = humantime::parse_rfc3339(at).ok(),
            Moment::Ended { at, .. } => {
                let ended = humantime::parse_rfc3339(at).ok();
                spent += between(since.take(), ended);
            }
        }
    }
    spent + between(since, Some(written))
}

/// The time between two moments; none if one of them is not known.
fn between(from: Option<SystemTime>, to: Option<SystemTime>) -> Duration {
    from.zip(to).and_then(|(from, to)| to.duration_since(from).ok()).unwrap_or_default()
}

/// This moment, as a text.
pub fn now() -> String {
    text(SystemTime::now())
}

/// A moment as a text. A clock may be wrong, but the form has room for the years from 1970 to 9999.
pub fn text(at: SystemTime) -> String {
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_seconds(at.clamp(UNIX_EPOCH, last)).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{Moment, Span, spent, text};

    /// Parts that ended, and one that was killed.
    #[test]
    fn the_time_of_all_parts_counts() {
        let at = |second: u64| UNIX_EPOCH + Duration::from_secs(second);
        let started = |second| Moment::Started(text(at(second)));
        let ended = |second| Moment::Ended { at: text(at(second)), until: Vec::new() };
        let parts = [started(10), ended(15), started(100), ended(107), started(200)];
        assert_eq!(spent(&parts, at(203)), Duration::from_secs(15));
        assert_eq!(spent(&parts[..4], at(300)), Duration::from_secs(12));
        assert_eq!(spent(&[], at(300)), Duration::ZERO);
    }

    #[test]
    fn a_wrong_clock_has_a_time() {
        let hour = Duration::from_secs(3600);
        assert_eq!(text(UNIX_EPOCH - hour), "1970-01-01T00:00:00Z");
        assert_eq!(text(UNIX_EPOCH + 100_000_000 * hour), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn a_span_is_as_wide_as_its_parts() {
        let mut span = Span::default();
        for (hour, end) in [(3, 4), (1, 2)] {
            let mut other = Span::default();
            other.add(&Moment::Started(format!("2026-01-01T0{hour}:00:00Z")));
            let at = format!("2026-01-01T0{end}:00:00Z");
            other.add(&Moment::Ended { at, until: Vec::new() });
            span.join(other);
        }
        span.join(Span::default());
        assert_eq!(span.started, "2026-01-01T01:00:00Z");
        assert_eq!(span.ended, "2026-01-01T04:00:00Z");
    }
}
