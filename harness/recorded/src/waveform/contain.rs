// SPDX-License-Identifier: MIT OR Apache-2.0
//! The waveform library panics on many damaged files, and prints notes on the signals of a file to standard output.
//! This module turns these panics into errors and suppresses their output, and keeps standard output free of the notes.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};
#[cfg(unix)]
use std::{
    io::{self, Write},
    os::fd::{AsFd, OwnedFd},
    sync::{Mutex, PoisonError},
};

thread_local! {
    /// True while library code runs on this thread: a panic is then caused by the file rather than by a bug in this
    /// program.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Runs the reader.
///
/// # Errors
/// Returns the reader's own error, or the message of its panic.
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

/// Runs the part of the reader that finds the signals, whose notes go to standard error. It must end before the caller
/// prints a result: values are still read while a result is printed, so their reader does not belong here.
pub(super) fn quiet<T>(reader: impl FnOnce() -> T) -> T {
    let _quiet = StdoutGuard::new();
    reader()
}

/// While it lives, what is printed to standard output goes to standard error.
struct StdoutGuard;

/// The number of guards that exist, and the standard output that the last of them restores. Standard output belongs to
/// the whole process.
#[cfg(unix)]
static QUIET: Mutex<(usize, Option<OwnedFd>)> = Mutex::new((0, None));

#[cfg(unix)]
impl StdoutGuard {
    fn new() -> Self {
        let (number, own) = &mut *QUIET.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        if *number == 1 {
            let _ = io::stdout().flush();
            *own = io::stdout().as_fd().try_clone_to_owned().ok();
            if own.is_some() {
                let _ = rustix::stdio::dup2_stdout(io::stderr());
            }
        }
        Self
    }
}

#[cfg(unix)]
impl Drop for StdoutGuard {
    fn drop(&mut self) {
        let (number, own) = &mut *QUIET.lock().unwrap_or_else(PoisonError::into_inner);
        *number -= 1;
        if *number == 0
            && let Some(own) = own.take()
        {
            let _ = io::stdout().flush();
            let _ = rustix::stdio::dup2_stdout(own);
        }
    }
}

#[cfg(not(unix))]
impl StdoutGuard {
    fn new() -> Self {
        Self
    }
}

/// Runs code that is called from within the reader but is not part of it.
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
    // The first line is sufficient; further lines may print the reader's data.
    let line = text.and_then(|text| text.lines().next()).unwrap_or("unknown");
    let short: String = line.chars().take(160).collect();
    format!("the waveform reader failed ({short})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_of_the_reader_are_results() {
        assert_eq!(contained(|| Ok::<_, String>(5)), Ok(5));
        let failed: Result<(), String> = contained(|| panic!("seven {}\nmore", 7));
        assert_eq!(failed.unwrap_err(), "the waveform reader failed (seven 7)");
        assert!(!READING.get());
    }

    /// While values are read, a result may be printed.
    #[cfg(unix)]
    #[test]
    fn standard_output_is_redirected_only_while_signals_are_found() {
        let redirections = || QUIET.lock().unwrap().0;
        assert_eq!(contained(|| Ok::<_, String>(redirections())), Ok(0));
        assert_eq!((quiet(redirections), redirections()), (1, 0));
    }

    #[test]
    fn other_panics_go_on() {
        let fault = || contained(|| outside(|| -> Result<(), String> { panic!("a fault") }));
        let outer = panic::catch_unwind(fault);
        assert_eq!(outer.unwrap_err().downcast_ref::<&str>(), Some(&"a fault"));
        assert!(!READING.get());
    }
}
