// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a waveform as its reader takes it.

use std::{
    fs::File,
    io::{BufRead, BufReader, Seek},
    path::Path,
};

use super::collect::StopReason;

/// The input type of the waveform library, the same for all formats so that the library is compiled only once.
pub(super) trait WaveformInput: BufRead + Seek + Send + Sync {}

impl<T: BufRead + Seek + Send + Sync> WaveformInput for T {}

pub(super) type WaveformReader = Box<dyn WaveformInput>;

pub(super) fn start_of(path: &Path) -> Result<BufReader<File>, StopReason> {
    Ok(BufReader::with_capacity(1 << 16, File::open(path)?))
}
