// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process that takes tasks and gives answers, a line of JSON each.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};

use super::printed::Printed;

/// Exit codes of a worker that could not do its work, as those of all commands.
const FAILED: [i32; 2] = [2, 3];
/// Signals that also come from outside: a person, a time limit, a system without memory.
const OUTSIDE: [&str; 5] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/// A running process, which ends with this value.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<String>,
    printed: Printed,
}

/// What comes from a process.
#[derive(Debug)]
pub enum Heard<T> {
    Answer(T),
    /// Nothing within the time.
    Silence,
    /// The process is gone.
    Ended(End),
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The signal or the exit code, in words: `SIGABRT`, `exit code 1`.
    pub cause: String,
    /// It says itself that it could not do its work.
    pub failed: bool,
    /// The reason may lie outside of what it did.
    pub from_outside: bool,
}

impl End {
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
        let failed = status.code().is_some_and(|code| FAILED.contains(&code));
        let from_outside = OUTSIDE.contains(&cause.as_str());
        Self { cause, failed, from_outside }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Starts a process. What it prints is collected, and shown on standard error as well with `echo`.
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
        let (sender, lines) = mpsc::channel();
        let threads = std::thread::Builder::new;
        let reader = threads().spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let printed = Printed::default();
        let collector = printed.clone();
        let collecting = threads().spawn(move || collector.read(errors, echo));
        let process = Self { child, input, lines, printed };
        // Without its threads it is ended.
        reader.and(collecting).map(|_| process)
    }

    /// Gives a task. A process that is gone is noticed when it does not answer.
    pub fn say(&mut self, task: &impl Serialize) {
        let mut text = serde_json::to_string(task).expect("plain data");
        text.push('\n');
        self.printed.open();
        let _ = self.input.write_all(text.as_bytes());
    }

    /// Waits for an answer. The program may print, too: what is no answer is passed.
    pub fn hear<T: DeserializeOwned>(&mut self, patience: Duration) -> Heard<T> {
        loop {
            match self.lines.recv_timeout(patience) {
                Ok(line) => {
                    if let Ok(answer) = serde_json::from_str(&line) {
                        return Heard::Answer(answer);
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => return Heard::Silence,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Heard::Ended(self.ended()),
            }
        }
    }

    /// How the process ends, which has closed its output.
    fn ended(&mut self) -> End {
        match self.child.wait() {
            Ok(status) => End::new(status),
            Err(e) => End { cause: e.to_string(), failed: true, from_outside: true },
        }
    }

    /// Bytes of memory that it has; `None` where the system does not tell.
    pub(super) fn memory(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        // What the system has put on a disk counts, too.
        Some(1024 * (of("VmRSS:")? + of("VmSwap:").unwrap_or(0)))
    }

    /// What it has printed so far about a task at which it still works.
    pub fn printed_so_far(&self) -> String {
        self.printed.so_far()
    }

    /// What it printed about its last task.
    pub fn printed(&self) -> String {
        self.printed.all()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn end(script: &str) -> (End, String) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut process = Process::start(command, false).unwrap();
        process.say(&1);
        loop {
            match process.hear::<u32>(Duration::from_secs(60)) {
                Heard::Ended(end) => return (end, process.printed()),
                Heard::Answer(n) => assert_eq!(n, 7),
                Heard::Silence => panic!("silence"),
            }
        }
    }

    #[test]
    fn ends_in_words() {
        let (aborted, text) = end("echo 7; echo words; echo why >&2; kill -ABRT $$");
        assert_eq!((aborted.cause.as_str(), text.as_str()), ("SIGABRT", "why\n"));
        assert!(!aborted.failed && !aborted.from_outside);
        let (killed, _) = end("kill -KILL $$");
        assert!(killed.from_outside && killed.cause == "SIGKILL");
        assert_eq!(end("exit 1").0.cause, "exit code 1");
        assert!(end("exit 3").0.failed && !end("exit 0").0.failed);
    }
}
