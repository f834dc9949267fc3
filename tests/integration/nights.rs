// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report --history` and `drra night`: nights are compared, stored and removed.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{Folder, drra_in, said};

/// A summary of a night in 2026 with failures and their numbers of cases.
fn summary(profile: &str, day: u32, failures: &[(&str, u64)], bins: u64) -> Value {
    let failures: Vec<Value> = failures
        .iter()
        .map(|(signature, count)| {
            json!({"signature": signature, "count": count, "first_case": 3, "first_seed": 5, "cycle": 7,
                "folder": format!("failures/{signature}")})
        })
        .collect();
    json!({
        "version": 2, "profile": profile, "seed": 20_260_100 + day, "cases": 1000,
        "identity": {"version": "0.1.0", "revision": "c0ffee", "program": "p", "rtl": "abcdef", "model": "m",
            "profile": "q"},
        "failed": failures.len(), "cycles": 200_000,
        "compared": {"cycles": 200_000, "bit_cycles": 1, "ports": 1, "units": [], "not_compared": []},
        "instructions": 1, "kinds": {},
        "moved": {"cases": 0, "transfers": [0, 0], "results": [0, 0], "write_backs": [0, 0]},
        "coverage": [{"name": "group", "hit": bins, "bins": 400, "excluded": 0}],
        "failures": failures, "new_signature": 0.5, "new_bin": 0.5,
        "timing": {"seconds": 10.0, "cycles_per_second": 20_000.0 + f64::from(day), "jobs": 2,
            "started": format!("2026-01-{day:02}T22:00:00Z")},
    })
}

fn write(folder: &Path, summary: &Value) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
}

/// Compares nights in a folder; returns the exit code, the output and, if it was written, the page and the data.
fn history(folder: &Folder, arguments: &[&str], out: &str) -> (Option<i32>, String, String, Value) {
    let (code, text, err) =
        said(drra_in(folder.path(), &[&["report", "--history"], arguments].concat()));
    let page = fs::read_to_string(folder.join(out).join("history.html")).unwrap_or_default();
    let data = fs::read_to_string(folder.join(out).join("history.json"));
    let data = data.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
    let schema = include_str!("../../harness/results/history.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(data.is_null() || validator.is_valid(&data));
    (code, text + &err, page, data)
}

/// Failures are new, still failing, not reached or returned, by profile; nights are in chronological order.
#[test]
fn what_changed_since_the_night_before() {
    let dir = Folder::new();
    let write = |night: &str, summary: Value| write(&dir.join(night), &summary);
    let (stays, comes) =
        ([("stays", 4), ("early", 1), ("back", 2)], [("stays", 6), ("comes", 1), ("back", 1)]);
    write("a/smoke", summary("smoke", 1, &stays, 100));
    write("b/smoke", summary("smoke", 2, &[("stays", 5), ("goes", 1)], 120));
    write("b/chaos", summary("chaos", 2, &[("other", 1)], 30));
    write("c/smoke", summary("smoke", 3, &comes, 130));
    write("c/mutants", json!({"version": 1, "score": 98.5, "mutants": []}));

    let (code, text, page, data) = history(&dir, &["c", "a", "b", "--out", "out"], "out");
    assert_eq!(code, Some(1), "the latest night failed: {text}");
    let expected = "3 runs: 2026-01-01 to 2026-01-03\n\
        new: comes (smoke)\n\
        returned: back (smoke)\n\
        still failing: stays (smoke)\n\
        not reached in the last run: early (smoke)\n\
        not reached in the last run: goes (smoke)\n\
        profile not in the last run: other (chaos)\n";
    assert!(text.starts_with(expected), "{text}");

    let smoke = |night: usize| {
        let campaigns = data["nights"][night]["campaigns"].as_array().unwrap();
        campaigns.iter().find(|c| c["profile"] == "smoke").unwrap()
    };
    assert_eq!((&smoke(2)["hit"], &smoke(2)["distinct"]), (&json!(130), &json!(3)));
    // 20 003 cycles per second, 200 cycles per case.
    assert_eq!(smoke(2)["cases_per_second"], json!(100.015));
    assert_eq!(data["nights"][2]["mutation_score"], json!(98.5));
    let stays = data["failures"].as_array().unwrap().iter().find(|f| f["signature"] == "stays");
    assert_eq!(stays.unwrap()["cases"], json!([4, 5, 6]));

    for part in ["Distinct failures", "Coverage", "Cases per second", "Mutation score"] {
        assert!(page.contains(&format!("<title>{part}</title>")), "{part}");
    }
    // Each night has a point with its value.
    assert!(page.contains("2026-01-02, smoke: 30 %"), "{page}");
    assert!(page.contains("2026-01-03, mutation score: 98.50 %"));
}

/// Without `--out`, the files are in the folder of the latest night; a folder without a summary is refused.
#[test]
fn files_of_a_history() {
    let dir = Folder::new();
    write(&dir.join("one"), &summary("smoke", 5, &[], 10));
    write(&dir.join("two"), &summary("smoke", 4, &[("goes", 1)], 10));
    let (code, text, page, _) = history(&dir, &["one", "two"], "one");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("not reached in the last run: goes (smoke)"), "{text}");
    assert!(!page.is_empty() && !dir.join("two/history.html").exists());
    // A failure links to its page in the last run that shows it.
    dir.write("two/failures/goes/report.html", "");
    let page = history(&dir, &["one", "two"], "one").2;
    assert!(page.contains("href=\"./../two/failures/goes/report.html\""), "{page}");
    fs::create_dir(dir.join("none")).unwrap();
    let (code, text, ..) = history(&dir, &["one", "none"], "none");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("none: this folder contains no summary.json"), "{text}");
}

