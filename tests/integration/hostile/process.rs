// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the command in a process with limits on memory and time.

use std::{path::Path, process::Command};

/// Memory that a process may use, in units of 1024 bytes.
const MEMORY: u64 = 3_000_000;
/// Seconds of processor time that a process may use.
const SECONDS: u64 = 60;

/// The result of a process.
pub(super) struct ProcessResult {
    /// The exit code; `None` if a signal ended the process.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl ProcessResult {
    /// True if the result is agreement, mismatch or rejection, without a panic.
    pub(super) fn is_an_answer(&self) -> bool {
        let panicked = self.err.contains("panicked") || self.err.contains("RUST_BACKTRACE");
        matches!(self.code, Some(0..=2)) && !panicked
    }
}

/// Runs the command in a folder.
pub(super) fn drra<'a>(folder: &Path, arguments: impl Iterator<Item = &'a str>) -> ProcessResult {
    let binary = env!("CARGO_BIN_EXE_drra");
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        let limited = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
        shell.args(["-c", &limited, binary]);
        shell
    } else {
        Command::new(binary)
    };
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ProcessResult {
        code: output.status.code(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}
