// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases in worker processes, watched from here.

use std::{
    collections::VecDeque,
    fmt,
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use drra_diagnose::signature;
use drra_lockstep::{GoldenDesign, Setup, Stop};

use super::{
    child::Process,
    task::{Answer, How, Task},
    watched::{Death, Fate, Watched},
};
use crate::{
    CampaignError,
    exam::{self, Effort, Ending, Exam, Examined},
    place::{Place, Work},
    runner::Runner,
    sums::Record,
};

/// What a worker process may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A clock cycle that takes longer hangs.
    pub watchdog: Duration,
    /// Bytes of memory.
    pub memory: u64,
}

impl Default for Limits {
    /// 10 s for a clock cycle; of the memory of this machine three quarters, divided by its cores, but 1 GiB at least.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let share = machine_memory().map_or(u64::MAX, |bytes| bytes / 4 * 3 / cores);
        Self { watchdog: Duration::from_secs(10), memory: share.max(1 << 30) }
    }
}

/// Bytes of memory of this machine, or of the container that this process is in.
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

/// What is said of a failure that is not seen again.
pub(crate) const NOT_AGAIN: &str = "the failure does not repeat";

/// Cases that a worker has before it needs them.
const AHEAD: usize = 2;
/// In a reduction a cycle may take so long: a wrong guess makes the reduced case larger, not wrong.
const PROBE: Duration = Duration::from_secs(1);
/// So often a case is tried that ends for reasons that may lie outside of it.
const TRIES: usize = 4;
/// Cases with more cycles are not told from their beginning on.
const LONG: u64 = 100_000;

/// Runs cases in processes of its own.
pub struct Processes<'a> {
    command: &'a (dyn Fn() -> Command + Sync),
    limits: Limits,
    /// What the designs print is shown on standard error.
    echo: bool,
    stop: &'a AtomicBool,
    /// Cycle of the last sign of life of any worker.
    cycle: AtomicU64,
    /// The process for single cases.
    single: Mutex<Option<Watched>>,
}

impl fmt::Debug for Processes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// What is known of a case after its process died.
enum Verdict {
    /// It does so again, and prints this.
    Repeats(Ending, String),
    /// It does not, but the reason lies in what it did.
    Once(Box<Answer>, Stop),
    /// It does not, and the reason may lie outside.
    Passed(Box<Answer>),
    Abandoned,
}

/// What comes of a case of a campaign whose process died.
enum Judged {
    Record(Box<Record>),
    /// It is run again; it was its own doing if there is a reason.
    Again(Option<Stop>),
    Abandoned,
}

impl<'a> Processes<'a> {
    /// Workers that are started with a command; what it starts calls [`serve`](super::serve).
    pub fn new(command: &'a (dyn Fn() -> Command + Sync), stop: &'a AtomicBool) -> Self {
        let (cycle, single) = (AtomicU64::new(0), Mutex::new(None));
        Self { command, limits: Limits::default(), echo: false, stop, cycle, single }
    }

    /// Workers that may take this and no more.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Shows on standard error what the designs print.
    #[must_use]
    pub fn with_echo(self) -> Self {
        Self { echo: true, ..self }
    }

    /// Cycle in which the case is that is looked at, from time to time.
    pub fn cycle(&self) -> u64 {
        self.cycle.load(Ordering::Relaxed)
    }

    fn start(&self, first: Option<&Task>, echo: bool) -> Result<Watched, CampaignError> {
        let mut process =
            Process::start((self.command)(), echo).map_err(CampaignError::NoWorker)?;
        if let Some(task) = first {
            process.say(task);
        }
        Ok(Watched::new(process))
    }

    /// Gives a task to a process, which is started if there is none; the process of a task that is not answered is
    /// gone then.
    fn try_once(
        &self,
        process: &mut Option<Watched>,
        task: &Task,
        limits: Limits,
    ) -> Result<Fate, CampaignError> {
        let watched = match process.take() {
            Some(running) => process.insert(running),
            None => process.insert(self.start(None, self.echo && task.is_new())?),
        };
        watched.say(task);
        let fate = watched.wait(limits, self.stop, &self.cycle)?;
        if !matches!(fate, Fate::Answered(_)) {
            *process = None;
        }
        Ok(fate)
    }

