// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects the output of a worker process other than its answers, task by task.

use std::{collections::VecDeque, io::Write};

use drra_report::shown;

/// Marks that a worker writes to standard error: the output of a task begins (START OF TEXT), or is complete (END OF
/// TEXT).
pub(super) const BEGIN: u8 = 2;
pub(super) const END: u8 = 3;

/// Maximum number of bytes kept from the beginning of a text, and also from its end.
const MAX_KEPT: usize = 32 * 1024;

/// The collected output of a process.
#[derive(Debug, Default)]
pub(super) struct ProcessOutput {
    /// True if the output is also shown on standard error.
    pub(super) echo: bool,
    /// The line to show next.
    pub(super) line: Vec<u8>,
    /// The output of the last task.
    pub(super) text: CapturedText,
    /// True if the last task has ended. Set to false when more output is expected: until the end of a task that has been
    /// sent, or until the pipe is closed.
    pub(super) ended: bool,
    /// True if the process has closed the pipe.
    pub(super) closed: bool,
}

/// The output of a task: its beginning and its end.
#[derive(Debug, Default)]
pub(super) struct CapturedText {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
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
    pub(super) fn readable(&self) -> String {
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
    /// Takes bytes from the pipe; no bytes mean that the pipe is closed.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let is_mark = |byte: &u8| matches!(*byte, BEGIN | END);
        for part in bytes.split_inclusive(is_mark) {
            let marks = usize::from(part.last().is_some_and(is_mark));
            let (bytes, mark) = part.split_at(part.len() - marks);
            self.line.extend(bytes);
            show(&mut self.line, marks > 0, self.echo);
            self.text.add(bytes);
            match *mark {
                [BEGIN] => (self.text, self.ended) = (CapturedText::default(), false),
                [_] => self.ended = true,
                _ => {}
            }
        }
        if bytes.is_empty() {
            show(&mut self.line, true, self.echo);
            self.closed = true;
        }
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
