// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pool of worker processes that run mutants. A mutant whose worker crashes, hangs or uses too much memory is counted
//! as killed.

use std::{
    path::Path,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use drra_campaign::process::{Process, ProcessEvent};

use crate::{
    MutateError,
    error::tool,
    record::{KillCause, KillRecord, MutantResult},
    worker::{MutantTask, TaskCases, WorkerLine},
};

/// Time between two checks of a worker.
const POLL: Duration = Duration::from_millis(100);

/// A pool of worker processes: their program and their settings.
pub(crate) struct Pool<'a> {
    /// The program with the mutants.
    pub(crate) program: &'a Path,
    /// Profile and seed of the campaign.
    pub(crate) profile: &'a str,
    pub(crate) seed: u64,
    pub(crate) jobs: usize,
    /// A case that takes longer is a hang.
    pub(crate) watchdog: Duration,
    /// Bytes of memory that a worker may use.
    pub(crate) memory: u64,
    /// Ends the work cleanly when set.
    pub(crate) stop: &'a AtomicBool,
}

impl Pool<'_> {
    /// Runs tasks, each with the number of its mutant; `on_result` receives the result of each.
    pub(crate) fn run(
        &self,
        tasks: Vec<(u32, MutantTask)>,
        on_result: &mut dyn FnMut(u32, MutantResult) -> Result<(), MutateError>,
    ) -> Result<(), MutateError> {
        let worker = |_| {
            let mut worker: Option<Worker> = None;
            move |(number, task): (u32, MutantTask)| {
                let running = match worker.take() {
                    Some(running) => worker.insert(running),
                    None => worker.insert(Worker::start(self)?),
                };
                let (found, ended) = running.run(&task, self)?;
                if ended {
                    worker = None;
                }
                Ok((number, found))
            }
        };
        let on_result = &mut |(number, found)| on_result(number, found);
        in_parallel(self.jobs, self.stop, tasks, worker, on_result)
    }
}

/// Does some tasks in `jobs` threads, which begin no further task once `stop` is set or a task has failed. `worker`
/// makes the worker of a thread from its number, and `on_result` receives each result.
pub(crate) fn in_parallel<T: Send, R: Send, W: FnMut(T) -> Result<R, MutateError>>(
    jobs: usize,
    stop: &AtomicBool,
    tasks: impl IntoIterator<Item = T, IntoIter: Send>,
    worker: impl Fn(usize) -> W + Sync,
    on_result: &mut dyn FnMut(R) -> Result<(), MutateError>,
) -> Result<(), MutateError> {
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().expect("no worker panics").next();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for job in 0..jobs.max(1) {
            let (sender, next, worker) = (sender.clone(), &next, &worker);
            scope.spawn(move || {
                let mut work = worker(job);
                // The receiver stops at the first error; further errors are dropped.
                while !stop.load(Ordering::Relaxed)
                    && let Some(task) = next()
                    && sender.send(work(task)).is_ok()
                {}
            });
        }
        drop(sender);
        receiver.into_iter().try_for_each(|result| on_result(result?))
    })
}

/// A worker process.
struct Worker(Process);

impl Worker {
    fn start(pool: &Pool<'_>) -> Result<Self, MutateError> {
        let mut command = Command::new(pool.program);
        let seed = pool.seed.to_string();
        command.args(["mutate-worker", "--profile", pool.profile, "--seed", &seed]);
        let started = Process::start(command, false);
        Ok(Self(started.map_err(|e| tool(format!("{}: {e}", pool.program.display())))?))
    }

