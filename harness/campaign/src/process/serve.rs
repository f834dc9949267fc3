// SPDX-License-Identifier: MIT OR Apache-2.0
//! The main loop of a worker process.

use std::{
    cell::OnceCell,
    fs::File,
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use drra_coverage::Coverage;
use drra_lockstep::{Heartbeat, RunSetup};

use super::{
    output::{BEGIN, END},
    request::{WorkerAnswer, WorkerRequest},
};
use crate::{
    CampaignCases,
    case_run::{self, CaseRun},
    executor::Runner,
};

/// Time between two heartbeats.
const HEARTBEAT_PERIOD: Duration = Duration::from_millis(500);

/// Handles the requests that arrive on standard input, one per line, until standard input is closed. Answers are
/// written to the current standard output; on Unix, anything printed to standard output from then on is redirected to
/// standard error.
///
/// # Errors
/// If the pipes cannot be used, or if a line is not a request, for example because the process was not started by a
/// campaign.
pub fn serve(setup: &RunSetup<'_>) -> io::Result<()> {
    let answers = AnswerPipe(Arc::new(Mutex::new(take_stdout()?)));
    let heartbeat = Heartbeat::of_this_thread();
    answers.send_heartbeat(&heartbeat)?;
    start_heartbeat(answers.clone(), heartbeat)?;
    let cases = OnceCell::new();
    let mut runner = None;
    for line in io::stdin().lock().lines() {
        let request: WorkerRequest = serde_json::from_str(&line?)?;
        // The mark after a case of the campaign arrives together with its answer, and so wakes the campaign only once.
        let is_case = matches!(request, WorkerRequest::Case { .. });
        mark(if is_case { &[] } else { &[BEGIN] })?;
        let answer = match request {
            WorkerRequest::Campaign { profile, seed, hits } => {
                let probe = Coverage::from_bits(&hits).ok_or(io::ErrorKind::InvalidInput)?;
                let cases = cases.get_or_init(|| CampaignCases::with_probe(probe, *profile, seed));
                runner = Some(Runner::new(*setup, cases));
                continue;
            }
            WorkerRequest::Case { number, first_only } => {
                let runner = runner.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
                runner
                    .run(number, None, first_only)
                    .map(|record| WorkerAnswer::Finished(Box::new(record)))
            }
            WorkerRequest::RunCase { case, cycles, report, behind, mode } => {
                let case = drra_case::parse(&case).map_err(io::Error::other)?;
                let (crash, report) = (mode.crash.as_ref(), report.as_deref());
                let behind = behind.as_deref();
                let run = CaseRun { cycles, crash, report, behind, ..CaseRun::of(&case) };
                let mut send_cycle = |cycle| {
                    if mode.cycles_from.is_some_and(|from| cycle >= from) {
                        // If the campaign has ended, the heartbeat thread detects it.
                        let _ = answers.send(&WorkerAnswer::Cycle(cycle));
                    }
                };
                let on_cycle = mode.cycles_from.map(|_| &mut send_cycle as &mut dyn FnMut(u64));
                // No other case runs meanwhile.
                let setup = RunSetup { two_threads: true, ..*setup };
                let result = case_run::run_case_reporting(&run, &setup, on_cycle);
                result.map(|result| WorkerAnswer::CaseResult(Box::new(result)))
            }
        };
        mark(if is_case { &[BEGIN] } else { &[END] })?;
        let unknown = setup.design.take_unknown_state();
        if !unknown.is_empty() {
            answers.send(&WorkerAnswer::UnknownState(unknown))?;
        }
        answers.send(&answer.unwrap_or_else(|e| WorkerAnswer::Failed(e.to_string())))?;
    }
    Ok(())
}

/// Sends heartbeats from a separate thread. If the campaign has ended, the process ends, even if the design hangs.
fn start_heartbeat(answers: AnswerPipe, heartbeat: Arc<Heartbeat>) -> io::Result<()> {
    let thread = std::thread::Builder::new().spawn(move || {
        loop {
            std::thread::sleep(HEARTBEAT_PERIOD);
            if answers.send_heartbeat(&heartbeat).is_err() {
                std::process::exit(0);
            }
        }
    });
    thread.map(drop)
}

/// The destination of answers.
#[derive(Clone)]
struct AnswerPipe(Arc<Mutex<File>>);

impl AnswerPipe {
    fn send_heartbeat(&self, heartbeat: &Heartbeat) -> io::Result<()> {
        let (count, cycle) = (heartbeat.count(), heartbeat.cycle());
        self.send(&WorkerAnswer::Heartbeat { count, cycle, cpu: cpu_time() })
    }

    fn send(&self, answer: &WorkerAnswer) -> io::Result<()> {
        let mut line = serde_json::to_vec(answer)?;
        line.push(b'\n');
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
    }
}

/// The CPU time of this process.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

/// Writes a mark, or nothing, to standard error.
fn mark(mark: &[u8]) -> io::Result<()> {
    io::stderr().write_all(mark)
}

/// Reserves standard output for answers, and redirects the output of the design to standard error.
#[cfg(unix)]
fn take_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(own))
}

/// Uses standard output for answers. The reader skips lines that the design prints there.
#[cfg(not(unix))]
fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