/// No text of a damaged summary begins a line of its own, or acts as a command in a terminal or in the log of a CI run.
#[test]
fn a_damaged_summary_gives_no_commands() {
    let dir = Folder::new();
    let signature = "one\n::error::two\r\n##[group]three \u{1b}]0;title\u{7}";
    write(&dir.join("night"), &summary("smoke", 1, &[(signature, 1)], 10));
    let text = history(&dir, &["night"], "night").1;
    assert!(text.contains("new: one␊::error::two␍␊＃#[group]three ␛]0;title␇ (smoke)\n"), "{text}");
}

/// An incomplete campaign of the last night is named with its missing cases, and determines the exit code unless there
/// is a failure.
#[test]
fn missing_cases_of_the_last_night() {
    let dir = Folder::new();
    let incomplete = |missing: &Value, failures: &[(&str, u64)]| {
        let mut summary = summary("smoke", 2, failures, 10);
        summary["missing"] = missing.clone();
        write(&dir.join("night"), &summary);
    };
    // Shard 2 of 3 lacks cases 1, 4, 7 and 10.
    let known = json!([{"shard": [2, 3], "first": 1, "last": 10}, {"shard": [3, 3], "first": 2, "last": 2}]);
    let unknown = json!([{"shard": [2, 3], "first": 1, "last": 10}, {"shard": [3, 3], "first": 2}]);
    for (missing, failures, code, line) in [
        (&known, &[][..], 4, "incomplete: smoke, 5 cases are missing\n"),
        (&unknown, &[], 4, "incomplete: smoke, an unknown number of cases is missing\n"),
        (&known, &[("new", 1)], 1, "incomplete: smoke, 5 cases are missing\n"),
    ] {
        incomplete(missing, failures);
        let (found, text, page, data) = history(&dir, &["night"], "night");
        assert_eq!(found, Some(code), "{text}");
        assert!(text.contains(line), "{text}");
        assert!(page.contains(&line[12..line.len() - 1]), "{page}");
        assert!(!page.contains("No failures in the last run."), "{page}");
        let number = &data["nights"][0]["campaigns"][0]["missing"];
        assert_eq!(*number, if missing == &known { json!(5) } else { Value::Null });
    }
    // Earlier nights do not count.
    incomplete(&known, &[]);
    write(&dir.join("old"), &summary("smoke", 3, &[], 10));
    assert_eq!(history(&dir, &["night", "old"], "old").0, Some(0));
}

