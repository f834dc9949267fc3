// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes that run mutants, watched from here: a process that ends or does not answer costs one
//! mutant, which counts as killed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::ChildStdin;
use std::process::Command;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use drra_mutate::record::Found;
use drra_mutate::record::Kill;
use drra_mutate::record::Killed;
use drra_mutate::worker::Line;
use drra_mutate::worker::Task;
use drra_mutate::worker::Work;

use crate::cli::error::CommandError;
use crate::cli::error::tool;

/// Exit codes of a worker that could not do its work, as those of all commands.
const FAILED: [i32; 2] = [2, 3];

/// What all workers have in common.
pub(super) struct Pool<'a> {
    /// The program with the mutants.
    pub(super) program: &'a Path,
    /// Profile and seed of the campaign.
    pub(super) profile: &'a str,
    pub(super) seed: u64,
    /// Whether cases are directed at empty bins.
    pub(super) directed: bool,
    pub(super) jobs: usize,
    /// A case that takes longer hangs.
    pub(super) watchdog: Duration,
    /// Folder for what the models print.
    pub(super) logs: PathBuf,
    /// Ends the work cleanly.
    pub(super) stop: &'a AtomicBool,
}

impl Pool<'_> {
    /// Runs tasks, each for a mutant with a number; `tell` gets what was found about each.
    pub(super) fn run(
        &self,
        tasks: Vec<(u32, Task)>,
        tell: &mut dyn FnMut(u32, Found) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let queue = Mutex::new(VecDeque::from(tasks));
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for job in 0..self.jobs.max(1) {
                let (sender, queue) = (sender.clone(), &queue);
                scope.spawn(move || {
                    let result = self.work(job, queue, &sender);
                    if let Err(e) = result {
                        // The receiver ends when it gets an error, and nobody else hears of it then.
                        let _ = sender.send(Err(e));
                    }
                });
            }
            drop(sender);
            for result in receiver {
                let (number, found) = result?;
                tell(number, found)?;
            }
            Ok(())
        })
    }

    fn next(&self, queue: &Mutex<VecDeque<(u32, Task)>>) -> Option<(u32, Task)> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        queue.lock().expect("no worker panics").pop_front()
    }

    fn work(
        &self,
        job: usize,
        queue: &Mutex<VecDeque<(u32, Task)>>,
        sender: &mpsc::Sender<Result<(u32, Found), CommandError>>,
    ) -> Result<(), CommandError> {
        let mut worker: Option<Worker> = None;
        while let Some((number, task)) = self.next(queue) {
            let running = match worker.take() {
                Some(running) => worker.insert(running),
                None => worker.insert(Worker::start(self, job)?),
            };
            let (found, ended) = running.task(&task, self.watchdog)?;
            if ended {
                worker = None;
            }
            if sender.send(Ok((number, found))).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// A worker process. It is ended with this value.
struct Worker {
    child: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<String>,
    log: PathBuf,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    fn start(pool: &Pool<'_>, job: usize) -> Result<Self, CommandError> {
        let log = pool.logs.join(format!("worker-{job}.log"));
        let options = File::options().create(true).append(true).open(&log);
        let errors = options.map_err(|e| tool(format!("{}: {e}", log.display())))?;
        let mut child = Command::new(pool.program)
            .args(["mutate-worker", "--profile", pool.profile, "--seed", &pool.seed.to_string()])
            .args((!pool.directed).then_some("--undirected"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|e| tool(format!("{}: {e}", pool.program.display())))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(tool("a worker has no pipes"));
        };
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines, log })
    }

    /// Runs a task; what was found, and whether the process is of no use any more.
    fn task(&mut self, task: &Task, watchdog: Duration) -> Result<(Found, bool), CommandError> {
        let start = Instant::now();
        let text = serde_json::to_string(task).map_err(tool)?;
        // A process that is gone is noticed when it does not answer.
        let _ = writeln!(self.input, "{text}");
        let mut killed = Killed {
            by: Kill::Difference,
            case: 0,
            cycle: None,
            path: None,
            signature: String::new(),
            seconds: 0.0,
        };
        loop {
            let line = self.lines.recv_timeout(watchdog);
            killed.seconds = start.elapsed().as_secs_f64();
            // The model may print, too: what is no line of ours is passed.
            match line.map(|line| serde_json::from_str::<Line>(&line)) {
                Ok(Ok(Line::Begins(case))) => killed.case = case,
                Ok(Ok(Line::Differs { case, cycle })) => {
                    (killed.case, killed.cycle) = (case, Some(cycle));
                }
                Ok(Ok(Line::Killed { case, cycle, path, signature })) => {
                    let cycle = Some(cycle);
                    killed = Killed { case, cycle, path, signature, ..killed };
                    return Ok((Found::Killed(killed), false));
                }
                Ok(Ok(Line::Survived)) => {
                    let cases = match &task.work {
                        Work::Campaign { first, end } => end - first,
                        Work::File(_) => 1,
                    };
                    return Ok((Found::Survived { cases }, false));
                }
                Ok(Err(_)) => {}
                Err(e) => {
                    let hangs = e == mpsc::RecvTimeoutError::Timeout;
                    if !hangs {
                        self.ended_well()?;
                    }
                    // What differed before the end is the better reason.
                    if killed.cycle.is_none() {
                        killed.by = if hangs { Kill::Hang } else { Kill::Crash };
                    }
                    return Ok((Found::Killed(killed), true));
                }
            }
        }
    }

    /// An error if the process ended because it could not do its work.
    fn ended_well(&mut self) -> Result<(), CommandError> {
        let status = self.child.wait().map_err(tool)?;
        match status.code() {
            Some(code) if FAILED.contains(&code) => {
                Err(tool(format!("a worker failed: {}", self.log.display())))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A worker that does as its mutant says: crash, hang, survive, fail.
    const WORKER: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    *'"slot":1,'*) echo '{"Begins":3}'; kill -SEGV $$ ;;
    *'"slot":2,'*) echo '{"Begins":5}'; exec sleep 600 ;;
    *'"slot":3,'*) echo 'what a model prints'; echo '{"Begins":0}'; echo '"Survived"' ;;
    *'"slot":4,'*) echo '{"Differs":{"case":7,"cycle":2}}'; kill -SEGV $$ ;;
    *) exit 3 ;;
  esac
