// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worker pool: runs cases in worker processes, and finds out what caused a crash.

use std::{
    collections::VecDeque,
    fmt, mem,
    process::Command,
    sync::{
        Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use drra_lockstep::{GoldenDesign, RunSetup, Stop};

use super::{
    child::{self, Process},
    request::{RunMode, WorkerAnswer, WorkerRequest},
    supervisor::{RequestOutcome, Supervisor, WorkerCrash, WorkerLimits},
};
use crate::{
    CampaignError, CampaignSettings,
    case_run::{self, CaseFailure, CaseResult, CaseRun, CrashHandling, CrashPoint},
    executor::{Executor, Runner, WorkerContext},
    sums::CaseRecord,
};

/// Note on a failure that does not occur again.
pub(crate) const NOT_REPRODUCIBLE: &str = "the failure is not reproducible";

/// Maximum number of unfinished cases that a worker has been sent, including the running case.
const MAX_SENT: usize = 2;
/// Time that a cycle may take in a reduction. If the limit is too short, the reduced case may be larger, but not wrong.
const SHRINK_WATCHDOG: Duration = Duration::from_secs(1);
/// Maximum attempts for a case whose crash may have an external cause, or does not occur when the case is run alone.
const MAX_ATTEMPTS: usize = 4;
/// If the last heartbeat before a crash is from a later cycle than this, only the cycles from that heartbeat on are
/// reported when the case is run again.
const LONG_RUN: u64 = 100_000;

/// Runs cases in worker processes.
pub struct WorkerPool<'a> {
    command: &'a (dyn Fn() -> Command + Sync),
    limits: WorkerLimits,
    /// True if the output of the designs is shown on standard error.
    echo: bool,
    stop: &'a AtomicBool,
    /// Cycle of the last heartbeat of any worker.
    cycle: AtomicU64,
    /// The process for single cases.
    single: Mutex<Option<Supervisor>>,
    /// Locked for reading while a worker of a campaign runs cases, and for writing while a hang is confirmed, so that
    /// no other worker then runs cases.
    alone: RwLock<()>,
}

impl fmt::Debug for WorkerPool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerPool").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The result of running a case again after a crash.
enum RerunResult {
    /// The case crashes again, after printing this text.
    Reproduced(CrashPoint, String),
    /// The case does not crash again; the crash is still a failure of the design unless its cause may have been
    /// external.
    NotReproduced(Box<WorkerAnswer>, Option<Stop>),
    Abandoned,
}

impl<'a> WorkerPool<'a> {
    /// A pool whose workers are started with `command`; the program has to call [`serve`](super::serve).
    pub fn new(command: &'a (dyn Fn() -> Command + Sync), stop: &'a AtomicBool) -> Self {
        let (cycle, single, alone) = (AtomicU64::new(0), Mutex::new(None), RwLock::new(()));
        Self { command, limits: WorkerLimits::default(), echo: false, stop, cycle, single, alone }
    }

    #[must_use]
    pub fn with_limits(self, limits: WorkerLimits) -> Self {
        Self { limits, ..self }
    }

    /// Shows the output of the designs on standard error.
    #[must_use]
    pub fn with_echo(self) -> Self {
        Self { echo: true, ..self }
    }

    /// The cycle that the current case had reached at the last heartbeat.
    pub fn cycle(&self) -> u64 {
        self.cycle.load(Ordering::Relaxed)
    }

    /// Starts a process and sends it a line, which is made while the process starts.
    fn start<'l>(
        &self,
        first: Option<&dyn Fn() -> &'l str>,
        echo: bool,
    ) -> Result<Supervisor, CampaignError> {
        let mut process =
            Process::start((self.command)(), echo).map_err(CampaignError::NoWorker)?;
        if let Some(line) = first {
            process.send_line(line());
        }
        Ok(Supervisor::new(process))
    }

    /// Handles a request in a process, which is started if necessary, and dropped if it does not answer.
    fn attempt(
        &self,
        process: &mut Option<Supervisor>,
        request: &WorkerRequest,
        limits: WorkerLimits,
    ) -> Result<RequestOutcome, CampaignError> {
        let mut starts = 0;
        loop {
            let supervisor = match process.take() {
                Some(running) => process.insert(running),
                None => process.insert(self.start(None, self.echo && request.is_first_run())?),
            };
            supervisor.process.send(request);
            let outcome = supervisor.wait(limits, self.stop, &self.cycle);
            if !matches!(outcome, Ok(RequestOutcome::Answered(_))) {
                *process = None;
            }
            starts += 1;
            if starts == MAX_ATTEMPTS || !killed_at_start(&outcome) {
                return outcome;
            }
        }
    }

    /// Runs a case again after a crash, with its cycles reported. This is repeated, within [`MAX_ATTEMPTS`], while the
    /// crash may have an external cause, unless it is the same hang or excessive memory use as in the attempt before.
    fn rerun(
        &self,
        process: &mut Option<Supervisor>,
        request: &WorkerRequest,
        mut crash: WorkerCrash,
    ) -> Result<RerunResult, CampaignError> {
        for _ in 1..MAX_ATTEMPTS {
            let cycles_from = Some(if crash.at > LONG_RUN { crash.at } else { 0 });
            let traced = request.with_mode(RunMode { cycles_from, crash: None });
            match self.attempt(process, &traced, self.limits)? {
                RequestOutcome::Answered(answer) => {
                    let own = (!crash.external).then_some(crash.stop);
                    return Ok(RerunResult::NotReproduced(answer, own));
                }
                RequestOutcome::Abandoned => return Ok(RerunResult::Abandoned),
                RequestOutcome::Crashed(next) => {
                    let hangs = crash.stop == next.stop
                        && matches!(next.stop, Stop::Hang | Stop::OutOfMemory);
                    crash = next;
                    // A crash that may have an external cause must be repeatable.
                    if hangs || !crash.external {
                        break;
                    }
                }
            }
        }
        let WorkerCrash { cycle, stop, printed, .. } = crash;
        Ok(RerunResult::Reproduced(CrashPoint { cycle, stop }, printed))
    }

    /// The result of a single case whose worker crashed.
    fn result_after_crash(
        &self,
        process: &mut Option<Supervisor>,
        run: &CaseRun<'_>,
        request: &WorkerRequest,
        crash: WorkerCrash,
        setup: &RunSetup<'_>,
    ) -> Result<CaseResult, CampaignError> {
        if run.crashes != CrashHandling::Confirm {
            let point = CrashPoint { cycle: crash.cycle, stop: crash.stop };
            return result_at(run, &point, crash.printed, setup);
        }
        match self.rerun(process, request, crash)? {
            RerunResult::Abandoned => Err(CampaignError::Stopped),
            RerunResult::NotReproduced(answer, own) => {
                let result = result_of(*answer)?;
                let Some(stop) = own.filter(|_| result.failure.is_none()) else {
                    return Ok(result);
                };
                // The cycle of the crash is unknown.
                let point = CrashPoint { cycle: None, stop };
                let mut result = result_at(run, &point, result.printed, setup)?;
                if let Some(failure) = &mut result.failure {
                    (failure.crash, failure.note) = (None, Some(NOT_REPRODUCIBLE.to_owned()));
                }
                Ok(result)
            }
            RerunResult::Reproduced(point, printed) => {
                self.result_of_known_crash(process, run, request, &point, printed, setup)
            }
        }
    }

    /// The result of a single case with a known crash.
    fn result_of_known_crash(
        &self,
        process: &mut Option<Supervisor>,
        run: &CaseRun<'_>,
        request: &WorkerRequest,
        point: &CrashPoint,
        printed: String,
        setup: &RunSetup<'_>,
    ) -> Result<CaseResult, CampaignError> {
        if run.report.is_some() {
            let request =
                request.with_mode(RunMode { cycles_from: None, crash: Some(point.clone()) });
            match self.attempt(process, &request, self.limits)? {
                RequestOutcome::Answered(answer) => {
                    return Ok(CaseResult { printed, ..result_of(*answer)? });
                }
                RequestOutcome::Abandoned => return Err(CampaignError::Stopped),
                // The case crashes in yet another way.
                RequestOutcome::Crashed(_) => {}
            }
        }
        result_at(run, point, printed, setup)
    }
}

