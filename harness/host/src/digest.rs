// SPDX-License-Identifier: MIT OR Apache-2.0
//! Digest of named files: equal for equal files, wherever their folder is.

use std::fmt::Write;

use sha2::{Digest as _, Sha256};

/// The digest of parts in the order of their names, as 16 hexadecimal digits.
pub fn digest(mut parts: Vec<(String, Vec<u8>)>) -> String {
    parts.sort();
    let mut hash = Sha256::new();
    for (name, bytes) in parts {
        // Lengths prevent the end of one part from being mistaken for the beginning of the next part.
        for field in [name.as_bytes(), &bytes] {
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field);
        }
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
