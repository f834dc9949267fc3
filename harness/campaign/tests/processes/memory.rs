// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory use of long campaigns.

use std::{cell::Cell, path::Path, sync::atomic::AtomicBool};

use drra_campaign::{
    CampaignError, CampaignSettings, CaseRecord, CaseResult, CaseRun, Executor, ProgressEvent,
    WorkerContext, journal, run_on,
};
use drra_lockstep::{GoldenDesign, RunSetup};

/// An executor that finishes every case immediately.
struct Stub;

impl Executor for Stub {
    fn run_worker(&self, context: &WorkerContext<'_>) -> Result<(), CampaignError> {
        while let Some(case) = context.next() {
            let record = CaseRecord {
                case,
                cycles: 300,
                instructions: 40,
                kinds: vec![1; 20],
                moved: (case % 16 == 0).then_some([[9, 8]; 3]),
                bins: vec![3, 4 + (case % 1000) as u32],
                ..CaseRecord::default()
            };
            if !context.done(record) {
                break;
            }
        }
        Ok(())
    }

    fn run_case(&self, _: &CaseRun<'_>, _: &RunSetup<'_>) -> Result<CaseResult, CampaignError> {
        unreachable!("no case fails")
    }
}

/// Bytes of memory in use by this process; `None` where the system does not report them.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024 * line.split_whitespace().next()?.parse::<u64>().ok()?)
}

/// The memory use of a campaign does not grow with the number of its cases. `DRRA_HOSTILE=N` runs N thousand cases.
pub(crate) fn memory_is_constant() {
    let asked = std::env::var("DRRA_HOSTILE").ok().and_then(|n| n.parse::<u64>().ok());
    let cases = 1000 * asked.unwrap_or(60);
    let dir = tempfile::tempdir().unwrap();
    let folder = Some(dir.path().join("campaign"));
    let settings =
        CampaignSettings { cases: Some(cases), jobs: 2, folder, ..CampaignSettings::default() };
    let setup = RunSetup::new(&GoldenDesign);
    let (early, late) = (Cell::new(None), Cell::new(None));
    let stop = AtomicBool::new(false);
    let run = |settings: &CampaignSettings| {
        run_on(settings, &setup, &Stub, &stop, &mut |progress| {
            if let ProgressEvent::Case { cases: done, .. } = progress {
                if done == cases / 10 {
                    early.set(resident_bytes());
                }
                if done == cases {
                    late.set(resident_bytes());
                }
            }
        })
    };
    let summary = run(&settings).unwrap().summary;
    assert_eq!((summary.cases, summary.cycles), (cases, 300 * cases));
    let journal = dir.path().join("campaign").join(journal::FILE_NAME);
    let bytes = std::fs::metadata(journal).unwrap().len();
    let (Some(early), Some(late)) = (early.get(), late.get()) else {
        println!("skipped: this system does not report the memory of a process");
        return;
    };
    println!("{cases} cases: {early} bytes early, {late} at the end, journal of {bytes} bytes");
    assert!(bytes <= 40 * cases, "{bytes} bytes of journal");
    // Records waiting for the journal occupy some megabytes.
    let per_case = late.saturating_sub(early) as f64 / (cases as f64 * 0.9);
    assert!(per_case < 60.0, "{per_case} bytes per case");
    // A resumed campaign reads its journal line by line, however often it is resumed.
    let again = run(&CampaignSettings { resume: true, ..settings.clone() }).unwrap().summary;
    assert_eq!(again.cases, cases);
}
