// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reader of waves panics on many damaged files. Its panics are made results here, and stay silent.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    /// Code of the reader runs on this thread: a panic is a finding about the file, not a fault of the program.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Runs the reader.
///
/// # Errors
/// Its own, and the message of its panic.
pub(super) fn contained<T, E: From<String>>(reader: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !READING.get() {
                loud(info);
            }
        }));
    });
    READING.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(reader));
    if READING.replace(false) {
        result.unwrap_or_else(|payload| Err(message(&*payload).into()))
    } else {
        result.unwrap_or_else(|payload| panic::resume_unwind(payload))
    }
}

/// Runs what is not part of the reader, from within it.
pub(super) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let before = READING.replace(false);
    let result = work();
    READING.set(before);
    result
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    // The first line says enough; more of it may print the reader's data.
    let line = text.and_then(|text| text.lines().next()).unwrap_or("unknown");
    let short: String = line.chars().take(160).collect();
    format!("the reader gave up ({short})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_of_the_reader_are_results() {
        assert_eq!(contained(|| Ok::<_, String>(5)), Ok(5));
        let failed: Result<(), String> = contained(|| panic!("seven {}\nmore", 7));
        assert_eq!(failed.unwrap_err(), "the reader gave up (seven 7)");
        assert!(!READING.get());
    }

    #[test]
    fn other_panics_go_on() {
        let fault = || contained(|| outside(|| -> Result<(), String> { panic!("a fault") }));
        let outer = panic::catch_unwind(fault);
        assert_eq!(outer.unwrap_err().downcast_ref::<&str>(), Some(&"a fault"));
        assert!(!READING.get());
    }
}