    /// Runs a case again whose process died, and tells where it dies again.
    fn again(
        &self,
        process: &mut Option<Watched>,
        task: &Task,
        mut death: Death,
    ) -> Result<Verdict, CampaignError> {
        for _ in 1..TRIES {
            let telling = Some(if death.at > LONG { death.at } else { 0 });
            let careful = task.done(How { telling, ending: None });
            match self.try_once(process, &careful, self.limits)? {
                Fate::Answered(answer) if death.from_outside => return Ok(Verdict::Passed(answer)),
                Fate::Answered(answer) => return Ok(Verdict::Once(answer, death.stop)),
                Fate::Abandoned => return Ok(Verdict::Abandoned),
                Fate::Died(next) => {
                    let hangs =
                        death.stop == next.stop && matches!(next.stop, Stop::Hang | Stop::Memory);
                    death = next;
                    // What may have come from outside has to come again and again.
                    if hangs || !death.from_outside {
                        break;
                    }
                }
            }
        }
        let Death { cycle, stop, printed, .. } = death;
        Ok(Verdict::Repeats(Ending { cycle, stop }, printed))
    }

    /// What comes of a case of a campaign whose process died, for the so manieth time.
    fn judge(
        &self,
        work: &Work<'_>,
        number: u64,
        death: Death,
        deaths: usize,
    ) -> Result<Judged, CampaignError> {
        let cases = work.cases.get();
        let ending = if deaths >= TRIES {
            // It passes alone, and not here.
            Ending { cycle: None, stop: death.stop }
        } else {
            let case = cases.case(number);
            let exam = Exam::of(&case);
            match self.again(&mut None, &task_of(&exam, &work.setup), death)? {
                Verdict::Abandoned => return Ok(Judged::Abandoned),
                Verdict::Passed(_) => return Ok(Judged::Again(None)),
                Verdict::Once(_, stop) => return Ok(Judged::Again(Some(stop))),
                Verdict::Repeats(ending, _) => ending,
            }
        };
        // The golden model stands for the design: nothing can happen to this process.
        let mut runner = Runner::new(work.setup, cases);
        runner.run(number, Some(&ending)).map(Box::new).map(Judged::Record)
    }

    /// What is seen of a case whose process died.
    fn examined_after(
        &self,
        process: &mut Option<Watched>,
        exam: &Exam<'_>,
        task: &Task,
        death: Death,
        setup: &Setup<'_>,
    ) -> Result<Examined, CampaignError> {
        if exam.effort != Effort::Full {
            let ending = Ending { cycle: death.cycle, stop: death.stop };
            return stand_in(exam, &ending, death.printed, setup);
        }
        match self.again(process, task, death)? {
            Verdict::Abandoned => Err(CampaignError::Stopped),
            Verdict::Passed(answer) => examined(*answer),
            Verdict::Once(answer, stop) => {
                let seen = examined(*answer)?;
                if seen.found.is_some() {
                    return Ok(seen);
                }
                // Where it happened is not known.
                let ending = Ending { cycle: None, stop };
                let mut seen = stand_in(exam, &ending, seen.printed, setup)?;
                if let Some(found) = &mut seen.found {
                    (found.ending, found.note) = (None, Some(NOT_AGAIN.to_owned()));
                }
                Ok(seen)
            }
            Verdict::Repeats(ending, printed) => {
                self.known(process, exam, task, &ending, printed, setup)
            }
        }
    }

    /// What is seen of a case whose end is known.
    fn known(
        &self,
        process: &mut Option<Watched>,
        exam: &Exam<'_>,
        task: &Task,
        ending: &Ending,
        printed: String,
        setup: &Setup<'_>,
    ) -> Result<Examined, CampaignError> {
        if exam.report.is_some() {
            let task = task.done(How { telling: None, ending: Some(ending.clone()) });
            match self.try_once(process, &task, self.limits)? {
                Fate::Answered(answer) => return Ok(Examined { printed, ..examined(*answer)? }),
                Fate::Abandoned => return Err(CampaignError::Stopped),
                // It ends its process in yet another way.
                Fate::Died(_) => {}
            }
        }
        stand_in(exam, ending, printed, setup)
    }
}