impl Executor for WorkerPool<'_> {
    fn run_worker(&self, context: &WorkerContext<'_>) -> Result<(), CampaignError> {
        // The line is about 100 KB long, so all workers share it.
        let campaign = || {
            let line = context.first_line.get_or_init(|| {
                let CampaignSettings { profile, seed, .. } = context.settings;
                let (profile, hits) = (Box::new(profile.clone()), context.cases.probe.to_bits());
                child::line(&WorkerRequest::Campaign { profile, seed: *seed, hits })
            });
            line.as_str()
        };
        let mut process: Option<Supervisor> = None;
        // The cases, in the order in which the process runs them, and the number of them that it has been sent.
        let (mut queue, mut sent) = (VecDeque::new(), 0);
        // Number of times the process crashed in the first of these cases, whether the design may have done so behind a
        // difference, and the failure if it caused a crash.
        let (mut crashes, mut behind, mut own) = (0, false, None);
        let mut starts = 1;
        loop {
            while queue.len() < MAX_SENT
                && let Some(number) = context.next()
            {
                queue.push_back(number);
            }
            let Some(&number) = queue.front() else { return Ok(()) };
            let supervisor = match process.take() {
                Some(running) => process.insert(running),
                None => process.insert(self.start(Some(&campaign), self.echo)?),
            };
            for (place, number) in queue.iter().enumerate().skip(sent) {
                // A design that crashes behind a difference still shows that difference; the next cases are not cut.
                let first_only = context.settings.first_only || (behind && place == 0);
                supervisor.process.send(&WorkerRequest::Case { number: *number, first_only });
            }
            sent = queue.len();
            let outcome = {
                let _shared = self.alone.read().unwrap_or_else(PoisonError::into_inner);
                supervisor.wait(self.limits, self.stop, &self.cycle)
            };
            if killed_at_start(&outcome) && starts < MAX_ATTEMPTS {
                (process, sent, starts) = (None, 0, starts + 1);
                continue;
            }
            let record = match outcome? {
                RequestOutcome::Answered(answer) => {
                    context.setup.design.add_unknown_state(mem::take(&mut supervisor.unknown));
                    sent -= 1;
                    record_of(*answer, own.take())?
                }
                RequestOutcome::Abandoned => return Ok(()),
                RequestOutcome::Crashed(crash) => {
                    (process, sent) = (None, 0);
                    crashes += 1;
                    // A process that is killed once or twice was probably killed from outside, and the case is complete
                    // only if it goes on behind its difference.
                    let killed = crash.external && matches!(crash.stop, Stop::Crash { .. });
                    behind |= !killed || crashes > 2;
                    let point = if crashes >= MAX_ATTEMPTS {
                        // The case does not crash when it is run alone, but it does here.
                        Some(CrashPoint { cycle: None, stop: crash.stop })
                    } else {
                        let (case, setup) = (context.cases.case(number), &context.setup);
                        let (run, alone) = (CaseRun::of(&case), &mut None);
                        let request = request_of(&run, setup);
                        let _others_wait = (crash.stop == Stop::Hang)
                            .then(|| self.alone.write().unwrap_or_else(PoisonError::into_inner));
                        match self.result_after_crash(alone, &run, &request, crash, setup) {
                            Err(CampaignError::Stopped) => return Ok(()),
                            result => match result?.failure {
                                Some(CaseFailure { crash: Some(point), .. }) => Some(point),
                                // If the crash does not occur again, the case is run again here.
                                failure => {
                                    own = failure.filter(|f| f.note.is_some()).or(own);
                                    None
                                }
                            },
                        }
                    };
                    let Some(point) = point else { continue };
                    // The golden model replaces the design, so this process is safe.
                    Runner::new(context.setup, context.cases).run(number, Some(&point), true)?
                }
            };
            queue.pop_front();
            (crashes, behind, own, starts) = (0, false, None, 1);
            if !context.done(record) {
                return Ok(());
            }
        }
    }

    fn run_case(
        &self,
        run: &CaseRun<'_>,
        setup: &RunSetup<'_>,
    ) -> Result<CaseResult, CampaignError> {
        let mut single = self.single.lock().unwrap_or_else(PoisonError::into_inner);
        let request = request_of(run, setup);
        if let Some(point) = run.crash {
            let printed = String::new();
            return self.result_of_known_crash(&mut single, run, &request, point, printed, setup);
        }
        let watchdog = match run.crashes {
            CrashHandling::Confirm => self.limits.watchdog,
            CrashHandling::Accept | CrashHandling::Trace => {
                self.limits.watchdog.min(SHRINK_WATCHDOG)
            }
        };
        match self.attempt(&mut single, &request, WorkerLimits { watchdog, ..self.limits })? {
            RequestOutcome::Answered(answer) => {
                let mut printed = String::new();
                if let Some(supervisor) = single.as_mut() {
                    setup.design.add_unknown_state(mem::take(&mut supervisor.unknown));
                    printed = supervisor.process.printed();
                }
                Ok(CaseResult { printed, ..result_of(*answer)? })
            }
            RequestOutcome::Abandoned => Err(CampaignError::Stopped),
            RequestOutcome::Crashed(crash) => {
                let result = self.result_after_crash(&mut single, run, &request, crash, setup);
                // The process that was started for the further attempts does not show its output, so it is not used for
                // the next case.
                if self.echo {
                    *single = None;
                }
                result
            }
        }
    }
}

