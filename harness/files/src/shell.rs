// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of commands that are printed or stored, quoted so that the commands can be pasted into a POSIX shell.

use std::path::Path;

use crate::from_here;

/// A text as one word, quoted if necessary.
pub fn word(text: &str) -> String {
    // Only NUL cannot be quoted, and neither arguments nor paths contain it.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}

/// A file or folder as one word, relative to the working folder if it is inside that folder. The word is not an option,
/// even if the name begins with a hyphen.
pub fn path(path: &Path) -> String {
    match &*from_here(path).to_string() {
        "" => ".".to_owned(),
        text if text.starts_with('-') => word(&format!("./{text}")),
        text => word(text),
    }
}
