// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output of a design, as a campaign shows it.

use std::{
    io::{self, Write},
    process::Command,
    thread,
    time::Duration,
};

use drra_campaign::process::{Process, ProcessEvent};

fn this_program(argument: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(argument);
    command
}

/// Runs as a worker that prints the second half of a line later than the first, and does not end the last line.
pub(crate) fn print() {
    let mut errors = io::stderr();
    errors.write_all(b"one\n::error::\x1b[2Jtwo\n##[gr").unwrap();
    thread::sleep(Duration::from_millis(300));
    errors.write_all(b"oup]\n\xff").unwrap();
}

/// Runs as a program that shows the output of such a worker.
pub(crate) fn show() {
    let mut worker = Process::start(this_program("print"), true).unwrap();
    while !matches!(worker.receive::<()>(Duration::from_secs(60)), ProcessEvent::Exited(_)) {}
    worker.printed();
}

/// The output of a design never starts a line, and has no effect on a terminal.
pub(crate) fn shown_output_is_prefixed() {
    let shown = this_program("show").output().unwrap();
    let expected = "> one\n> ：:error::␛[2Jtwo\n> ＃#[group]\n> \u{fffd}\n";
    assert_eq!(String::from_utf8(shown.stderr).unwrap(), expected);
}
