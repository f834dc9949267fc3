// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lengths of time as a person writes them.

use std::{str::FromStr, time::Duration};

/// Longest time that is taken: one year of 365 days.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A length of time: `30s`, `5m`, `2h`, or seconds without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(Duration);

impl From<Time> for Duration {
    fn from(time: Time) -> Self {
        time.0
    }
}

impl Time {
    /// Reads a time that is not 0.
    ///
    /// # Errors
    /// If it is none, or 0.
    pub(super) fn more_than_nothing(text: &str) -> Result<Self, &'static str> {
        match text.parse()? {
            Self(Duration::ZERO) => Err("write more than 0 s"),
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
            Ok(_) | Err(humantime::DurationError::NumberOverflow) => {
                Err("that is more than a year")
            }
            Err(humantime::DurationError::UnknownUnit { .. }) => {
                Err("write seconds, minutes or hours, such as 30s, 5m, 2h")
            }
            Err(_) => Err("write a whole number, such as 30s"),
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
            ("5x", "write seconds, minutes or hours, such as 30s, 5m, 2h"),
            ("", "write a whole number, such as 30s"),
            ("s", "write a whole number, such as 30s"),
            ("-5s", "write a whole number, such as 30s"),
            ("31536001", "that is more than a year"),
            ("99999999999999999999h", "that is more than a year"),
            ("9999999999999999999h", "that is more than a year"),
        ] {
            assert_eq!(text.parse::<Time>(), Err(error), "{text}");
        }
    }
}
