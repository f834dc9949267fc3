// SPDX-License-Identifier: MIT OR Apache-2.0
//! Panics become errors, and print nothing.

use std::{
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    /// True while this thread is inside the library.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The last panic inside the library.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a function of the interface.
///
/// # Errors
/// The place and the message of a panic.
pub(crate) fn silent<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                // A thread that ends may have given up its variables.
                let _ = PANIC.try_with(|last| last.replace(info.to_string().replace('\n', " ")));
            } else {
                other(info);
            }
        }));
    });
    INSIDE.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(false);
    result.map_err(|_| PANIC.take())
}
