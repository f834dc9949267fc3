// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a waveform, and what helps.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{Format, collect::Stop};

/// Why a waveform cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum WaveformError {
    /// The file cannot be opened or read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is nothing in the file.
    #[error(
        "`{}` is empty: the simulation wrote nothing, or did not end; run it again and let it end", path.display()
    )]
    Empty { path: PathBuf },
    /// A directory, a pipe, a device.
    #[error("`{}` is not a regular file: name the waveform that the simulator wrote", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// None of the formats.
    #[error(
        "`{}` is not a waveform: expected VCD, FST, GHW or `drra trace` output; decompress a compressed file \
         first, and convert other formats to VCD or FST", path.display()
    )]
    Format { path: PathBuf },
    /// The file breaks the rules of its format, or uses what cannot be read.
    #[error("`{}` cannot be read as {format}: {what}; {}", path.display(), remedy(*format))]
    Damaged {
        path: PathBuf,
        format: Format,
        /// What was found.
        what: String,
    },
    /// Time goes backwards.
    #[error(
        "in `{}` time goes back from {from} to {to}: the file is damaged, or two waveforms were concatenated; write it \
         again with one simulation", path.display()
    )]
    Backwards {
        path: PathBuf,
        /// The later time, which comes first.
        from: u64,
        /// The earlier time.
        to: u64,
    },
    /// A clock without an edge.
    #[error(
        "`{signal}` in `{}` is not a clock: {what}; name the signal that clocks the design", path.display()
    )]
    Clock {
        path: PathBuf,
        /// The signal that should be the clock.
        signal: String,
        /// What was found.
        what: String,
    },
}

impl WaveformError {
    /// Why reading stopped. What the reader says can repeat bytes of the file: it is kept short, on one line, and
    /// without control characters.
    pub(super) fn new(path: &Path, format: Format, stop: Stop) -> Self {
        const LONGEST: usize = 300;
        let path = path.to_owned();
        let what = match stop {
            Stop::Io(source) => return Self::Io { path, source },
            Stop::Backwards { from, to } => return Self::Backwards { path, from, to },
            Stop::Damaged(what) => what,
            // Only who plays a waveform has enough, and that is not an error.
            Stop::Enough => String::new(),
        };
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Self::Damaged { path, format, what: what.chars().map(plain).take(LONGEST).collect() }
    }
}

/// What helps if a file of this format cannot be read.
fn remedy(format: Format) -> &'static str {
    match format {
        Format::Vcd => "let the simulator write it again, and end regularly",
        Format::Fst => {
            "let the simulator write it again, and end regularly; or dump VCD, or convert with `fst2vcd`"
        }
        Format::Ghw => {
            "arrays of two dimensions are not supported in GHW: select signals with GHDL's \
             `--read-wave-opt=FILE`, or waveform with `--fst=FILE` instead; if it is damaged, let the simulator \
             write it again, and end regularly"
        }
        Format::Trace => "every line must be one of those that `drra trace` writes",
    }
}
