// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes, which run this program with a hidden command, and parallel work in threads.

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use drra_campaign::{
    Executor, InProcess,
    process::{Limits, WorkerPool, serve},
};
use drra_lockstep::{Design, Setup};

use crate::command_prelude::*;

/// The hidden command.
pub(super) const COMMAND: &str = "worker";

/// Starts a worker. On Linux it runs the current program, even if its file has been replaced since.
fn command() -> Command {
    let running = Path::new("/proc/self/exe");
    let program = match std::env::current_exe() {
        Ok(path) if !running.exists() => path,
        _ => running.to_owned(),
    };
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "drra");
    command.arg(COMMAND);
    command
}

/// The number of workers: the given number, or else the number of cores.
pub(super) fn worker_count(given: Option<u32>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    given.map_or_else(cores, |jobs| jobs as usize)
}

/// The executor for single cases.
pub(super) fn worker_pool(stop: &AtomicBool, limits: Limits) -> WorkerPool<'_> {
    WorkerPool::new(&command, stop).with_limits(limits)
}

/// The executor for campaigns. Builds with RTL coverage run all cases in one process, which adds up the counts.
pub(super) fn executor<'a>(
    design: &dyn Design,
    stop: &'a AtomicBool,
    limits: Limits,
) -> Box<dyn Executor + 'a> {
    if design.counts().is_some() {
        Box::new(InProcess)
    } else {
        Box::new(worker_pool(stop, limits))
    }
}

/// Runs as a worker. Signals are handled by the process that started it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Exit, CommandError> {
    ctrlc::set_handler(|| {}).map_err(tool)?;
    serve(setup).map_err(tool)?;
    Ok(Exit::Agreed)
}

/// The results of `work` for the numbers below `count`, in order, computed by several threads. An error stops the
/// threads.
pub(super) fn in_order<T: Send>(
    jobs: Option<u32>,
    count: usize,
    work: impl Fn(usize) -> Result<T, CommandError> + Sync,
) -> Result<Vec<T>, CommandError> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..worker_count(jobs).min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    if result.is_err() {
                        next.store(count, Ordering::Relaxed);
                    }
                    results.lock().unwrap_or_else(PoisonError::into_inner).insert(number, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
