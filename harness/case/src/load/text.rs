// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text files.

use std::{fs, path::Path};

use crate::{CaseError, ReadError};

/// Maximum size of a file, in MiB.
const MAX_MIB: u64 = 256;

/// Maximum size of a file, in bytes.
const MAX_BYTES: u64 = MAX_MIB << 20;

/// Reads a text file; the result does not include a byte order mark.
///
/// # Errors
/// If the file does not exist, is a folder or unreadable, is larger than 256 MiB, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, CaseError> {
    read_text(path).map_err(|error| CaseError::Read { file: path.to_owned(), error })
}

/// Reads a text file for a caller that adds the file name to errors.
///
/// # Errors
/// As for [`read`].
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if metadata.len() > MAX_BYTES {
        return Err(ReadError::TooLarge(MAX_MIB));
    }
    let bytes = fs::read(path)?;
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes[..] {
        return Err(ReadError::Utf16);
    }
    let mut text =
        String::from_utf8(bytes).map_err(|e| ReadError::NotText(e.utf8_error().valid_up_to()))?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}
