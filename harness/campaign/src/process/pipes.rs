// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output pipes of a process. The thread that waits for an answer reads both, so a finished case wakes only this
//! thread of the campaign.

use std::{
    io::Read,
    process::{ChildStderr, ChildStdout},
    time::Duration,
};

/// An output pipe of a process.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pipe {
    /// Standard error.
    Printed,
    /// Standard output.
    Answers,
}

/// The output pipes of a process.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct OutputPipes(Vec<(Pipe, std::fs::File)>);

#[cfg(unix)]
impl OutputPipes {
    pub(super) fn new(answers: ChildStdout, printed: ChildStderr) -> Self {
        let [answers, printed] =
            [std::os::fd::OwnedFd::from(answers), printed.into()].map(Into::into);
        Self(vec![(Pipe::Printed, printed), (Pipe::Answers, answers)])
    }

    /// Waits at most `timeout` for output, and returns it with its pipe; no bytes mean that the pipe is closed.
    pub(super) fn read(&mut self, timeout: Duration) -> Option<(Pipe, Vec<u8>)> {
        use rustix::event::{PollFd, PollFlags, poll};
        let events = self.0.iter().map(|(_, file)| PollFd::new(file, PollFlags::IN));
        let mut events: Vec<PollFd<'_>> = events.collect();
        poll(&mut events, timeout.try_into().ok().as_ref()).ok()?;
        // What was printed before an answer is read before it.
        let place = events.iter().position(|event| !event.revents().is_empty())?;
        let (pipe, file) = &mut self.0[place];
        let (pipe, bytes) = (*pipe, chunk(file));
        if bytes.is_empty() {
            self.0.remove(place);
        }
        Some((pipe, bytes))
    }
}

/// The output pipes of a process, each read by a thread.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct OutputPipes(std::sync::mpsc::Receiver<(Pipe, Vec<u8>)>);

#[cfg(not(unix))]
impl OutputPipes {
    pub(super) fn new(mut answers: ChildStdout, mut printed: ChildStderr) -> Self {
        use std::{sync::mpsc, thread};
        let (sender, chunks) = mpsc::sync_channel(1);
        let other = sender.clone();
        thread::spawn(move || while other.send((Pipe::Printed, chunk(&mut printed))).is_ok() {});
        thread::spawn(move || while sender.send((Pipe::Answers, chunk(&mut answers))).is_ok() {});
        Self(chunks)
    }

    /// Waits at most `timeout` for output, and returns it with its pipe; no bytes mean that the pipe is closed.
    pub(super) fn read(&mut self, timeout: Duration) -> Option<(Pipe, Vec<u8>)> {
        self.0.recv_timeout(timeout).ok()
    }
}

/// The next bytes of a pipe; none if it is closed.
fn chunk(pipe: &mut impl Read) -> Vec<u8> {
    let mut buffer = [0; 8192];
    let length = pipe.read(&mut buffer).unwrap_or(0);
    buffer[..length].to_vec()
}
