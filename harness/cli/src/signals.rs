// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals of the operating system.

/// Calls a handler for Ctrl-C, SIGTERM and SIGHUP, except for signals that are ignored when the program starts: `nohup`
/// ignores SIGHUP, and a shell without job control ignores Ctrl-C for programs in the background.
pub(crate) fn on_end(handler: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    #[cfg(unix)]
    let ignored = unix::ENDING.map(|signal| unix::set_ignored(signal, true));
    let result = ctrlc::set_handler(handler);
    #[cfg(unix)]
    for (signal, ignored) in unix::ENDING.into_iter().zip(ignored) {
        if ignored || result.is_err() {
            unix::set_ignored(signal, ignored);
        }
    }
    result
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail with an error, as on a full disk, instead of ending
/// the program without a message.
pub(crate) fn report_large_files() {
    #[cfg(unix)]
    unix::set_ignored(nix::sys::signal::Signal::SIGXFSZ, true);
}

#[cfg(unix)]
mod unix {
    use nix::sys::signal::{SigHandler, Signal, signal};

    pub(super) const ENDING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

    /// Ignores a signal, or restores its default action. Returns true if it was ignored before.
    pub(super) fn set_ignored(number: Signal, ignored: bool) -> bool {
        let action = if ignored { SigHandler::SigIgn } else { SigHandler::SigDfl };
        // SAFETY: `signal` asks that the handler does only what is allowed in an interrupted program. Both actions are
        // those of the system, which runs no code of this process for them.
        matches!(unsafe { signal(number, action) }, Ok(SigHandler::SigIgn))
    }
}
