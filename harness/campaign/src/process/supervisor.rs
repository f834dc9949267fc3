// SPDX-License-Identifier: MIT OR Apache-2.0
//! Supervises a worker process: detects crashes, hangs and excessive memory use.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use drra_lockstep::Stop;

use super::{
    child::{Process, Received},
    task::{Answer, Task},
};
use crate::CampaignError;

/// Time between two checks of a worker.
const POLL: Duration = Duration::from_millis(100);
/// Time that a process may take to start.
const START: Duration = Duration::from_secs(120);
/// Time that a cycle may take once the campaign has been told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Limits of a worker process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A clock cycle that takes longer than this is a hang.
    pub watchdog: Duration,
    /// Maximum memory, in bytes.
    pub memory: u64,
}

impl Default for Limits {
    /// 10 s for a clock cycle, and three quarters of the memory of this machine divided by the number of its cores, but
    /// at least 1 GiB.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let share = machine_memory().map_or(u64::MAX, |bytes| bytes / 4 * 3 / cores);
        Self { watchdog: Duration::from_secs(10), memory: share.max(1 << 30) }
    }
}

/// The memory, in bytes, of this machine, or of the container in which this process runs if that is less.
fn machine_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let all = read("/proc/meminfo")?;
    let kilobytes = all.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let all = 1024 * kilobytes.split_whitespace().next()?.parse::<u64>().ok()?;
    let bounds =
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].map(read);
    let bounds = bounds.into_iter().flatten().filter_map(|text| text.trim().parse().ok());
    bounds.chain([all]).min()
}

/// A worker process, and its last reported progress.
pub(super) struct Supervisor {
    process: Process,
    /// The worker has sent a heartbeat; from now on, its failure is a failure of the design.
    started: bool,
    count: u64,
    /// Cycle of the last heartbeat.
    at: u64,
    /// Last cycle reported in the current task.
    reported: Option<u64>,
    /// The time at which the memory use of the process was last measured.
    measured: Instant,
}

/// The outcome of a task.
pub(super) enum TaskOutcome {
    Answered(Box<Answer>),
    /// The process ended, or was stopped because it hung or used too much memory.
    Crashed(WorkerCrash),
    /// The campaign has been told to stop, but the design does not return.
    Abandoned,
}

/// The end of a process in the middle of a task.
pub(super) struct WorkerCrash {
    pub(super) stop: Stop,
    /// The cause may be outside the design, as with `SIGKILL`.
    pub(super) external: bool,
    /// Last cycle reported.
    pub(super) cycle: Option<u64>,
    /// Cycle of the last heartbeat.
    pub(super) at: u64,
    /// The output of the task.
    pub(super) printed: String,
}

impl Supervisor {
    pub(super) fn new(process: Process) -> Self {
        let measured = Instant::now();
        Self { process, started: false, count: 0, at: 0, reported: None, measured }
    }

    /// Sends a task.
    pub(super) fn send(&mut self, task: &Task) {
        self.process.send(task);
    }

    /// The output of the task that was answered last.
    pub(super) fn printed(&self) -> String {
        self.process.printed()
    }

    /// Waits for the outcome of the current task within the limits; once `stop` is set, a cycle may take at most
    /// [`GRACE`]. Updates `progress` with the cycle of the run.
    pub(super) fn wait(
        &mut self,
        Limits { watchdog, memory }: Limits,
        stop: &AtomicBool,
        progress: &AtomicU64,
    ) -> Result<TaskOutcome, CampaignError> {
        let (mut silent, mut last) = (Duration::ZERO, Instant::now());
        loop {
            if self.measured.elapsed() >= POLL {
                self.measured = Instant::now();
                if self.process.memory().is_some_and(|bytes| bytes > memory) {
                    return Ok(self.crashed(Stop::Memory, true, self.process.printed_so_far()));
                }
            }
            match self.process.receive(POLL) {
                Received::Answer(Answer::Heartbeat { count, cycle }) => {
                    self.started = true;
                    if count != self.count {
                        silent = Duration::ZERO;
                    }
                    (self.count, self.at) = (count, cycle);
                    progress.store(cycle, Ordering::Relaxed);
                }
                Received::Answer(Answer::Cycle(cycle)) => {
                    (self.reported, silent) = (Some(cycle), Duration::ZERO);
                }
                Received::Answer(answer) => {
                    self.reported = None;
                    return Ok(TaskOutcome::Answered(Box::new(answer)));
                }
                Received::Timeout => {}
                Received::Exited(exit) => {
                    let printed = self.process.printed();
                    let last = last_line(&printed);
                    if exit.failed && !self.started {
                        return Err(CampaignError::WorkerFailed { printed: last });
                    }
                    let stop = Stop::Crash { cause: exit.cause, printed: last };
                    return Ok(self.crashed(stop, exit.external, printed));
                }
            }
            // Time during which this process itself was suspended is not counted.
            silent += last.elapsed().min(2 * POLL);
            last = Instant::now();
            if stop.load(Ordering::Relaxed) && silent >= GRACE.min(watchdog) {
                return Ok(TaskOutcome::Abandoned);
            }
            if silent >= if self.started { watchdog } else { watchdog.max(START) } {
                let printed = self.process.printed_so_far();
                return Ok(self.crashed(Stop::Hang, true, printed));
            }
        }
    }

    fn crashed(&self, stop: Stop, external: bool, printed: String) -> TaskOutcome {
        let (cycle, at) = (self.reported, self.at);
        TaskOutcome::Crashed(WorkerCrash { stop, external, cycle, at, printed })
    }
}

/// The last non-blank line of a text.
fn last_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
