// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a long run, on standard error.

use std::{
    io::IsTerminal,
    sync::mpsc,
    time::{Duration, Instant},
};

use drra_report::shown;
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::console::note;

/// Progress is shown only for runs that take longer than this.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two updates.
const PERIOD: Duration = Duration::from_millis(200);
/// Time between two lines if there is no terminal.
const LINES: Duration = Duration::from_secs(60);

/// A progress bar or spinner, hidden unless standard error is a terminal outside CI.
pub(super) fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if !at_a_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

fn at_a_terminal() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("CI").is_none()
}

/// Runs an action and meanwhile shows the current `cycle`, and the total number of cycles if it is known.
pub(super) fn with_cycle_progress<T>(
    name: &str,
    total: Option<u64>,
    cycle: &(dyn Fn() -> u64 + Sync),
    action: impl FnOnce() -> T,
) -> T {
    let (bar, mut last) = (bar(), Instant::now());
    let of = total.map_or_else(String::new, |total| format!(" of {total}"));
    let show = || {
        let text = format!("{}: cycle {}{of}", shown::line(name), cycle());
        if at_a_terminal() {
            bar.set_message(text);
            bar.tick();
        } else if last.elapsed() >= LINES {
            note!("{text}");
            last = Instant::now();
        }
    };
    let result = meanwhile(PATIENCE, show, action);
    bar.finish_and_clear();
    result
}

/// Runs an action and meanwhile calls `show` periodically, first after `patience`.
fn meanwhile<T>(
    mut patience: Duration,
    mut show: impl FnMut() + Send,
    action: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            // The channel is closed when the action has ended.
            while waiting.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                patience = PERIOD;
                show();
            }
        });
        let result = action();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Progress is shown more than once while the action runs, and not afterwards.
    #[test]
    fn a_long_run_shows_its_progress() {
        let (sender, shown) = mpsc::channel();
        let mut times = 0;
        let show = || {
            times += 1;
            let _ = sender.send(times);
        };
        assert_eq!(
            meanwhile(Duration::ZERO, show, || shown.recv().unwrap() + shown.recv().unwrap()),
            3
        );
        assert_eq!(meanwhile(Duration::from_secs(600), || panic!("too early"), || 7), 7);
    }
}
