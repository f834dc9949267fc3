// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs that misbehave on certain program words, and the processes that run them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use drra_campaign::{
    CampaignResult, CampaignSettings,
    process::{WorkerLimits, WorkerPool, serve},
    run_on, shrink,
};
use drra_generate::Profile;
use drra_lockstep::{GoldenDesign, RunSetup};
use drra_results::summary::{Summary, Timing};
use drra_testkit::{Fault, FaultyDesign};

/// Limits of a worker: a clock cycle that takes longer than its limit is a hang.
const LIMITS: WorkerLimits =
    WorkerLimits { watchdog: Duration::from_millis(800), memory: 500 << 20 };

/// Behaves correctly.
fn good(word: u32) -> u32 {
    word
}

/// Crashes, and prints a message first.
fn crashing(word: u32) -> u32 {
    if word % 577 == 5 {
        println!("what a design prints to standard output");
        eprintln!("a word that it cannot handle\u{7}");
        std::process::abort();
    }
    word
}

/// Crashes, ends its process with success or an error code, or flips a bit.
fn bad(word: u32) -> u32 {
    match word % 1021 {
        7 | 407 => std::process::exit(0),
        20..30 => std::process::exit(3),
        100..110 => word ^ 1,
        _ => crashing(word),
    }
}

/// Never returns.
fn hanging(word: u32) -> u32 {
    if word % 4093 == 3 {
        loop {
            std::hint::spin_loop();
        }
    }
    word
}

/// Allocates memory endlessly, and exceeds its limit before the watchdog reports a hang.
fn leaking(word: u32) -> u32 {
    if word % 4093 == 3 {
        let mut taken = Vec::new();
        loop {
            taken.push(std::hint::black_box(vec![1u8; 32 << 20]));
        }
    }
    word
}

/// The file that `killed` makes.
static MARK: OnceLock<PathBuf> = OnceLock::new();

/// Flips a bit; the first process that does so is killed.
fn killed(word: u32) -> u32 {
    if !(100..110).contains(&(word % 1021)) {
        return word;
    }
    if std::fs::File::create_new(MARK.get().unwrap()).is_ok() {
        crate::kills::signal("KILL", std::process::id());
    }
    word ^ 1
}

/// The design with this name; that of `killed` ends with a colon and the file that it makes.
fn design(name: &str) -> FaultyDesign<'static> {
    let (name, mark) = name.split_once(':').unwrap_or((name, ""));
    MARK.get_or_init(|| mark.into());
    let fault = match name {
        "good" => good,
        "crashing" => crashing,
        "bad" => bad,
        "hanging" => hanging,
        "leaking" => leaking,
        "killed" => killed,
        other => panic!("no design {other}"),
    };
    FaultyDesign::new(&GoldenDesign, Fault::Word(fault))
}

/// Runs as a worker process, which must not write files: the process that started it does.
pub(crate) fn worker(name: &str) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        setrlimit(Resource::Fsize, none).unwrap();
    }
    ctrlc::set_handler(|| {}).unwrap();
    let design = design(name);
    serve(&RunSetup::new(&design)).unwrap();
}

pub(crate) fn settings(cases: u64, folder: Option<PathBuf>) -> CampaignSettings {
    CampaignSettings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 3,
        cases: Some(cases),
        jobs: 2,
        folder,
        // Only the number of steps is limited; the time limit is never reached.
        shrink: shrink::ReductionBounds { steps: 40, time: Duration::from_secs(1000) },
        ..CampaignSettings::default()
    }
}

/// Runs a campaign in worker processes.
pub(crate) fn run(name: &str, settings: &CampaignSettings, stop: &AtomicBool) -> CampaignResult {
    let design = design(name);
    let setup = RunSetup::new(&design);
    let command = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["worker", name]);
        command
    };
    let executor = WorkerPool::new(&command, stop).with_limits(LIMITS);
    run_on(settings, &setup, &executor, stop, &mut |_| {}).unwrap()
}

/// Runs as a campaign process, which a signal ends cleanly.
pub(crate) fn campaign(name: &str, cases: &str, folder: &str) {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed)).unwrap();
    let folder = PathBuf::from(folder);
    let resume = folder.join("journal.jsonl").exists();
    let settings = CampaignSettings { resume, ..settings(cases.parse().unwrap(), Some(folder)) };
    let result = run(name, &settings, &stop);
    std::process::exit(if result.summary.timing.interrupted { 4 } else { 0 });
}

/// The summary without the fields that depend on time or machine.
pub(crate) fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

/// The summary in a folder.
pub(crate) fn summary_of(folder: &Path) -> Summary {
    Summary::parse(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}
