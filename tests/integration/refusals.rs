// SPDX-License-Identifier: MIT OR Apache-2.0
//! Invalid input to campaigns: each message states the problem and the remedy, and nothing is partially written.

use std::{fs, path::Path};

use drra_campaign::{
    Tally,
    journal::{self, Journal, read_each},
    timestamps::Timestamp,
};
use drra_results::summary::{MissingCases, Summary};

use crate::{drra_in, refused};

const FUZZ: [&str; 5] = ["fuzz", "--profile", "smoke", "--jobs", "1"];

/// A campaign of this many cases in a folder below another.
fn campaign(dir: &Path, name: &str, cases: &str) {
    let output = drra_in(dir, &[&FUZZ[..], &["--cases", cases, "--out", name]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Settings that differ from the settings with which a campaign was started.
#[test]
fn other_settings_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    campaign(dir, "two", "2");
    campaign(dir, "three", "3");
    let begun = |more: &[&'static str]| [&FUZZ[..], &["--out", "two"], more].concat();
    let remedy = "give another folder, or resume the campaign with drra fuzz --resume";
    refused(dir, &begun(&["--cases", "2"]), &["two/journal.jsonl", remedy]);
    let parts = [
        "another campaign (smoke, seed 1, shard 1 of 1): seed, shard differ",
        "its original settings",
    ];
    let other = ["--cases", "2", "--seed", "2", "--shard", "1/2", "--continue"];
    refused(dir, &begun(&other), &parts);
    let fewer =
        ["two: the campaign already has 2 cases, more than 1", "omit --cases to keep their number"];
    refused(dir, &["fuzz", "--resume", "two", "--cases", "1"], &fewer);
    let lengths =
        ["three: ", "number of cases differs", "give the folders of shards of one campaign"];
    refused(dir, &["merge", "two", "three", "--out", "joined"], &lengths);
    assert!(!dir.join("joined").exists());
    refused(dir, &[&FUZZ[..], &["--watchdog", "0s"]].concat(), &["--watchdog", "more than 0 s"]);
    let below_a_file = [&FUZZ[..], &["--out", "two/summary.json/x"]].concat();
    refused(dir, &below_a_file, &["summary.json/x", "give a readable and writable folder"]);
}

/// Results of another build.
#[test]
fn other_builds_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    campaign(dir, "mine", "2");
    let mut lines = Vec::new();
    let outline = read_each(&dir.join("mine"), &mut |sums| {
        lines.push(sums);
        Ok(())
    });
    let mut header = outline.unwrap().header;
    header.identity.rtl = "c0ffee".to_owned();
    let mut other = Journal::create(&dir.join("other"), &header).unwrap();
    lines.iter().for_each(|sums| other.append(sums).unwrap());
    other.append(&Timestamp::Ended { at: String::new(), until: vec![[0, 2]] }).unwrap();
    drop(other);
    let parts = ["other: run with ", "RTL c0ffee", "(RTL differs)", "or add --mix"];
    refused(dir, &["fuzz", "--resume", "other", "--cases", "3"], &parts);
    refused(dir, &["merge", "mine", "other", "--out", "joined"], &parts);
    refused(dir, &["cover", "mine", "other"], &parts);
    let mixed = drra_in(dir, &["merge", "mine", "other", "--out", "joined", "--mix"]);
    assert_eq!(mixed.status.code(), Some(0), "{mixed:?}");
}

/// Plusargs change what a design does, so they are part of its identity.
#[cfg(feature = "rtl")]
#[test]
fn other_plusargs_are_another_design() {
    let dir = tempfile::tempdir().unwrap();
    let with = |plusargs: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_drra"));
        command.args(arguments).env("DRRA_PLUSARGS", plusargs).current_dir(dir.path());
        let (code, _, err) = crate::said(command.output().unwrap());
        (code, err)
    };
    let fuzz = [&FUZZ[..], &["--cases", "2", "--out", "deep"]].concat();
    assert_eq!(with("+depth=4", &fuzz).0, Some(0));
    let more = ["fuzz", "--resume", "deep", "--cases", "3"];
    for (plusargs, differs) in [("", true), (" +depth=5", true), (" +depth=4 ", false)] {
        let (code, err) = with(plusargs, &more);
        assert_eq!(err.contains("(RTL, model differ)"), differs, "{plusargs}: {err}");
        assert_eq!(code, Some(if differs { 2 } else { 0 }), "{plusargs}: {err}");
    }
    let summary = fs::read_to_string(dir.path().join("deep/summary.json")).unwrap();
    assert!(summary.contains(", +depth=4\""), "{summary}");
    for (plusargs, remedy) in
        [("depth=4", "write plusargs as in `+"), ("+verilator+seed+1", "remove it")]
    {
        let (code, err) = with(plusargs, &fuzz);
        let named = err.contains(&format!("DRRA_PLUSARGS: `{plusargs}`"));
        assert!(code == Some(2) && named && err.contains(remedy), "{err}");
    }
}

/// A damaged line is reported with the remedy. Only its cases are missing from a merge.
#[test]
fn damaged_lines_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    campaign(dir, "two", "2");
    let path = dir.join("two").join(journal::FILE_NAME);
    let good = fs::read_to_string(&path).unwrap();
    let damage = |what: &str, by: &str| {
        assert!(good.contains(what), "{what}: {good}");
        fs::write(&path, good.replacen(what, by, 1)).unwrap();
    };
    damage("\"seed\":1", "\"seed\":3");
    let parts = ["journal.jsonl:1: damaged", "start the campaign again in another folder"];
    refused(dir, &["fuzz", "--resume", "two"], &parts);
    // The lines of a journal: the settings, the beginning, and the cases.
    damage("\"kinds\":[", "\"kinds\":[1,");
    let parts = [
        "journal.jsonl:3: damaged",
        "delete this line; drra fuzz --resume then runs its cases again",
    ];
    refused(dir, &["fuzz", "--resume", "two"], &parts);
    for (out, partial, code) in [("joined", None, 4), ("part", Some("--partial"), 0)] {
        let merge = ["merge", "two", "--out", out].into_iter().chain(partial);
        let output = drra_in(dir, &merge.collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let [told, warned] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
        assert!(warned.contains("warning: two/journal.jsonl:3: damaged"), "{warned}");
        let names = ["summary.json", "index.html", "junit.xml"];
        let files = names.map(|name| fs::read_to_string(dir.join(out).join(name)).unwrap());
        for text in [&told, &files[1], &files[2]] {
            assert!(text.contains("cases 0 to 1"), "{text}");
        }
        let summary = Summary::parse(&files[0]).unwrap();
        assert_eq!(summary.missing, [MissingCases { shard: [1, 1], first: 0, last: Some(1) }]);
    }

    // The remedy that the message states.
    let lines: Vec<&str> = good.lines().collect();
    fs::write(&path, format!("{}\n", [&lines[..2], &lines[3..]].concat().join("\n"))).unwrap();
    assert_eq!(drra_in(dir, &["fuzz", "--resume", "two"]).status.code(), Some(0));
    assert_eq!(Tally::read(&dir.join("two")).unwrap().1.cases(), 2);
}

/// Rejected before anything is measured: a file that is not a measurement, or a measurement of another version or of
/// another fabric.
#[test]
fn other_measurements_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let against = ["bench", "--against", "earlier.json"];
    refused(dir, &against, &["earlier.json: there is no such file", "check the file name"]);
    let fabric = r#"{"columns": 31, "tile_rows": 2, "rf_words": 64, "sram_blocks": 128}"#;
    let campaign = r#"{"profile": "default", "cases": 60, "cases_per_second": 50.0, "shares": []}"#;
    let other = format!(
        r#"{{"version": 1, "fabric": {fabric}, "processor": "", "workloads": [], "campaign": {campaign}}}"#
    );
    let newer = other.replacen('1', "2", 1);
    for (text, part) in [
        ("{", "not a result of `drra bench --json`"),
        (&other, "measured on fabric 31x2"),
        (&newer, "version 2; this program reads version 1"),
    ] {
        fs::write(dir.join("earlier.json"), text).unwrap();
        refused(
            dir,
            &against,
            &["earlier.json", part, "measure again with `drra bench --out FILE`"],
        );
    }
}

/// If the memory limit is too low, the error names it and the remedy, before anything is written.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let limited = "ulimit -v 300000; exec \"$0\" fuzz --profile smoke --jobs 2 --out out";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_drra")]).current_dir(dir.path());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("needs 320 MiB of memory, but the limit is 292 MiB"), "{text}");
    assert!(text.contains("(ulimit -v), or reduce --jobs"), "{text}");
    assert!(!dir.path().join("out").exists());
}
