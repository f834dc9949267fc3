// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of waveforms, with remedies.

use std::{fmt::Display, io, path::Path};

use super::{collect::StopReason, shown::WaveformFormat};

/// The remedy for a file that ends too early or contradicts itself.
pub(super) const RERUN: &str = "run the simulation again to the end";

/// The reason the contents of a file cannot be read.
#[derive(Clone, Debug)]
pub(super) struct Damage {
    pub(super) what: String,
    /// `None` if the remedy depends only on the format.
    remedy: Option<&'static str>,
}

impl Damage {
    pub(super) fn new(what: String, remedy: &'static str) -> Self {
        Self { what, remedy: Some(remedy) }
    }

    pub(super) fn backwards(from: u64, to: u64) -> Self {
        let what =
            format!("time goes back from {from} to {to}; perhaps two files were concatenated");
        Self::new(what, "give each run of the simulation as a file of its own")
    }
}

impl From<String> for Damage {
    fn from(what: String) -> Self {
        Self { what, remedy: None }
    }
}

/// The reason a waveform cannot be read, or cannot be read to its end.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WaveformError(String);

impl WaveformError {
    /// A problem with the file as a whole, and a remedy.
    pub(crate) fn new(path: &Path, what: impl Display) -> Self {
        Self(format!("`{}` {what}", path.display()))
    }

    pub(super) fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::new(path, format_args!("cannot be read: {error}"))
    }

    /// The reason reading stopped. The reader's message may quote bytes of the file, so it is shortened to one line
    /// without control characters.
    pub(super) fn stopped(path: &Path, format: WaveformFormat, stop: StopReason) -> Self {
        const MAX_LENGTH: usize = 300;
        let Damage { what, remedy } = match stop {
            StopReason::Io(e) => return Self::unreadable(path, e),
            StopReason::Damaged(damage) => damage,
            // Reading stops early only at the request of the caller, so this is not an error.
            StopReason::Enough => String::new().into(),
        };
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let what: String = what.chars().map(plain).take(MAX_LENGTH).collect();
        let remedy = remedy.unwrap_or(match format {
            WaveformFormat::Vcd => "correct this place of the file, or write FST instead",
            WaveformFormat::Fst => "write VCD instead, or convert with `fst2vcd`",
            WaveformFormat::Ghw => RERUN,
            WaveformFormat::Trace => "give a file that `drra trace` wrote",
        });
        Self::new(path, format_args!("cannot be read as {format}: {what}; {remedy}"))
    }
}