/// The result of a case that is known to crash, run with the golden model in place of the design.
fn result_at(
    run: &CaseRun<'_>,
    point: &CrashPoint,
    printed: String,
    setup: &RunSetup<'_>,
) -> Result<CaseResult, CampaignError> {
    let run = CaseRun { crash: Some(point), ..*run };
    let result = case_run::run_case(&run, &RunSetup { design: &GoldenDesign, ..*setup })?;
    Ok(CaseResult { printed, ..result })
}

/// The request to run a single case.
fn request_of(run: &CaseRun<'_>, setup: &RunSetup<'_>) -> WorkerRequest {
    let cycles_from = (run.crashes == CrashHandling::Trace).then_some(0);
    WorkerRequest::RunCase {
        case: drra_case::to_json(run.case),
        cycles: run.cycles.or(setup.cycles),
        report: run.report.cloned().map(Box::new),
        behind: run.behind.map(str::to_owned),
        mode: RunMode { cycles_from, crash: None },
    }
}

/// The record of a case. The case has failed if the design crashed in an earlier attempt.
fn record_of(answer: WorkerAnswer, own: Option<CaseFailure>) -> Result<CaseRecord, CampaignError> {
    let WorkerAnswer::Finished(mut record) = answer else { return Err(unexpected(answer)) };
    if let Some(failure) = own {
        record.failure.get_or_insert((failure.signature, 0));
    }
    Ok(*record)
}

/// True if a worker was killed, perhaps from outside, before it ran the design.
fn killed_at_start(outcome: &Result<RequestOutcome, CampaignError>) -> bool {
    matches!(outcome, Err(CampaignError::WorkerFailed { killed: true, .. }))
}

fn result_of(answer: WorkerAnswer) -> Result<CaseResult, CampaignError> {
    match answer {
        WorkerAnswer::CaseResult(result) => Ok(*result),
        other => Err(unexpected(other)),
    }
}

fn unexpected(answer: WorkerAnswer) -> CampaignError {
    match answer {
        WorkerAnswer::Failed(e) => CampaignError::Worker(e),
        other => {
            let cause = format!("unexpected answer {other:?}");
            CampaignError::WorkerFailed { cause, printed: None, killed: false }
        }
    }
}
