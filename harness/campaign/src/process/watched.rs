// SPDX-License-Identifier: MIT OR Apache-2.0
//! A worker process under a watchdog.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use drra_lockstep::Stop;

use super::{
    child::{Heard, Process},
    crew::Limits,
    task::{Answer, Task},
};
use crate::CampaignError;

/// A worker is looked after so often.
const POLL: Duration = Duration::from_millis(100);
/// A process may take so long to start.
const START: Duration = Duration::from_secs(120);
/// When the work is to end, a cycle may take so long.
const GRACE: Duration = Duration::from_secs(2);

/// A process and what it said last about its progress.
pub(super) struct Watched {
    process: Process,
    /// It has taken up its work: what it does from then on is the design's.
    works: bool,
    beats: u64,
    /// Cycle of the last sign of life.
    at: u64,
    /// Cycle that was told last in the current task.
    told: Option<u64>,
    /// When its memory was looked at last.
    weighed: Instant,
}

/// What became of a task.
pub(super) enum Fate {
    Answered(Box<Answer>),
    /// The process ended, or was ended because it hung.
    Died(Death),
    /// The work is to end, and the design does not.
    Abandoned,
}

/// How a process ended in the middle of a task.
pub(super) struct Death {
    pub(super) stop: Stop,
    pub(super) from_outside: bool,
    /// Cycle that was told last.
    pub(super) cycle: Option<u64>,
    /// Cycle of the last sign of life.
    pub(super) at: u64,
    /// What was printed about the task.
    pub(super) printed: String,
}

impl Watched {
    pub(super) fn new(process: Process) -> Self {
        Self { process, works: false, beats: 0, at: 0, told: None, weighed: Instant::now() }
    }

    /// Gives a task.
    pub(super) fn say(&mut self, task: &Task) {
        self.process.say(task);
    }

    /// What was printed about the task that was answered last.
    pub(super) fn printed(&self) -> String {
        self.process.printed()
    }

    /// What becomes of the task that the process works on, which may take so much memory. A clock cycle may take as
    /// long as `patience`, and not even that when the work is to `stop`; `progress` is the cycle in which it is.
    pub(super) fn wait(
        &mut self,
        Limits { watchdog: patience, memory }: Limits,
        stop: &AtomicBool,
        progress: &AtomicU64,
    ) -> Result<Fate, CampaignError> {
        let (mut silent, mut last) = (Duration::ZERO, Instant::now());
        loop {
            if self.weighed.elapsed() >= POLL {
                self.weighed = Instant::now();
                if self.process.memory().is_some_and(|bytes| bytes > memory) {
                    return Ok(self.died(Stop::Memory, true, self.process.printed_so_far()));
                }
            }
            match self.process.hear(POLL) {
                Heard::Answer(Answer::Beat { beats, cycle }) => {
                    self.works = true;
                    if beats != self.beats {
                        silent = Duration::ZERO;
                    }
                    (self.beats, self.at) = (beats, cycle);
                    progress.store(cycle, Ordering::Relaxed);
                }
                Heard::Answer(Answer::Cycle(cycle)) => {
                    (self.told, silent) = (Some(cycle), Duration::ZERO);
                }
                Heard::Answer(answer) => {
                    self.told = None;
                    return Ok(Fate::Answered(Box::new(answer)));
                }
                Heard::Silence => {}
                Heard::Ended(end) => {
                    let printed = self.process.printed();
                    let last = last_line(&printed);
                    if end.failed && !self.works {
                        return Err(CampaignError::WorkerFailed { printed: last });
                    }
                    let stop = Stop::Crash { cause: end.cause, printed: last };
                    return Ok(self.died(stop, end.from_outside, printed));
                }
            }
            // Time in which this process itself is stopped does not count.
            silent += last.elapsed().min(2 * POLL);
            last = Instant::now();
            if stop.load(Ordering::Relaxed) && silent >= GRACE.min(patience) {
                return Ok(Fate::Abandoned);
            }
            // Before it works, it may take its time.
            if silent >= if self.works { patience } else { patience.max(START) } {
                let printed = self.process.printed_so_far();
                return Ok(self.died(Stop::Hang, true, printed));
            }
        }
    }

    fn died(&self, stop: Stop, from_outside: bool, printed: String) -> Fate {
        Fate::Died(Death { stop, from_outside, cycle: self.told, at: self.at, printed })
    }
}

/// The last line of a text that says anything.
fn last_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
