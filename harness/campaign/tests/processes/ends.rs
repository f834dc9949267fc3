// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design that ends or blocks its process causes a failure of a case.

use std::{
    fs,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use drra_campaign::{CampaignSettings, journal, shrink};
use drra_lockstep::GoldenDesign;
use drra_report::unfitted;

use crate::planted::{run, settings, summary_of, timeless};

const CASES: u64 = 100;

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

/// Each way to end a process has its own signature, case and report.
pub(crate) fn every_end_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    // The name is not UTF-8, so JSON cannot contain it; the workers write into it.
    #[cfg(target_os = "linux")]
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"campa\xefgn");
    #[cfg(not(target_os = "linux"))]
    let name = "campaign";
    let folder = dir.path().join(name);
    let result = run("bad", &settings(CASES, Some(folder.clone())), &never());
    assert!(result.incomplete.is_none());
    assert_eq!(result.summary.cases, CASES, "the campaign continues");
    let signatures: Vec<&str> =
        result.summary.failures.iter().map(|f| f.signature.as_str()).collect();
    for expected in ["model crash SIGABRT", "model crash exit code 0", "model crash exit code 3"] {
        assert!(signatures.contains(&expected), "{expected}: {signatures:?}");
    }
    assert!(signatures.iter().any(|s| !s.starts_with("model")), "{signatures:?}");
    for (failure, entry) in result.summary.failures.iter().zip(&result.entries) {
        let report = entry.report.as_ref().unwrap_or_else(|| panic!("{entry:?}"));
        assert_eq!(report.signature, failure.variants[0].signature);
        let of_failure = folder.join(&failure.folder);
        for name in ["case.full.json", "case.json", "report.html", "report.txt", "wave.fst"] {
            assert!(of_failure.join(name).is_file(), "{}: {name}", failure.signature);
        }
    }
    // A crash is reduced to the word that causes it; its log contains the output, and its report the last line of it.
    let crash = result.summary.failures.iter().find(|f| f.signature.ends_with("ABRT")).unwrap();
    let crash = folder.join(&crash.folder);
    let text = fs::read_to_string(crash.join("case.json")).unwrap();
    let case = drra_case::parse(&text).unwrap();
    assert_eq!(case.program.word_count(), 1);
    let expect = case.expect.unwrap();
    assert_eq!((expect.path.as_str(), expect.cycle), ("the model", case.stimulus.end() - 1));
    let log = fs::read_to_string(crash.join(drra_results::LOG_FILE)).unwrap();
    assert_eq!(log, "what a design prints to standard output\na word that it cannot handle␇\n");
    let report = fs::read_to_string(crash.join("report.txt")).unwrap();
    let words = "the model crashes: SIGABRT; its last output: a word that it cannot handle␇";
    assert!(unfitted(&report).contains(words), "{report}");
    assert!(report.contains(&format!("MISMATCH in cycle {}", expect.cycle)), "{report}");
}

/// A case in which the design never finishes a cycle fails, and the campaign continues.
pub(crate) fn a_hang_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("campaign");
    // A hanging candidate of the reduction takes time, too.
    let bounds = shrink::ReductionBounds { steps: 4, ..shrink::ReductionBounds::default() };
    let settings = CampaignSettings { shrink: bounds, ..settings(CASES, Some(folder.clone())) };
    let result = run("hanging", &settings, &never());
    assert_eq!(result.summary.cases, CASES);
    let [failure] = &result.summary.failures[..] else { panic!("{:?}", result.summary.failures) };
    assert_eq!(failure.signature, "model hang");
    let report = fs::read_to_string(folder.join(&failure.folder).join("report.txt")).unwrap();
    assert!(report.contains("the model does not finish a clock cycle"), "{report}");
}

/// A case in which the design allocates memory endlessly fails, but harms neither the machine nor the campaign.
pub(crate) fn a_leak_is_a_failure() {
    if !std::path::Path::new("/proc/self/status").exists() {
        println!("skipped: this system does not report the memory of a process");
        return;
    }
    let bounds = shrink::ReductionBounds { steps: 4, ..shrink::ReductionBounds::default() };
    let result =
        run("leaking", &CampaignSettings { shrink: bounds, ..settings(CASES, None) }, &never());
    assert_eq!(result.summary.cases, CASES);
    let [failure] = &result.summary.failures[..] else { panic!("{:?}", result.summary.failures) };
    assert_eq!(failure.signature, "out of memory");
    let report = result.entries[0].report.as_ref().unwrap().text(drra_report::Colouring::Plain);
    assert!(unfitted(&report).contains("uses more memory than a worker is allowed"), "{report}");
}

/// A campaign that was stopped in the middle and resumed does not stop at a crashing case.
pub(crate) fn a_campaign_goes_on_behind_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let whole = run("bad", &settings(CASES, Some(dir.path().join("whole"))), &never()).summary;
    assert!(whole.failed >= 3, "{whole:?}");
    let cut = dir.path().join("cut");
    fs::create_dir(&cut).unwrap();
    let text = fs::read(dir.path().join("whole").join(journal::FILE_NAME)).unwrap();
    // The journal is cut after the settings, in the middle of the cases.
    let first = text.iter().position(|byte| *byte == b'\n').unwrap();
    fs::write(cut.join(journal::FILE_NAME), &text[..(first + text.len()) / 2]).unwrap();
    let again = CampaignSettings { resume: true, ..settings(CASES, Some(cut.clone())) };
    assert_eq!(timeless(&run("bad", &again, &never()).summary), timeless(&whole));
    assert_eq!(timeless(&summary_of(&cut)), timeless(&whole));
}

pub(crate) fn the_number_of_workers_changes_nothing() {
    let summaries = [1, 3].map(|jobs| {
        let settings = CampaignSettings { jobs, ..settings(CASES, None) };
        timeless(&run("bad", &settings, &never()).summary)
    });
    assert_eq!(summaries[0], summaries[1]);
    // Nor does it matter which case a worker is sent next, even after a crash behind a difference: the shards of a
    // campaign run as many cycles as the whole.
    let cycles = |shard| {
        let settings = CampaignSettings { jobs: 1, shard, ..settings(CASES, None) };
        run("bad", &settings, &never()).summary.cycles
    };
    let shards = [1, 2].map(|number| cycles([number, 2]));
    assert_eq!(shards[0] + shards[1], cycles([1, 1]));
    // Without workers, the cases are the same, those with a target included.
    let settings = settings(CASES, None);
    let here = drra_campaign::run(&settings, &GoldenDesign, &never(), &mut |_| {}).unwrap();
    assert_eq!(timeless(&run("good", &settings, &never()).summary), timeless(&here.summary));
}

/// A signal ends a campaign in bounded time, even if its cases hang.
pub(crate) fn a_stop_does_not_wait_for_a_hang() {
    let start = Instant::now();
    let stop = AtomicBool::new(true);
    let result = std::thread::scope(|scope| {
        stop.store(false, std::sync::atomic::Ordering::Relaxed);
        let stopping = &stop;
        scope.spawn(move || {
            std::thread::sleep(Duration::from_secs(2));
            stopping.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        run("hanging", &CampaignSettings { cases: None, jobs: 3, ..settings(0, None) }, &stop)
    });
    assert!(result.summary.timing.interrupted);
    // The bound is not tight, because the machine may be slow; a hanging cycle never ends by itself.
    assert!(start.elapsed() < Duration::from_secs(120));
}