/// Runs `drra night` in a folder, in the environment of a CI system or of none; returns exit code and standard output.
fn night(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    for name in ["GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL"] {
        command.env_remove(name);
    }
    command.arg("night").args(arguments).current_dir(folder);
    let (code, out, err) = said(command.envs(environment.iter().copied()).output().unwrap());
    (code.unwrap(), out + &err)
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Keeps the last 90 nights, in any path and with nights of version 1.0, and removes nothing else.
#[test]
fn the_last_nights_are_kept() {
    let dir = Folder::new();
    let folder = dir.join("ein Ordner ü 'q'");
    let kept = folder.join("-my nights");
    let other = ["notes", "20260001", "20260103.bak", "two\nlines"];
    for name in other {
        dir.write(&format!("ein Ordner ü 'q'/-my nights/{name}/note.txt"), "");
    }
    write(&kept.join("20260103.bak/smoke"), &summary("smoke", 3, &[], 10));
    fs::create_dir_all(folder.join("-my")).unwrap();
    // Named after their seeds, in an order that is not that of time.
    for day in 1..=95 {
        let mut summary = summary("smoke", day, &[("old", 1)], 10);
        summary["timing"]["started"] =
            json!(format!("2026-{:02}-{:02}T22:00:00Z", 1 + day / 28, 1 + day % 28));
        let seed = if day == 1 { "7".to_owned() } else { (20_260_100 + day).to_string() };
        write(&kept.join(seed).join("smoke"), &summary);
    }
    fs::write(kept.join("20260102/mine.txt"), "").unwrap();
    let mut last = summary("smoke", 1, &[("old", 2)], 10);
    last["timing"]["started"] = json!("2026-05-01T01:00:00Z");
    write(&folder.join("out/smoke"), &last);

    let (code, text) = night(&folder, &["history", "--", "out", "-my nights"], &[]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("stored in -my nights/20260501\n"), "{text}");
    assert!(text.contains("still failing: old (smoke)\n"), "{text}");
    let names = names(&kept);
    let nights: Vec<_> = names.iter().filter(|n| n.bytes().all(|b| b.is_ascii_digit())).collect();
    // 90 nights, a folder with a file of the user, and one that never was a night.
    assert_eq!(nights.len(), 92, "{nights:?}");
    assert!(!names.contains(&"7".to_owned()) && nights.contains(&&"20260107".to_owned()));
    assert_eq!(self::names(&kept.join("20260102")), ["mine.txt"]);
    assert!(other.iter().all(|name| kept.join(name).join("note.txt").is_file()));
    assert!(kept.join("20260103.bak/smoke/summary.json").is_file() && folder.join("-my").is_dir());
    // The remains of a night whose storing was killed are neither a night nor a part of the next one.
    let part = kept.join("20260501.2.drra-abcdef.part");
    write(&part.join("smoke"), &summary("smoke", 2, &[("part", 1)], 10));
    // The same night again, now with a list of known deviations, stays one night.
    fs::write(folder.join("known"), "old = #1: not fixed yet\n").unwrap();
    let known = [("DRRA_KNOWN", "known")];
    let (code, text) = night(&folder, &["history", "--", "out", "-my nights"], &known);
    assert_eq!((code, names.len() + 1), (0, self::names(&kept).len()), "{text}");
    assert!(!text.contains("part"), "{text}");
    // Storing another night of the same day removes these remains.
    last["timing"]["seconds"] = json!(11.0);
    write(&folder.join("out/smoke"), &last);
    let (_, text) = night(&folder, &["history", "--", "out", "-my nights"], &known);
    assert!(text.contains("stored in -my nights/20260501.2\n") && !part.exists(), "{text}");
}

/// Every run has a name of its own; only scheduled runs of one branch are stored, others are compared with them.
#[test]
fn which_runs_are_stored() {
    const GITHUB: [&str; 4] =
        ["GITHUB_ACTIONS", "GITHUB_RUN_NUMBER", "GITHUB_REF_NAME", "GITHUB_EVENT_NAME"];
    const GITLAB: [&str; 4] =
        ["GITLAB_CI", "CI_PIPELINE_IID", "CI_COMMIT_REF_NAME", "CI_PIPELINE_SOURCE"];
    const JENKINS: [&str; 4] = ["JENKINS_URL", "BUILD_NUMBER", "BRANCH_NAME", "DRRA_SCHEDULED"];
    let dir = Folder::new();
    let rows = [
        ("github", GITHUB, ["true", "17", "main", "schedule"], Some("20260101.main.17")),
        ("github", GITHUB, ["true", "17", "main", "push"], None),
        ("github", GITHUB, ["true", "17", "main", "pull_request"], None),
        ("github", GITHUB, ["true", "17", "main", "schedule"], Some("20260101.main.17.2")),
        ("github", GITLAB, ["1", "18", "other", "schedule"], None),
        ("github", GITLAB, ["1", "18", "main", "schedule"], Some("20260101.main.18")),
        ("jenkins", JENKINS, ["x", "19", "feature/ü.1", "no"], None),
        ("jenkins", JENKINS, ["x", "19", "feature/ü.1", "yes"], Some("20260101.feature-ü-1.19")),
        ("number", GITLAB, ["1", "18", "2026", "schedule"], Some("20260101.-2026.18")),
        ("number", GITLAB, ["1", "18", "main", "schedule"], None),
        ("hand", ["DRRA_SEED"; 4], ["7"; 4], Some("20260101")),
        ("hand", ["DRRA_SEED"; 4], ["7"; 4], Some("20260101.2")),
        ("hand", ["DRRA_SCHEDULED"; 4], ["no"; 4], None),
    ];
    for (run, (kept, variables, values, stored)) in rows.into_iter().enumerate() {
        // Every other run fails.
        let failures = [("red", 1)];
        let mut of_run = summary("smoke", 1, &failures[..run % 2], 10);
        of_run["seed"] = json!(run);
        write(&dir.join("out/smoke"), &of_run);
        let environment: Vec<_> = variables.into_iter().zip(values).collect();
        let (_, text) = night(dir.path(), &["history", "out", kept], &environment);
        match stored {
            Some(name) => {
                assert!(text.contains(&format!("stored in {kept}/{name}\n")), "{run}: {text}");
                assert!(dir.join(kept).join(name).join("smoke/summary.json").is_file());
            }
            None => assert!(text.contains("not stored: "), "{run}: {text}"),
        }
        let red = text.contains(": red (smoke)\n") && !text.contains("not reached in");
        assert_eq!(red, run % 2 == 1, "{run}: {text}");
    }
    assert_eq!(
        names(&dir.join("github")),
        ["20260101.main.17", "20260101.main.17.2", "20260101.main.18"]
    );
    let (code, text) = night(dir.path(), &["history", "out", "hand"], &[("DRRA_SCHEDULED", "x")]);
    assert!(code == 2 && text.contains("DRRA_SCHEDULED=x"), "{text}");
}

/// A night is kept with the cases and pages of its failures, so that a later night can run the cases again.
#[test]
fn a_night_is_kept_with_its_cases() {
    let dir = Folder::new();
    write(&dir.join("night/smoke"), &summary("smoke", 1, &[("goes", 1)], 10));
    for name in ["case.json", "report.html", "wave.fst"] {
        dir.write(&format!("night/smoke/failures/goes/{name}"), name);
    }
    assert_eq!(night(dir.path(), &["history", "night", "kept"], &[]).0, 1);
    let kept = dir.join("kept/20260101/smoke");
    assert_eq!(names(&kept), ["failures", "summary.json"]);
    assert_eq!(names(&kept.join("failures/goes")), ["case.json", "report.html"]);
    let page = fs::read_to_string(dir.join("night/history.html")).unwrap();
    assert!(page.contains("href=\"./smoke/failures/goes/report.html\""), "{page}");
}

/// Shards, merge and history, twice on one day, with profiles by name and by file. A profile that cannot be run does
/// not prevent the others from being run, and a merge without a shard is incomplete.
#[cfg(feature = "rtl")]
#[test]
fn a_night_from_its_shards_to_its_history() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ein Ordner ü 'q'");
    fs::create_dir_all(&folder).unwrap();
    let text = r#"{"version": 1, "name": "inner", "extends": "smoke"}"#;
    fs::write(folder.join("mein profil.json"), text).unwrap();
    for (day, seed) in [(1, "7"), (2, "8")] {
        let environment = [("DRRA_PROFILES", "smoke\nmein profil.json"), ("DRRA_SEED", seed)];
        let run = |code: i32, arguments: &str| {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let (found, text) = night(&folder, &arguments, &environment);
            assert_eq!(found, code, "{arguments:?}: {text}");
            text
        };
        run(0, &format!("shard 1/2 400ms {seed}/a"));
        let text = run(4, &format!("merge {seed} half{seed}"));
        assert!(text.contains("missing: cases from 1 on of shard 2 of 2"), "{text}");
        assert!(run(4, &format!("history half{seed} half")).contains("incomplete: inner"));
        run(0, &format!("shard 2/2 400ms {seed}/b"));
        run(0, &format!("merge {seed} whole{seed}"));
        assert_eq!(names(&folder.join(format!("whole{seed}"))), ["mein profil", "smoke"]);
        let text = run(0, &format!("history whole{seed} kept"));
        assert!(text.contains("\ncoverage with earlier runs whose hits are known: "), "{text}");
        assert_eq!(names(&folder.join("kept")).len(), day);
        // The journals are not kept.
        let night = folder.join("kept").join(&names(&folder.join("kept"))[0]).join("smoke");
        assert_eq!(names(&night), ["hits.bin", "summary.json"]);
        let cover = drra_in(&folder, &["cover", "whole7/smoke", night.to_str().unwrap()]);
        assert!(said(cover).1.contains(" of 1 campaign\nall covergroups: "));
    }
    let missing = [("DRRA_PROFILES", "nothing smoke")];
    let (code, text) = night(&folder, &["shard", "1/1", "200ms", "some"], &missing);
    assert!(code == 2 && folder.join("some/smoke/summary.json").is_file(), "{text}");
    for (profiles, shard) in [("smoke smoke", "1/1"), (" ", "1/1"), ("smoke", "2/1")] {
        let (code, text) =
            night(&folder, &["shard", shard, "200ms", "x"], &[("DRRA_PROFILES", profiles)]);
        assert!(code == 2 && !folder.join("x").exists(), "{text}");
    }
}

