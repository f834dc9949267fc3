// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes, which run this program with a hidden command, and parallel work in threads.

use std::{process::Command, sync::atomic::AtomicBool, thread};

use drra_campaign::{
    Executor, InProcessExecutor,
    process::{WorkerLimits, WorkerPool, serve},
};
use drra_lockstep::{Design, RunSetup};
use rayon::{ThreadPoolBuilder, prelude::*};

use crate::command_prelude::*;

/// The hidden command.
pub(super) const COMMAND: &str = "worker";

/// The command that starts a worker. On Linux, it runs the current program, even if its file has been replaced since.
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

/// A stop flag that is never set; a signal ends the command at once.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);

/// The executor for single cases.
pub(super) fn worker_pool(stop: &AtomicBool, limits: WorkerLimits) -> WorkerPool<'_> {
    WorkerPool::new(&command, stop).with_limits(limits)
}

/// The executor for campaigns. Builds with RTL coverage run all cases in one process, which adds up the counts.
pub(super) fn executor<'a>(
    design: &dyn Design,
    stop: &'a AtomicBool,
    limits: WorkerLimits,
) -> Box<dyn Executor + 'a> {
    if design.counts().is_some() {
        Box::new(InProcessExecutor)
    } else {
        Box::new(worker_pool(stop, limits))
    }
}

/// Runs as a worker. Signals are handled by the process that started the worker.
pub(super) fn run(setup: &RunSetup<'_>) -> Result<Exit, CommandError> {
    ctrlc::set_handler(|| {}).map_err(tool)?;
    serve(setup).map_err(tool)?;
    Ok(Exit::Agreed)
}

/// The results of `work` for the numbers below `count`, in order, computed by several threads.
pub(super) fn in_order<T: Send>(
    jobs: Option<u32>,
    count: usize,
    work: impl Fn(usize) -> Result<T, CommandError> + Sync,
) -> Result<Vec<T>, CommandError> {
    let pool = ThreadPoolBuilder::new().num_threads(worker_count(jobs)).build().map_err(tool)?;
    let results: Vec<_> = pool.install(|| (0..count).into_par_iter().map(&work).collect());
    results.into_iter().collect()
}
