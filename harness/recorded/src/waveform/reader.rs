// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a waveform as its reader takes it.

use std::io::{self, BufRead, Seek};

/// The input type of the waveform library, the same for all formats so that the library is compiled only once.
pub(super) trait WaveformInput: BufRead + Seek {}

impl<T: BufRead + Seek> WaveformInput for T {}

pub(super) type WaveformReader<'a> = Box<dyn WaveformInput + 'a>;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Skips a byte order mark at the beginning of a file.
pub(super) fn skip_mark<R: BufRead>(mut file: R) -> io::Result<R> {
    while file.fill_buf().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {}
    if file.fill_buf()?.starts_with(MARK) {
        file.consume(MARK.len());
    }
    Ok(file)
}
