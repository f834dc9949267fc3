// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects the output of a worker process other than its answers, task by task.

use std::{
    collections::VecDeque,
    io::{Read, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use drra_report::shown;

/// Marks that a worker writes to standard error before and after a task: START and END OF TEXT.
pub(super) const BEGIN: u8 = 2;
pub(super) const END: u8 = 3;

/// Maximum number of bytes kept from the beginning of a text, and also from its end.
const MAX_KEPT: usize = 32 * 1024;
/// Maximum time for output to arrive after a task.
const PATIENCE: Duration = Duration::from_secs(1);

/// The collected output of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcessOutput(Arc<(Mutex<CapturedText>, Condvar)>);

/// The output of a task: its beginning and its end.
#[derive(Debug, Default)]
struct CapturedText {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    /// True if the task has ended.
    ended: bool,
    /// True if the process has closed the pipe.
    closed: bool,
}

impl CapturedText {
    fn add(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(MAX_KEPT - self.head.len()));
        self.head.extend(head);
        // Only the last bytes of the remaining text are kept.
        let first = rest.len().saturating_sub(MAX_KEPT);
        self.tail.extend(&rest[first..]);
        let over = self.tail.len().saturating_sub(MAX_KEPT);
        self.tail.drain(..over);
        self.left_out += (first + over) as u64;
    }

    /// The text, made safe for terminals and CI logs.
    fn readable(&self) -> String {
        let readable = |bytes: &[u8]| shown::foreign(&String::from_utf8_lossy(bytes));
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.left_out == 0 {
            return readable(&[&self.head[..], &tail].concat());
        }
        let gap = format!("\n({} bytes omitted)\n", self.left_out);
        readable(&self.head) + &gap + &readable(&tail)
    }
}

impl ProcessOutput {
    /// Reads until the pipe is closed; with `echo`, also shows the output on standard error.
    pub(super) fn read(&self, mut from: impl Read, echo: bool) {
        let mut buffer = vec![0; 64 * 1024];
        let mut line = Vec::new();
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            for part in buffer[..length].split_inclusive(|b| matches!(*b, BEGIN | END)) {
                let (mark, bytes) = match part.split_last() {
                    Some((&mark, bytes)) if matches!(mark, BEGIN | END) => (Some(mark), bytes),
                    _ => (None, part),
                };
                line.extend(bytes);
                show(&mut line, mark.is_some(), echo);
                self.take(bytes, mark);
            }
        }
        show(&mut line, true, echo);
        self.text().closed = true;
        self.0.1.notify_all();
    }

    /// Adds some bytes, and handles the mark after them.
    fn take(&self, bytes: &[u8], mark: Option<u8>) {
        let mut text = self.text();
        text.add(bytes);
        match mark {
            Some(BEGIN) => *text = CapturedText::default(),
            Some(_) => {
                text.ended = true;
                self.0.1.notify_all();
            }
            None => {}
        }
    }

    /// The output of the last task; waits, at most [`PATIENCE`], until all of it has arrived.
    pub(super) fn all(&self) -> String {
        let waiting =
            self.0.1.wait_timeout_while(self.text(), PATIENCE, |text| !text.ended && !text.closed);
        let (text, _) = waiting.unwrap_or_else(PoisonError::into_inner);
        text.readable()
    }

    /// The output of a running task so far.
    pub(super) fn so_far(&self) -> String {
        self.text().readable()
    }

    /// Notes that more output is expected: until the end of a task that has been sent, or until the pipe is closed.
    pub(super) fn open(&self) {
        self.text().ended = false;
    }

    fn text(&self) -> MutexGuard<'_, CapturedText> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes complete lines from the buffer, or everything if the text has ended or is too long. With `echo`, shows the
/// removed text on standard error.
fn show(printed: &mut Vec<u8>, ended: bool, echo: bool) {
    let newline = printed.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
    let ended = ended || printed.len() > MAX_KEPT;
    let whole: Vec<u8> = printed.drain(..if ended { printed.len() } else { newline }).collect();
    if echo {
        // If standard error cannot be written, the error cannot be reported.
        let _ = std::io::stderr().write_all(marked(&whole).as_bytes());
    }
}

/// Output of a design with a prefix on each line, so that no line can begin with a CI command.
fn marked(lines: &[u8]) -> String {
    let line = |line| format!("> {}\n", shown::foreign(line));
    String::from_utf8_lossy(lines).lines().map(line).collect()
}