impl Place for Processes<'_> {
    fn work(&self, work: &Work<'_>) -> Result<(), CampaignError> {
        let (profile, seed) = (Box::new(work.settings.profile.clone()), work.settings.seed);
        let bins = work.cases.get().steering.bins();
        let campaign = Task::Campaign { profile, seed, bins };
        let mut process: Option<Watched> = None;
        // Cases in the order in which the process runs them, and how many of them it has been told.
        let (mut given, mut told) = (VecDeque::new(), 0);
        // How often the process died at the first of them, and whether that was its own doing.
        let (mut deaths, mut own) = (0, None);
        loop {
            while given.len() < AHEAD
                && let Some(number) = (work.next)()
            {
                given.push_back(number);
            }
            let Some(&number) = given.front() else { return Ok(()) };
            let watched = match process.take() {
                Some(running) => process.insert(running),
                None => process.insert(self.start(Some(&campaign), self.echo)?),
            };
            for number in given.range(told..) {
                watched.say(&Task::Case { number: *number });
            }
            told = given.len();
            let record = match watched.wait(self.limits, self.stop, &self.cycle)? {
                Fate::Answered(answer) => {
                    told -= 1;
                    finished(*answer, own.take())?
                }
                Fate::Abandoned => return Ok(()),
                Fate::Died(death) => {
                    (process, told) = (None, 0);
                    deaths += 1;
                    match self.judge(work, number, death, deaths)? {
                        Judged::Record(record) => *record,
                        Judged::Again(stop) => {
                            own = stop.or(own);
                            continue;
                        }
                        Judged::Abandoned => return Ok(()),
                    }
                }
            };
            given.pop_front();
            (deaths, own) = (0, None);
            if !(work.done)(record) {
                return Ok(());
            }
        }
    }

    fn examine(&self, exam: &Exam<'_>, setup: &Setup<'_>) -> Result<Examined, CampaignError> {
        let mut single = self.single.lock().unwrap_or_else(PoisonError::into_inner);
        let task = task_of(exam, setup);
        if let Some(ending) = exam.ending {
            return self.known(&mut single, exam, &task, ending, String::new(), setup);
        }
        let watchdog = match exam.effort {
            Effort::Full => self.limits.watchdog,
            Effort::Try | Effort::TryEnding => self.limits.watchdog.min(PROBE),
        };
        match self.try_once(&mut single, &task, Limits { watchdog, ..self.limits })? {
            Fate::Answered(answer) => {
                let printed = single.as_ref().map(|s| s.printed()).unwrap_or_default();
                Ok(Examined { printed, ..examined(*answer)? })
            }
            Fate::Abandoned => Err(CampaignError::Stopped),
            Fate::Died(death) => {
                let seen = self.examined_after(&mut single, exam, &task, death, setup);
                // What was tried after the first time was not shown once more.
                if self.echo {
                    *single = None;
                }
                seen
            }
        }
    }
}

/// What is seen of a case with the golden model in the place of a design that is known to end.
fn stand_in(
    exam: &Exam<'_>,
    ending: &Ending,
    printed: String,
    setup: &Setup<'_>,
) -> Result<Examined, CampaignError> {
    let exam = Exam { ending: Some(ending), ..*exam };
    let seen = exam::examine(&exam, &Setup { design: &GoldenDesign, ..*setup })?;
    Ok(Examined { printed, ..seen })
}

/// The task of looking at a case.
fn task_of(exam: &Exam<'_>, setup: &Setup<'_>) -> Task {
    let telling = (exam.effort == Effort::TryEnding).then_some(0);
    Task::Exam {
        case: drra_case::to_json(exam.case),
        cycles: exam.cycles.or(setup.cycles),
        report: exam.report.cloned().map(Box::new),
        how: How { telling, ending: None },
    }
}

/// The record of a case. One that ended its process before, by its own doing, has failed.
fn finished(answer: Answer, own: Option<Stop>) -> Result<Record, CampaignError> {
    let Answer::Finished(mut record) = answer else { return Err(unexpected(answer)) };
    if let Some(stop) = own {
        record.failure.get_or_insert_with(|| (signature::stopped(&stop.into()), 0));
    }
    Ok(*record)
}

fn examined(answer: Answer) -> Result<Examined, CampaignError> {
    match answer {
        Answer::Examined(examined) => Ok(*examined),
        other => Err(unexpected(other)),
    }
}

fn unexpected(answer: Answer) -> CampaignError {
    match answer {
        Answer::Failed(trouble) => CampaignError::Worker(trouble),
        other => CampaignError::WorkerFailed {
            printed: Some(format!("an answer to nothing: {other:?}")),
        },
    }
}
