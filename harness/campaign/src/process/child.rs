// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process that receives tasks and sends answers, one line of JSON each.

use std::{
    collections::VecDeque,
    io::{self, Write},
    mem,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    output::ProcessOutput,
    pipes::{OutputPipes, Pipe},
};

/// Exit codes of a worker that failed: bad input and tool failure, as for all commands.
const FAILURE_CODES: [i32; 2] = [2, 3];
/// Signals that may be sent by a person, by a scheduler, or by a system that is out of memory.
const EXTERNAL_SIGNALS: [&str; 5] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/// Maximum time for output to arrive after a task.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two attempts to send the rest of a line to a process that is not reading.
const RETRY: Duration = Duration::from_millis(2);

/// A running process; dropping it ends the process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: OutputPipes,
    /// Lines that have not been handled yet, and the part of the next line that has arrived.
    lines: VecDeque<Vec<u8>>,
    line: Vec<u8>,
    /// True if the process has closed its output.
    ended: bool,
    printed: ProcessOutput,
}

/// The result of waiting for an answer from a process.
#[derive(Debug)]
pub enum ProcessEvent<T> {
    Answer(T),
    Timeout,
    Exited(ProcessExit),
}

/// The end of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessExit {
    /// The signal or the exit code, in words: `SIGABRT`, `exit code 1`.
    pub cause: String,
    /// True if the exit code is one with which a worker reports its own failure.
    pub failed: bool,
    /// True if the cause may be outside the process.
    pub external: bool,
}

impl ProcessExit {
    fn new(status: ExitStatus) -> Self {
        let cause = match status.code() {
            Some(code) => format!("exit code {code}"),
            // `signal: 6 (SIGABRT) (core dumped)`
            None => {
                let text = status.to_string();
                let name = text.split(['(', ')']).find(|part| part.starts_with("SIG"));
                name.unwrap_or(&text).to_owned()
            }
        };
        let failed = status.code().is_some_and(|code| FAILURE_CODES.contains(&code));
        let external = EXTERNAL_SIGNALS.contains(&cause.as_str());
        Self { cause, failed, external }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Starts a process. Its standard error is collected and, with `echo`, also shown on that of this process.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(mut command: Command, echo: bool) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("a worker has no pipes"));
        };
        // A process that prints before it reads would otherwise wait for this process, and this process for it.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&input, true)?;
        let output = OutputPipes::new(output, errors);
        let printed = ProcessOutput { echo, ..ProcessOutput::default() };
        let (lines, line) = (VecDeque::new(), Vec::new());
        Ok(Self { child, input, output, lines, line, ended: false, printed })
    }

    /// Sends a task. If the process has ended, this is noticed only when its answer is awaited.
    pub fn send(&mut self, task: &impl Serialize) {
        self.send_line(&line(task));
    }

    /// Sends a task as the line that [`line()`] makes of it.
    pub(super) fn send_line(&mut self, line: &str) {
        self.printed.ended = false;
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(length) => rest = &rest[length..],
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.read(RETRY),
                Err(_) => return,
            }
        }
    }

    /// Waits at most `timeout` for output, and takes it.
    fn read(&mut self, timeout: Duration) {
        match self.output.read(timeout) {
            Some((Pipe::Printed, bytes)) => self.printed.take(&bytes),
            Some((Pipe::Answers, bytes)) => {
                self.ended = bytes.is_empty();
                for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                    self.line.extend(part);
                    if part.ends_with(b"\n") {
                        self.lines.push_back(mem::take(&mut self.line));
                    }
                }
            }
            None => {}
        }
    }

    /// Waits for an answer, and skips lines that are not answers.
    pub fn receive<T: DeserializeOwned>(&mut self, timeout: Duration) -> ProcessEvent<T> {
        let since = Instant::now();
        loop {
            while let Some(line) = self.lines.pop_front() {
                if let Ok(answer) = serde_json::from_slice(&line) {
                    return ProcessEvent::Answer(answer);
                }
            }
            if self.ended {
                return ProcessEvent::Exited(self.exit());
            }
            match timeout.checked_sub(since.elapsed()) {
                Some(left) => self.read(left),
                None => return ProcessEvent::Timeout,
            }
        }
    }

    /// Waits for the end of a process that has closed its output.
    fn exit(&mut self) -> ProcessExit {
        // What is still in the pipe may belong to a later task than what has been read.
        self.printed.ended = false;
        while !self.printed.closed && matches!(self.child.try_wait(), Ok(None)) {
            self.read(PATIENCE / 10);
        }
        match self.child.wait() {
            Ok(status) => ProcessExit::new(status),
            Err(e) => ProcessExit { cause: e.to_string(), failed: true, external: true },
        }
    }

    /// Bytes of memory in use; `None` where the system does not report them.
    pub fn memory(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        // Swapped memory is also counted.
        Some(1024 * (of("VmRSS:")? + of("VmSwap:").unwrap_or(0)))
    }

    /// The output so far of the running task.
    pub fn printed_so_far(&self) -> String {
        self.printed.text.readable()
    }

    /// The output of the last task; waits, at most a second, until all of it has arrived.
    pub fn printed(&mut self) -> String {
        let since = Instant::now();
        while !(self.printed.ended || self.printed.closed) && since.elapsed() < PATIENCE {
            self.read(PATIENCE / 10);
        }
        self.printed_so_far()
    }
}

/// The line that sends a task.
pub(super) fn line(task: &impl Serialize) -> String {
    let mut text = serde_json::to_string(task).expect("plain data");
    text.push('\n');
    text
}
