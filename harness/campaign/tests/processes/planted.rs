// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs that do harm when they see certain program words, and the processes that have them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use drra_campaign::{
    CampaignResult, Settings,
    process::{Limits, WorkerPool, serve},
    run_on, shrink,
};
use drra_generate::Profile;
use drra_lockstep::{GoldenDesign, Setup};
use drra_report::summary::{Summary, Timing};
use drra_testkit::{Fault, Faulty};

/// What a worker may take: a clock cycle that takes longer hangs.
const LIMITS: Limits = Limits { watchdog: Duration::from_millis(1500), memory: 500 << 20 };

/// Does no harm.
fn good(word: u32) -> u32 {
    word
}

/// Crashes, and tells why.
fn crashing(word: u32) -> u32 {
    if word % 577 == 5 {
        println!("what a design prints to standard output");
        eprintln!("a word that it cannot bear\u{7}");
        std::process::abort();
    }
    word
}

/// Crashes, ends its process as if all were well or not, loses bits.
fn bad(word: u32) -> u32 {
    match word % 1021 {
        7 | 407 => std::process::exit(0),
        20..30 => std::process::exit(3),
        100..110 => word ^ 1,
        _ => crashing(word),
    }
}

/// Never comes to an end.
fn hanging(word: u32) -> u32 {
    if word % 4093 == 3 {
        loop {
            std::hint::spin_loop();
        }
    }
    word
}

/// Takes memory without end, faster than it would hang.
fn leaking(word: u32) -> u32 {
    if word % 4093 == 3 {
        let mut taken = Vec::new();
        loop {
            taken.push(std::hint::black_box(vec![1u8; 32 << 20]));
        }
    }
    word
}

/// A design by its name.
fn design(name: &str) -> Faulty<'static> {
    let fault = match name {
        "good" => good,
        "crashing" => crashing,
        "bad" => bad,
        "hanging" => hanging,
        "leaking" => leaking,
        other => panic!("no design {other}"),
    };
    Faulty::new(&GoldenDesign, Fault::Word(fault))
}

/// A worker process.
pub(crate) fn worker(name: &str) {
    ctrlc::set_handler(|| {}).unwrap();
    let design = design(name);
    serve(&Setup { design: &design, cycles: None }).unwrap();
}

pub(crate) fn settings(cases: u64, folder: Option<PathBuf>) -> Settings {
    Settings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 3,
        cases: Some(cases),
        jobs: 2,
        folder,
        // Steps are counted, time is not.
        shrink: shrink::Bounds { steps: 40, time: Duration::from_secs(1000) },
        ..Settings::default()
    }
}

/// Runs a campaign in worker processes.
pub(crate) fn run(name: &str, settings: &Settings, stop: &AtomicBool) -> CampaignResult {
    let design = design(name);
    let setup = Setup { design: &design, cycles: None };
    let command = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["worker", name]);
        command
    };
    let executor = WorkerPool::new(&command, stop).with_limits(LIMITS);
    run_on(settings, &setup, &executor, stop, &mut |_| {}).unwrap()
}

/// A process with a campaign that a signal ends with its summary.
pub(crate) fn campaign(name: &str, cases: &str, folder: &str) {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed)).unwrap();
    let folder = PathBuf::from(folder);
    let resume = folder.join("journal.jsonl").exists();
    let settings = Settings { resume, ..settings(cases.parse().unwrap(), Some(folder)) };
    let result = run(name, &settings, &stop);
    std::process::exit(if result.summary.timing.interrupted { 4 } else { 0 });
}

/// A summary without what depends on time or machine.
pub(crate) fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

/// The summary in a folder.
pub(crate) fn summary_of(folder: &Path) -> Summary {
    Summary::parse(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}
