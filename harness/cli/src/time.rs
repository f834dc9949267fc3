// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lengths of time as a person writes them.

use std::{str::FromStr, time::Duration};

/// Longest time that is taken: one year of 365 days.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A length of time: `30s`, `5m`, `2h`, or seconds without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(Duration);

/// Why a text is no length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TimeError {
    /// The number is followed by something else than a unit of time.
    #[error("write seconds, minutes or hours, such as 30s, 5m, 2h")]
    Unit,
    /// There is no number before the unit.
    #[error("write a whole number, such as 30s")]
    Number,
    /// No time at all, where some is needed.
    #[error("write more than 0 s")]
    Nothing,
    /// More than [`LONGEST`].
    #[error("that is more than a year")]
    TooLong,
}

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
    pub(super) fn more_than_nothing(text: &str) -> Result<Self, TimeError> {
        match text.parse()? {
            Self(Duration::ZERO) => Err(TimeError::Nothing),
            time => Ok(time),
        }
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let seconds = text.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{text}s"));
        let time = humantime::parse_duration(seconds.as_deref().unwrap_or(text));
        match time {
            Ok(time) if time <= LONGEST => Ok(Self(time)),
            Ok(_) | Err(humantime::DurationError::NumberOverflow) => Err(TimeError::TooLong),
            Err(humantime::DurationError::UnknownUnit { .. }) => Err(TimeError::Unit),
            Err(_) => Err(TimeError::Number),
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
            ("5x", TimeError::Unit),
            ("", TimeError::Number),
            ("s", TimeError::Number),
            ("-5s", TimeError::Number),
            ("31536001", TimeError::TooLong),
            ("99999999999999999999h", TimeError::TooLong),
            ("9999999999999999999h", TimeError::TooLong),
        ] {
            assert_eq!(text.parse::<Time>(), Err(error), "{text}");
        }
    }
}
