// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: the number of workers, shards, interruptions and kills change nothing in the result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use drra_cosim::GEOMETRY;
use drra_cosim::campaign;
use drra_cosim::campaign::Outcome;
use drra_cosim::campaign::Settings;
use drra_cosim::campaign::Summary;
use drra_cosim::campaign::Timing;
use drra_cosim::campaign::journal;
use drra_cosim::case;
use drra_cosim::generate::Profile;
use drra_cosim::lockstep::Options;
use drra_cosim::shrink;
use drra_cosim::signature;

/// A faulty program port: every RACCU subtraction becomes an addition.
fn subtraction_lost(word: u32) -> u32 {
    if word >> 20 == 10 << 3 | 2 { word ^ 3 << 20 } else { word }
}

fn settings(folder: Option<PathBuf>) -> Settings {
    Settings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 7,
        cases: Some(60),
        time: None,
        jobs: 1,
        shard: [1, 1],
        folder,
        resume: false,
        shrink: shrink::Bounds {
            time: Duration::from_secs(1000),
            fault: Some(subtraction_lost),
            ..shrink::Bounds::default()
        },
    }
}

fn run(settings: &Settings) -> Outcome {
    campaign::run(settings, &GEOMETRY, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

/// The summary without what depends on time or machine.
fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

/// All files of the failures of a campaign.
fn failure_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for failure in fs::read_dir(folder.join("failures")).unwrap() {
        for file in fs::read_dir(failure.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            // The command that repeats the case names its folder.
            let place = folder.display().to_string();
            let mut contents = fs::read(&path).unwrap();
            if let Ok(text) = std::str::from_utf8(&contents) {
                contents = text.replace(&place, "FOLDER").into_bytes();
            }
            files.insert(path.strip_prefix(folder).unwrap().to_owned(), contents);
        }
    }
    files
}

#[test]
fn workers_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [one, two] = [1, 2].map(|jobs| {
        let folder = dir.path().join(jobs.to_string());
        let outcome = run(&Settings { jobs, ..settings(Some(folder.clone())) });
        (outcome.summary, failure_files(&folder))
    });
    assert_eq!(timeless(&one.0), timeless(&two.0));
    assert_eq!(one.1, two.1);
    // One fault, one failure, its files, a case of a single instruction.
    assert_eq!(one.0.failures.len(), 1, "{:?}", one.0.failures);
    assert!(one.0.failed >= 2);
    let names: Vec<_> =
        one.1.keys().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let expected = [
        "case.full.json",
        "case.json",
        "program.sasm",
        "report.html",
        "report.json",
        "report.txt",
        "wave.fst",
        "wave.gtkw",
        "wave.sucl",
    ];
    assert_eq!(names, expected);
    let text = one.1.iter().find(|(p, _)| p.ends_with("case.json")).unwrap().1;
    let small = case::parse(std::str::from_utf8(text).unwrap(), &GEOMETRY).unwrap();
    assert_eq!(small.program.word_count(), 1);

    // The stored case fails in the same way, and not without the fault.
    let faulty = Options { fault: Some(subtraction_lost), ..Options::default() };
    let failing = signature::check(&small, &GEOMETRY, &faulty).unwrap().unwrap();
    assert_eq!(failing.signature, one.0.failures[0].signature);
    assert!(signature::check(&small, &GEOMETRY, &Options::default()).unwrap().is_none());
}

#[test]
fn shards_join_into_one_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let whole = run(&settings(Some(dir.path().join("whole")))).summary;
    let folders: Vec<PathBuf> = (1..=3)
        .map(|shard| {
            let folder = dir.path().join(format!("shard{shard}"));
            let parts = Settings { shard: [shard, 3], ..settings(Some(folder.clone())) };
            assert!(run(&parts).summary.cases < whole.cases);
            folder
        })
        .collect();
    let (header, records) = campaign::merge(&folders).unwrap();
    let joined = Summary::new(&header, &records, Timing::default());
    assert_eq!(joined.to_json(), timeless(&whole));

    let other = dir.path().join("other");
    run(&Settings { seed: 8, cases: Some(2), ..settings(Some(other.clone())) });
    let error = campaign::merge(&[folders[0].clone(), other]).unwrap_err().to_string();
    assert!(error.contains("is another campaign"), "{error}");
}

#[test]
fn resumed_campaigns_end_alike() {
    let dir = tempfile::tempdir().unwrap();
    let whole_folder = dir.path().join("whole");
    let whole = run(&settings(Some(whole_folder.clone()))).summary;
    // What a killed process leaves: some lines, the last one torn, no summary.
    let folder = dir.path().join("killed");
    fs::create_dir(&folder).unwrap();
    let text = fs::read(whole_folder.join(journal::FILE_NAME)).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let torn = [lines[..20].concat(), lines[20][..10].to_vec()].concat();
    fs::write(folder.join(journal::FILE_NAME), torn).unwrap();
    // A reduction that was cut short left its files, too.
    let cut = folder.join(&whole.failures[0].folder);
    fs::create_dir_all(&cut).unwrap();
    for name in ["case.full.json", "case.json", "program.sasm", "report.txt"] {
        fs::write(cut.join(name), "cut short").unwrap();
    }
    let again = run(&Settings { resume: true, ..settings(Some(folder.clone())) }).summary;
    assert_eq!(timeless(&again), timeless(&whole));
    assert_eq!(failure_files(&folder), failure_files(&whole_folder));
}

fn drra(args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(args).arg(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Waits until the journal of a running campaign has some finished cases.
fn wait_for_cases(child: &mut Child, folder: &Path, cases: usize) {
    let lines = || fs::read_to_string(folder.join(journal::FILE_NAME)).unwrap_or_default();
    while lines().lines().count() < cases + 1 {
        assert!(child.try_wait().unwrap().is_none(), "the campaign ended early");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn summary_of(folder: &Path) -> Summary {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_killed_process_loses_only_cases_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let fuzz = ["fuzz", "--profile", "smoke", "--cases", "250", "--jobs", "2", "--out"];
    let whole = dir.path().join("whole");
    assert!(drra(&fuzz, &whole).output().unwrap().status.success());

    let killed = dir.path().join("killed");
    let mut child = drra(&fuzz, &killed).spawn().unwrap();
    wait_for_cases(&mut child, &killed, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!killed.join("summary.json").exists());
    let output = drra(&["fuzz", "--resume"], &killed).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(timeless(&summary_of(&killed)), timeless(&summary_of(&whole)));
}

#[cfg(unix)]
#[test]
fn an_interrupted_process_ends_with_its_summary() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("interrupted");
    let fuzz = ["fuzz", "--profile", "smoke", "--time", "10m", "--jobs", "2", "--out"];
    let mut child = drra(&fuzz, &folder).spawn().unwrap();
    wait_for_cases(&mut child, &folder, 10);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cases") && text.contains("interrupted; go on with"), "{text}");
    assert!(summary_of(&folder).cases >= 10);
}

/// The summary follows its schema.
#[test]
fn summary_schema() {
    let schema = include_str!("../../harness/campaign/summary.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let summary = run(&settings(None)).summary;
    let value = serde_json::from_str(&summary.to_json()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}
