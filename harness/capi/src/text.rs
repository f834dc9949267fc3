// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the interface: text and arrays behind pointers of a caller who may be wrong. The functions rely on the
//! promises of the header: a pointer is null, or refers to as much memory as stated.

use std::{
    ffi::{CString, c_char, c_int},
    fmt::Display,
    slice,
};

use crate::{DRRA_BAD_INPUT, DRRA_MAX_TEXT, DRRA_TOOL_FAILURE};

/// The reason a function fails, with the status that it returns.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) status: c_int,
    pub(crate) text: String,
}

/// A mistake of the caller or in a file.
pub(crate) fn bad(text: impl Display) -> Failure {
    Failure { status: DRRA_BAD_INPUT, text: text.to_string() }
}

/// A failure of the library or of the system.
pub(crate) fn tool(text: impl Display) -> Failure {
    Failure { status: DRRA_TOOL_FAILURE, text: text.to_string() }
}

/// Text for the caller. Zero bytes, which would end it early, become blanks.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

fn null(what: &str) -> Failure {
    bad(format!("{what} is NULL or empty"))
}

/// An argument that is text. `what` names it in errors.
pub(crate) unsafe fn required<'a>(at: *const c_char, what: &str) -> Result<&'a str, Failure> {
    optional(at, what)?.ok_or_else(|| null(what))
}

/// Like [`required`], but the argument may be null or empty.
pub(crate) unsafe fn optional<'a>(
    at: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Failure> {
    if at.is_null() {
        return Ok(None);
    }
    let at = at.cast::<u8>();
    let length = (0..DRRA_MAX_TEXT).find(|n| *at.add(*n) == 0);
    let length =
        length.ok_or_else(|| bad(format!("{what} has no end in {DRRA_MAX_TEXT} bytes")))?;
    let text = std::str::from_utf8(slice::from_raw_parts(at, length));
    let text = text.map_err(|e| bad(format!("{what} is not UTF-8: {e}")))?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// An array of `needed` elements to be read.
pub(crate) unsafe fn array<'a, T>(at: *const T, needed: usize) -> Result<&'a [T], Failure> {
    if at.is_null() { Err(null("the array")) } else { Ok(slice::from_raw_parts(at, needed)) }
}

/// Writes the words of a value, low word first; further elements of the array stay as they are.
pub(crate) unsafe fn write_words(
    at: *mut u64,
    count: usize,
    value: &[u64],
    width: u32,
) -> Result<(), Failure> {
    let needed = width.div_ceil(64) as usize;
    if count < needed {
        return Err(bad(format!("{width} bits need {needed} words, but the array has {count}")));
    }
    (0..needed).try_for_each(|n| store(at.wrapping_add(n), value[n], "the array"))
}

/// Stores a result for the caller.
pub(crate) unsafe fn store<T>(at: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if at.is_null() {
        return Err(null(what));
    }
    at.write(value);
    Ok(())
}
