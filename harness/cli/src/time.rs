// SPDX-License-Identifier: MIT OR Apache-2.0
//! Durations on the command line.

use std::{str::FromStr, time::Duration};

/// The maximum: one year of 365 days.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A duration: `30s`, `5m`, `2h`, or seconds without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(Duration);

impl From<Time> for Duration {
    fn from(time: Time) -> Self {
        time.0
    }
}

impl Time {
    /// Parses a duration that is not 0.
    ///
    /// # Errors
    /// If it is invalid or 0.
    pub(super) fn positive(text: &str) -> Result<Self, &'static str> {
        match text.parse()? {
            Self(Duration::ZERO) => Err("give more than 0 s"),
            time => Ok(time),
        }
    }
}

impl FromStr for Time {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let seconds = text.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{text}s"));
        let time = humantime::parse_duration(seconds.as_deref().unwrap_or(text));
        match time {
            Ok(time) if time <= LONGEST => Ok(Self(time)),
            Ok(_) | Err(humantime::DurationError::NumberOverflow) => Err("the maximum is 365 days"),
            Err(humantime::DurationError::UnknownUnit { .. }) => {
                Err("give seconds, minutes or hours, such as 30s, 5m or 2h")
            }
            Err(_) => Err("give a whole number, such as 30s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read() {
        for (text, seconds) in [
            ("30s", 30),
            ("5m", 300),
            ("2h", 7200),
            ("45", 45),
            ("0", 0),
            ("1h 30m", 5400),
            ("365d", 31_536_000),
        ] {
            assert_eq!(text.parse(), Ok(Time(Duration::from_secs(seconds))), "{text}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (text, error) in [
            ("5x", "give seconds, minutes or hours, such as 30s, 5m or 2h"),
            ("", "give a whole number, such as 30s"),
            ("s", "give a whole number, such as 30s"),
            ("-5s", "give a whole number, such as 30s"),
            ("31536001", "the maximum is 365 days"),
            ("99999999999999999999h", "the maximum is 365 days"),
            ("9999999999999999999h", "the maximum is 365 days"),
        ] {
            assert_eq!(text.parse::<Time>(), Err(error), "{text}");
        }
    }
}