/// Saved cases are run, those of other sizes are named and skipped; results of an earlier run are replaced, other files
/// are not.
#[cfg(feature = "rtl")]
#[test]
fn a_change_is_verified() {
    let dir = Folder::new();
    let folder = dir.path();
    let sum = "RACCU mode=add, operand1=20, operand2=22, result=0\nHALT\n";
    dir.write("cases/sum.sasm", sum);
    let case = drra_case::programs::ALL[0].case(&drra_isa::Geometry::default()).unwrap();
    let case = drra_case::to_json(&case);
    dir.write("cases/same.json", &case);
    let mut other: Value = serde_json::from_str(&case).unwrap();
    other["fabric"]["columns"] = json!(7);
    dir.write("cases/other.json", other.to_string());
    fs::create_dir_all(folder.join("out/night/mine")).unwrap();
    let verify = || {
        night(folder, &["verify", "cases", "200ms", "out", "kept"], &[("DRRA_PROFILES", "smoke")])
    };
    for _ in 0..2 {
        let (code, text) = verify();
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("skipped: cases/other.json: the case is for fabric 7x2"), "{text}");
        assert!(text.contains("1 of 3 cases skipped"), "{text}");
        let junit = fs::read_to_string(folder.join("out/saved.xml")).unwrap();
        assert!(["sum.sasm", "same.json", "other.json"].iter().all(|name| junit.contains(name)));
    }
    assert_eq!(names(&folder.join("kept")).len(), 2);
    assert_eq!(names(&folder.join("out/night")), ["history.html", "history.json", "mine", "smoke"]);
    // A campaign that another process is running is left alone.
    let running = fs::File::open(folder.join("out/night/smoke/journal.jsonl")).unwrap();
    running.lock().unwrap();
    let (code, text) = verify();
    assert!(code == 2 && text.contains("another process is running this campaign"), "{text}");
    assert!(folder.join("out/night/smoke/summary.json").is_file());
    drop(running);
    dir.write("cases/wrong.json", "{");
    let (code, text) = verify();
    assert_eq!((code, names(&folder.join("kept")).len()), (2, 3), "{text}");
    assert_eq!(night(folder, &["verify", "nowhere", "1s", "out"], &[]).0, 2);
    for name in ["sum.sasm", "same.json", "wrong.json"] {
        fs::remove_file(folder.join("cases").join(name)).unwrap();
    }
    let (code, text) = verify();
    assert!(code == 2 && text.contains("other.json: the case is for fabric 7x2"), "{text}");
}

