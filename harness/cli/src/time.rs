// SPDX-License-Identifier: MIT OR Apache-2.0
//! Durations on the command line.

use std::time::Duration;

/// The maximum: one year of 365 days.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Parses a duration: `30s`, `5m`, `2h`, or seconds without a unit.
///
/// # Errors
/// If it is invalid or too long.
pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{text}s"));
    match humantime::parse_duration(seconds.as_deref().unwrap_or(text)) {
        Ok(time) if time <= LONGEST => Ok(time),
        Ok(_) | Err(humantime::DurationError::NumberOverflow) => Err("the maximum is 365 days"),
        Err(humantime::DurationError::UnknownUnit { .. }) => {
            Err("give seconds, minutes or hours, such as 30s, 5m or 2h")
        }
        Err(_) => Err("give a whole number, such as 30s"),
    }
}

/// Like [`time`], but not for 0.
pub(super) fn positive(text: &str) -> Result<Duration, &'static str> {
    let time = time(text)?;
    if time.is_zero() { Err("give more than 0 s") } else { Ok(time) }
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
            assert_eq!(time(text), Ok(Duration::from_secs(seconds)), "{text}");
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
            assert_eq!(time(text), Err(error), "{text}");
        }
    }
}
