// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a long run has come, on standard error.

use std::{
    io::IsTerminal,
    sync::mpsc,
    time::{Duration, Instant},
};

use drra_report::shown;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::console::note;

/// A run that takes longer is told about.
const PATIENCE: Duration = Duration::from_secs(2);
/// How far it has come is looked up so often.
const PERIOD: Duration = Duration::from_millis(200);
/// Without a terminal a line is printed so often.
const LINES: Duration = Duration::from_secs(60);

/// A bar or spinner for a person at a terminal; nobody else gets one.
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

/// Does something that takes long, and tells the cycle meanwhile: `cycle` is asked for it, `all` is how many there
/// will be, if that is known.
pub(super) fn tell_cycles<T>(
    name: &str,
    all: Option<u64>,
    cycle: &(dyn Fn() -> u64 + Sync),
    action: impl FnOnce() -> T,
) -> T {
    let (bar, mut last) = (bar(), Instant::now());
    let of = all.map_or_else(String::new, |all| format!(" of {all}"));
    let tell = || {
        let text = format!("{}: cycle {}{of}", shown::line(name), cycle());
        if at_a_terminal() {
            bar.set_message(text);
            bar.tick();
        } else if last.elapsed() >= LINES {
            note!("{text}");
            last = Instant::now();
        }
    };
    let result = meanwhile(PATIENCE, tell, action);
    bar.finish_and_clear();
    result
}

/// Does something that takes long; `tell` is called again and again meanwhile, first after some time.
fn meanwhile<T>(
    mut patience: Duration,
    mut tell: impl FnMut() + Send,
    action: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        scope.spawn(move || {
            // The channel is closed when the action has ended.
            while waiting.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                patience = PERIOD;
                tell();
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

    /// Somebody is told while it runs, more than once, and then not any more.
    #[test]
    fn a_long_run_is_told_about() {
        let (heard, told) = mpsc::channel();
        let mut times = 0;
        let tell = || {
            times += 1;
            let _ = heard.send(times);
        };
        assert_eq!(
            meanwhile(Duration::ZERO, tell, || told.recv().unwrap() + told.recv().unwrap()),
            3
        );
        assert_eq!(meanwhile(Duration::from_secs(600), || panic!("told too early"), || 7), 7);
    }
}
