// SPDX-License-Identifier: MIT OR Apache-2.0
//! Supervises a worker process: detects crashes, hangs and excessive memory use.

#[cfg(unix)]
use std::io;
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use drra_lockstep::Stop;

use super::{
    child::{Process, ProcessEvent},
    request::WorkerAnswer,
};
use crate::CampaignError;

/// Time between two checks of a worker.
const POLL: Duration = Duration::from_millis(100);
/// Time that a process may take to start.
const START: Duration = Duration::from_secs(120);
/// A cycle may take this many times the watchdog limit if the worker uses no CPU time.
const IDLE: u32 = 10;
/// Time that a cycle may take once the campaign has been told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Limits of a worker process.
#[derive(Clone, Copy, Debug)]
pub struct WorkerLimits {
    /// A clock cycle that takes more CPU time than this is a hang, and so is one that takes ten times as much elapsed
    /// time, because the worker may wait for ever. Where the CPU time is unknown, elapsed time is limited instead.
    pub watchdog: Duration,
    /// Maximum memory, in bytes.
    pub memory: u64,
}

impl Default for WorkerLimits {
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

/// Checks that this process may use the memory that a campaign needs, because a failed allocation ends the process. In
/// trials, some runs with two workers failed below 260 MiB, and no run with eight workers failed with 580 MiB.
#[cfg(unix)]
pub(crate) fn check_memory(jobs: usize) -> Result<(), CampaignError> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current.unwrap_or(u64::MAX) >> 20;
    let least = 256 + 32 * jobs as u64;
    if limit >= least {
        return Ok(());
    }
    let what = format!("a campaign needs {least} MiB of memory, but the limit is {limit} MiB");
    Err(CampaignError::NoWorker(io::Error::new(io::ErrorKind::OutOfMemory, what)))
}

/// A worker process, and its last reported progress.
pub(super) struct Supervisor {
    pub(super) process: Process,
    /// True once the worker has sent a heartbeat; from then on, its failure is a failure of the design.
    started: bool,
    /// CPU time of the worker at the last heartbeat.
    cpu: Option<Duration>,
    count: u64,
    /// Cycle of the last heartbeat.
    at: u64,
    /// Last cycle reported for the current request.
    reported: Option<u64>,
    /// The time at which the memory use of the process was last measured.
    measured: Instant,
    /// Names of the unknown state that the worker has found.
    pub(super) unknown: Vec<String>,
}

/// The outcome of a request.
pub(super) enum RequestOutcome {
    Answered(Box<WorkerAnswer>),
    /// The process ended, or was stopped because it hung or used too much memory.
    Crashed(WorkerCrash),
    /// The campaign has been told to stop, but the design does not return.
    Abandoned,
}

/// The end of a process while it handles a request.
pub(super) struct WorkerCrash {
    pub(super) stop: Stop,
    /// True if the cause may be outside the design, as with `SIGKILL`.
    pub(super) external: bool,
    /// Last cycle reported.
    pub(super) cycle: Option<u64>,
    /// Cycle of the last heartbeat.
    pub(super) at: u64,
    /// The output for the request.
    pub(super) printed: String,
}

impl Supervisor {
    pub(super) fn new(process: Process) -> Self {
        Self {
            process,
            started: false,
            cpu: None,
            count: 0,
            at: 0,
            reported: None,
            measured: Instant::now(),
            unknown: Vec::new(),
        }
    }

    /// Waits for the outcome of the current request within the limits; once `stop` is set, a cycle may take at most
    /// [`GRACE`]. Updates `progress` with the cycle of the run.
    pub(super) fn wait(
        &mut self,
        WorkerLimits { watchdog, memory }: WorkerLimits,
        stop: &AtomicBool,
        progress: &AtomicU64,
    ) -> Result<RequestOutcome, CampaignError> {
        let (mut silent, mut last) = (Duration::ZERO, Instant::now());
        // CPU time at the first heartbeat without progress.
        let mut since = None;
        loop {
            if self.measured.elapsed() >= POLL {
                self.measured = Instant::now();
                if self.process.memory().is_some_and(|bytes| bytes > memory) {
                    return Ok(self.crashed(
                        Stop::OutOfMemory,
                        true,
                        self.process.printed_so_far(),
                    ));
                }
            }
            match self.process.receive(POLL) {
                ProcessEvent::Answer(WorkerAnswer::Heartbeat { count, cycle, cpu }) => {
                    if count != self.count || !self.started {
                        (silent, since) = (Duration::ZERO, None);
                    }
                    since = since.or(cpu);
                    (self.started, self.cpu, self.count, self.at) = (true, cpu, count, cycle);
                    progress.store(cycle, Ordering::Relaxed);
                }
                ProcessEvent::Answer(WorkerAnswer::Cycle(cycle)) => {
                    (self.reported, silent, since) = (Some(cycle), Duration::ZERO, None);
                }
                ProcessEvent::Answer(WorkerAnswer::UnknownState(names)) => {
                    self.unknown.extend(names)
                }
                ProcessEvent::Answer(answer) => {
                    self.reported = None;
                    return Ok(RequestOutcome::Answered(Box::new(answer)));
                }
                ProcessEvent::Timeout => {}
                ProcessEvent::Exited(exit) => {
                    let printed = self.process.printed();
                    let last = last_line(&printed);
                    if last.as_deref().is_some_and(is_out_of_memory) {
                        return Err(CampaignError::WorkerMemory);
                    }
                    if !self.started {
                        let (cause, killed) = (exit.cause, exit.external);
                        return Err(CampaignError::WorkerFailed { cause, printed: last, killed });
                    }
                    let stop = Stop::Crash { cause: exit.cause, printed: last };
                    return Ok(self.crashed(stop, exit.external, printed));
                }
            }
            // Time during which this process itself was suspended is not counted.
            silent += last.elapsed().min(2 * POLL);
            last = Instant::now();
            if stop.load(Ordering::Relaxed) && silent >= GRACE.min(watchdog) {
                return Ok(RequestOutcome::Abandoned);
            }
            if !self.started && silent >= START {
                let cause = format!("no sign of life for {} s", START.as_secs());
                return Err(CampaignError::WorkerFailed { cause, printed: None, killed: false });
            }
            let busy = match self.cpu {
                Some(cpu) => cpu.saturating_sub(since.unwrap_or(cpu)),
                None => silent,
            };
            if self.started && (busy >= watchdog || silent >= IDLE * watchdog) {
                let printed = self.process.printed_so_far();
                return Ok(self.crashed(Stop::Hang, true, printed));
            }
        }
    }

    fn crashed(&self, stop: Stop, external: bool, printed: String) -> RequestOutcome {
        let (cycle, at) = (self.reported, self.at);
        RequestOutcome::Crashed(WorkerCrash { stop, external, cycle, at, printed })
    }
}

/// True for the last line of a worker that had no memory left: the message of Rust, which the bridge also
/// uses for C++.
fn is_out_of_memory(line: &str) -> bool {
    line.starts_with("memory allocation of ") && line.ends_with(" bytes failed")
}

/// The last non-blank line of a text.
fn last_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