done
"#;

    fn run(slots: &[usize]) -> (Vec<Found>, Result<(), CommandError>) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("worker");
        std::fs::write(&program, WORKER).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let stop = AtomicBool::new(false);
        let pool = Pool {
            program: &program,
            profile: "default",
            seed: 1,
            directed: true,
            jobs: 1,
            watchdog: Duration::from_secs(10),
            logs: dir.path().to_owned(),
            stop: &stop,
        };
        let work = Work::Campaign { first: 0, end: 9 };
        let tasks =
            slots.iter().map(|slot| (*slot as u32, Task { slot: *slot, work: work.clone() }));
        let mut all = Vec::new();
        let result = pool.run(tasks.collect(), &mut |_, found| {
            all.push(found);
            Ok(())
        });
        (all, result)
    }

    /// How it was killed, in which case and cycle.
    fn kill(found: &Found) -> Option<(Kill, u64, Option<u64>)> {
        match found {
            Found::Killed(k) => Some((k.by, k.case, k.cycle)),
            _ => None,
        }
    }

    #[test]
    fn a_crash_or_a_hang_costs_one_mutant() {
        let (all, result) = run(&[1, 2, 4, 3]);
        assert!(result.is_ok());
        let kills: Vec<_> = all.iter().map(kill).collect();
        let expected = [
            Some((Kill::Crash, 3, None)),
            Some((Kill::Hang, 5, None)),
            Some((Kill::Difference, 7, Some(2))),
            None,
        ];
        assert_eq!(kills, expected);
        assert_eq!(all[3], Found::Survived { cases: 9 });
    }

    #[test]
    fn a_worker_that_cannot_work_is_an_error() {
        let (all, result) = run(&[3, 9]);
        assert_eq!(all.len(), 1);
        assert!(result.unwrap_err().to_string().contains("a worker failed"));
    }
}