/// A signal ends the running campaign, which writes its summary, and no other campaign begins. A night that is killed
/// leaves no campaign running, which would hold its journal.
#[cfg(all(unix, feature = "rtl"))]
#[test]
fn a_signal_ends_a_night() {
    let dir = Folder::new();
    for (signal, code) in [("TERM", Some(4)), ("KILL", None)] {
        let (out, journal) = (dir.join(signal), dir.join(signal).join("smoke/journal.jsonl"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        command.args(["night", "shard", "1/1", "20m"]).arg(&out);
        let mut child = command.env("DRRA_PROFILES", "smoke chaos").spawn().unwrap();
        while !journal.is_file() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        crate::kill(signal, &child);
        assert_eq!(child.wait().unwrap().code(), code);
        assert_eq!(names(&out), ["smoke"]);
        assert_eq!(out.join("smoke/summary.json").is_file(), code.is_some());
        assert!(fs::File::open(journal).unwrap().try_lock().is_ok(), "{signal}");
    }
}

/// The scripts pass their arguments on, in any folder.
#[cfg(unix)]
#[test]
fn scripts_pass_their_arguments_on() {
    let dir = Folder::new();
    dir.program("my drra", "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 4\n");
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/nightly"))
        .args(["shard", "2/4", "1m", "-my parts"])
        .current_dir(dir.path())
        .env("DRRA", "./my drra")
        .output()
        .unwrap();
    let (code, text, _) = said(output);
    assert_eq!((code, &*text), (Some(4), "<night><shard><--><2/4><1m><-my parts>"));
}
