// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of waveforms, with remedies.

use std::{fmt::Display, path::Path};

use super::{collect::StopReason, shown::WaveformFormat};

/// The reason a waveform cannot be read, or cannot be read to its end.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WaveformError(String);

impl WaveformError {
    /// A problem with the file as a whole, and a remedy.
    pub(crate) fn new(path: &Path, what: impl Display) -> Self {
        Self(format!("`{}` {what}", path.display()))
    }

    /// The reason reading stopped. The reader's message may quote bytes of the file, so it is shortened to one line
    /// without control characters.
    pub(super) fn stopped(path: &Path, format: WaveformFormat, stop: StopReason) -> Self {
        const MAX_LENGTH: usize = 300;
        let what = match stop {
            StopReason::Io(e) => return Self::new(path, format_args!("cannot be read: {e}")),
            StopReason::Damaged(what) => what,
            // Reading stops early only at the request of the caller, so this is not an error.
            StopReason::Enough => String::new(),
        };
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let what: String = what.chars().map(plain).take(MAX_LENGTH).collect();
        let remedy = match format {
            WaveformFormat::Vcd => "run the simulation again to the end",
            WaveformFormat::Fst => {
                "run the simulation again to the end, write VCD, or convert with `fst2vcd`"
            }
            WaveformFormat::Ghw => {
                "arrays of two dimensions are not supported in GHW: select signals with `--read-wave-opt=FILE` of \
                 GHDL, or write `--fst=FILE` instead; if the file is damaged, run the simulation again to the end"
            }
            WaveformFormat::Trace => "give a file that `drra trace` wrote",
        };
        Self::new(path, format_args!("cannot be read as {format}: {what}; {remedy}"))
    }
}
