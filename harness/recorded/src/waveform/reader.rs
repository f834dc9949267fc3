// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a waveform as its reader takes it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek},
    path::Path,
};

use super::collect::StopReason;

/// The input type of the waveform library, the same for all formats so that the library is compiled only once.
pub(super) trait WaveformInput: BufRead + Seek + Send + Sync {}

impl<T: BufRead + Seek + Send + Sync> WaveformInput for T {}

pub(super) type WaveformReader = Box<dyn WaveformInput>;

/// The byte order mark of UTF-8.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens a file, and skips a byte order mark.
pub(super) fn start_of(path: &Path) -> Result<BufReader<File>, StopReason> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    skip_mark(&mut file)?;
    Ok(file)
}

/// Skips a byte order mark at the beginning of a file.
pub(super) fn skip_mark(file: &mut impl BufRead) -> io::Result<()> {
    if file.fill_buf()?.starts_with(MARK) {
        file.consume(MARK.len());
    }
    Ok(())
}
