// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns in worker processes, on the golden model with faults that end or block its process. This program runs the
//! tests, the campaigns that are killed, and their workers.

mod ends;
mod full;
mod kills;
mod memory;
mod output;
mod planted;

use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// A test with its name.
type Test = (&'static str, fn());

const TESTS: [Test; 11] = [
    // First and alone, because memory that another test has freed would hide that more is used.
    ("memory_is_constant", memory::memory_is_constant),
    ("every_end_is_a_failure", ends::every_end_is_a_failure),
    ("a_hang_is_a_failure", ends::a_hang_is_a_failure),
    ("a_leak_is_a_failure", ends::a_leak_is_a_failure),
    ("a_campaign_goes_on_behind_a_crash", ends::a_campaign_goes_on_behind_a_crash),
    ("the_number_of_workers_changes_nothing", ends::the_number_of_workers_changes_nothing),
    ("a_stop_does_not_wait_for_a_hang", ends::a_stop_does_not_wait_for_a_hang),
    ("a_full_disk_loses_no_failure", full::a_full_disk_loses_no_failure),
    ("shown_output_is_prefixed", output::shown_output_is_prefixed),
    ("a_killed_case_is_complete", kills::a_killed_case_is_complete),
    ("kills_change_nothing", kills::kills_change_nothing),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("worker") => return planted::worker(&arguments[1]),
        Some("campaign") => return planted::campaign(&arguments[1], &arguments[2], &arguments[3]),
        Some("print") => return output::print(),
        Some("show") => return output::show(),
        _ => {}
    }
    if arguments.iter().any(|a| a == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    // Arguments select tests by name, as in the usual test harness; options other than --list are ignored.
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(*w));
    let mut chosen = TESTS.iter().filter(|(name, _)| chosen(name)).peekable();
    let failed = AtomicBool::new(false);
    let check = |(name, test): &Test| {
        let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed.fetch_or(!passed, Ordering::Relaxed);
    };
    chosen.next_if(|(name, _)| *name == TESTS[0].0).into_iter().for_each(check);
    // The others spend much of their time waiting.
    let rest = Mutex::new(chosen);
    let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| std::iter::from_fn(next).for_each(check));
        }
    });
    std::process::exit(i32::from(failed.into_inner()) * 101);
}