    /// Runs a task. Returns the result of the task, and whether the process must be replaced.
    fn run(
        &mut self,
        task: &MutantTask,
        pool: &Pool<'_>,
    ) -> Result<(MutantResult, bool), MutateError> {
        let start = Instant::now();
        self.0.send(task);
        let mut killed = KillRecord::default();
        let (mut silent, mut measured) = (Duration::ZERO, start);
        loop {
            let received = self.0.receive(POLL);
            silent = if matches!(received, ProcessEvent::Timeout) {
                silent + POLL
            } else {
                Duration::ZERO
            };
            let over = measured.elapsed() >= POLL && {
                measured = Instant::now();
                self.0.memory().is_some_and(|bytes| bytes > pool.memory)
            };
            killed.seconds = start.elapsed().as_secs_f64();
            let by = match received {
                _ if over => KillCause::Memory,
                ProcessEvent::Timeout if silent < pool.watchdog => continue,
                ProcessEvent::Answer(WorkerLine::Begins(case)) => {
                    killed.case = case;
                    continue;
                }
                ProcessEvent::Answer(WorkerLine::Differs { case, cycle }) => {
                    (killed.case, killed.cycle) = (case, Some(cycle));
                    continue;
                }
                ProcessEvent::Answer(WorkerLine::Killed { case, cycle, path, signature }) => {
                    let cycle = Some(cycle);
                    killed = KillRecord { case, cycle, path, signature, ..killed };
                    return Ok((MutantResult::Killed(killed), false));
                }
                ProcessEvent::Answer(WorkerLine::Survived) => {
                    let cases = match &task.work {
                        TaskCases::Campaign { first, end } => end - first,
                        TaskCases::File(_) => 1,
                    };
                    return Ok((MutantResult::Survived { cases }, false));
                }
                ProcessEvent::Timeout => KillCause::Hang,
                ProcessEvent::Exited(exit) if exit.failed => {
                    let printed = self.0.printed();
                    return Err(tool(format!("a worker failed: {}", printed.trim())));
                }
                ProcessEvent::Exited(_) => KillCause::Crash,
            };
            // If there was a difference before the crash, the difference is the better reason.
            if killed.cycle.is_none() {
                killed.by = by;
            }
            return Ok((MutantResult::Killed(killed), true));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A worker that behaves as its mutant specifies: it crashes, hangs, survives, uses too much memory, or fails.
    const WORKER: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    *'"slot":1,'*) echo '{"Begins":3}'; kill -SEGV $$ ;;
    *'"slot":2,'*) echo '{"Begins":5}'; exec sleep 600 ;;
    *'"slot":3,'*) echo 'what a model prints'; echo '{"Begins":0}'; echo '"Survived"' ;;
    *'"slot":4,'*) echo '{"Differs":{"case":7,"cycle":2}}'; kill -SEGV $$ ;;
    *'"slot":5,'*) echo '{"Begins":6}'; a=$(head -c 100000000 /dev/zero | tr '\0' x); sleep 600 ;;
    *) exit 3 ;;
  esac
done
"#;

    fn run(slots: &[usize]) -> (Vec<MutantResult>, Result<(), MutateError>) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("worker");
        std::fs::write(&program, WORKER).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let stop = AtomicBool::new(false);
        let pool = Pool {
            program: &program,
            profile: "default",
            seed: 1,
            jobs: 1,
            watchdog: Duration::from_secs(10),
            memory: 50_000_000,
            stop: &stop,
        };
        let work = TaskCases::Campaign { first: 0, end: 9 };
        let tasks =
            slots.iter().map(|slot| (*slot as u32, MutantTask { slot: *slot, work: work.clone() }));
        let mut all = Vec::new();
        let result = pool.run(tasks.collect(), &mut |_, found| {
            all.push(found);
            Ok(())
        });
        (all, result)
    }

    /// The cause of the kill, with the case and the cycle.
    fn kill(found: &MutantResult) -> Option<(KillCause, u64, Option<u64>)> {
        match found {
            MutantResult::Killed(k) => Some((k.by, k.case, k.cycle)),
            _ => None,
        }
    }

    #[test]
    fn a_crash_costs_one_mutant() {
        let (all, result) = run(&[1, 2, 5, 4, 3]);
        assert!(result.is_ok());
        let kills: Vec<_> = all.iter().map(kill).collect();
        let expected = [
            Some((KillCause::Crash, 3, None)),
            Some((KillCause::Hang, 5, None)),
            Some((KillCause::Memory, 6, None)),
            Some((KillCause::Difference, 7, Some(2))),
            None,
        ];
        assert_eq!(kills, expected);
        assert_eq!(all[4], MutantResult::Survived { cases: 9 });
    }

    #[test]
    fn a_worker_that_cannot_work_is_an_error() {
        let (all, result) = run(&[3, 9]);
        assert_eq!(all.len(), 1);
        assert!(result.unwrap_err().to_string().contains("a worker failed"));
    }
}
