// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reader of waves panics on many damaged files. Its panics are made results here, and stay silent.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

/// Whose code runs on this thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// The reader's: a panic is a finding about the file.
    Reader,
    /// Any other: a panic is a fault of the program.
    Other,
}

thread_local! {
    static RUNS: Cell<Runs> = const { Cell::new(Runs::Other) };
}

/// Runs the reader.
///
/// # Errors
/// The message of its panic, if it panics.
pub(super) fn contained<T>(reader: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if RUNS.get() == Runs::Other {
                loud(info);
            }
        }));
    });
    let before = RUNS.replace(Runs::Reader);
    let result = panic::catch_unwind(AssertUnwindSafe(reader));
    let during = RUNS.replace(before);
    result.map_err(|payload| match during {
        Runs::Reader => message(&*payload),
        Runs::Other => panic::resume_unwind(payload),
    })
}

/// Runs what is no part of the reader, from within it.
pub(super) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let before = RUNS.replace(Runs::Other);
    let result = work();
    RUNS.set(before);
    result
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    // The first line says enough; more of it may be a dump of the reader's data.
    let line = text.and_then(|text| text.lines().next()).unwrap_or("unknown");
    let short: String = line.chars().take(160).collect();
    format!("the reader gave up ({short})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_of_the_reader_are_results() {
        assert_eq!(contained(|| 5), Ok(5));
        let failed: Result<(), _> = contained(|| panic!("seven {}\nmore", 7));
        assert_eq!(failed, Err("the reader gave up (seven 7)".to_owned()));
        assert!(RUNS.get() == Runs::Other);
    }

    #[test]
    fn other_panics_go_on() {
        let outer = panic::catch_unwind(|| contained(|| outside(|| panic!("a fault"))));
        assert_eq!(outer.unwrap_err().downcast_ref::<&str>(), Some(&"a fault"));
        assert!(RUNS.get() == Runs::Other);
    }
}
