// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report --history`: nights side by side.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

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

fn history(nights: &[&Path], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(["report", "--history"]).args(nights).arg("--out").arg(out).output().unwrap()
}

/// Failures are new, still there, not reached or back again, by profile; nights are in chronological order.
#[test]
fn what_changed_since_the_night_before() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second, third, out] = ["a", "b", "c", "out"].map(|name| dir.path().join(name));
    write(
        &first.join("smoke"),
        &summary("smoke", 1, &[("stays", 4), ("early", 1), ("back", 2)], 100),
    );
    write(&second.join("smoke"), &summary("smoke", 2, &[("stays", 5), ("goes", 1)], 120));
    write(&second.join("chaos"), &summary("chaos", 2, &[("other", 1)], 30));
    write(
        &third.join("smoke"),
        &summary("smoke", 3, &[("stays", 6), ("comes", 1), ("back", 1)], 130),
    );
    write(&third.join("mutants"), &json!({"version": 1, "score": 98.5, "mutants": []}));

    let output = history(&[&third, &first, &second], &out);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "the latest night failed: {text}");
    let expected = "3 runs: 2026-01-01 to 2026-01-03\n\
        new: comes (smoke)\n\
        returned: back (smoke)\n\
        still failing: stays (smoke)\n\
        not reached in the last run: early (smoke)\n\
        not reached in the last run: goes (smoke)\n\
        profile not in the last run: other (chaos)\n";
    assert!(text.starts_with(expected), "{text}");

    let data = fs::read_to_string(out.join("history.json")).unwrap();
    let data: Value = serde_json::from_str(&data).unwrap();
    let schema = include_str!("../../harness/report/history.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(validator.validate(&data).is_ok());
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

    let page = fs::read_to_string(out.join("history.html")).unwrap();
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
    let dir = tempfile::tempdir().unwrap();
    let [one, two, none] = ["one", "two", "none"].map(|name| dir.path().join(name));
    write(&one, &summary("smoke", 5, &[], 10));
    write(&two, &summary("smoke", 4, &[("goes", 1)], 10));
    let drra = |folders: &[&Path]| {
        Command::new(env!("CARGO_BIN_EXE_drra"))
            .args(["report", "--history"])
            .args(folders)
            .output()
            .unwrap()
    };
    let output = drra(&[&one, &two]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("not reached in the last run: goes (smoke)"), "{text}");
    assert!(one.join("history.html").is_file() && !two.join("history.html").exists());
    // A failure links to its page in the last run that shows it.
    fs::create_dir_all(two.join("failures/goes")).unwrap();
    fs::write(two.join("failures/goes/report.html"), "").unwrap();
    drra(&[&one, &two]);
    let page = fs::read_to_string(one.join("history.html")).unwrap();
    assert!(page.contains("href=\"./../two/failures/goes/report.html\""), "{page}");
    fs::create_dir_all(&none).unwrap();
    let output = drra(&[&one, &none]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("none: this folder contains no summary.json"), "{text}");
}

/// No text of a damaged summary begins a line of its own, or acts as a command in a terminal or in the log of a CI run.
#[test]
fn a_damaged_summary_gives_no_commands() {
    let dir = tempfile::tempdir().unwrap();
    let night = dir.path().join("night");
    let signature = "one\n::error::two\r\n##[group]three \u{1b}]0;title\u{7}";
    write(&night, &summary("smoke", 1, &[(signature, 1)], 10));
    let output = history(&[&night], &night);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("new: one␊::error::two␍␊＃#[group]three ␛]0;title␇ (smoke)\n"), "{text}");
}

/// A profile that cannot be run does not prevent the others from being run; all campaigns receive the given seed.
#[cfg(unix)]
#[test]
fn a_profile_that_fails_does_not_end_the_night() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let (program, calls) = (dir.path().join("drra"), dir.path().join("calls"));
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\ncase \"$*\" in *'--profile one '*) exit 3 ;; *'--profile two '*) exit 1 ;; esac\n",
        calls.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/nightly"))
        .args(["shard", "2/4", "1m", "parts"])
        .env("DRRA", program)
        .envs([("DRRA_PROFILES", "one two three"), ("DRRA_SEED", "7")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "the worst of them: {output:?}");
    let calls = fs::read_to_string(calls).unwrap();
    let campaigns: Vec<&str> = calls.lines().filter(|line| line.starts_with("fuzz ")).collect();
    assert_eq!(campaigns.len(), 3, "{calls}");
    for (call, profile) in campaigns.iter().zip(["one", "two", "three"]) {
        let arguments =
            format!("--profile {profile} --seed 7 --shard 2/4 --time 20s --out parts/{profile}");
        assert!(call.ends_with(&arguments), "{call}");
    }
}

/// A night is kept with the cases and pages of its failures, so that a later night can run the cases again. Known
/// failures are not counted.
#[cfg(unix)]
#[test]
fn a_night_is_kept_with_its_cases() {
    let dir = tempfile::tempdir().unwrap();
    let [night, kept, known] = ["night", "kept", "known.txt"].map(|name| dir.path().join(name));
    write(&night.join("smoke"), &summary("smoke", 1, &[("goes", 1)], 10));
    let failure = night.join("smoke/failures/goes");
    fs::create_dir_all(&failure).unwrap();
    for name in ["case.json", "report.html", "wave.fst"] {
        fs::write(failure.join(name), name).unwrap();
    }
    fs::write(&known, "goes = #1: not fixed yet\n").unwrap();
    let history = |list: Option<&Path>| {
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/nightly"));
        command.arg("history").args([&night, &kept]);
        command.envs([("DRRA", env!("CARGO_BIN_EXE_drra")), ("DRRA_SEED", "7")]);
        command.envs(list.map(|list| ("DRRA_KNOWN", list))).output().unwrap()
    };
    for (list, code) in [(None, 1), (Some(&*known), 0)] {
        let output = history(list);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let kept = kept.join("7/smoke/failures/goes");
        let mut names: Vec<_> =
            fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["case.json", "report.html"]);
        let page = || fs::read_to_string(night.join("history.html")).unwrap();
        assert!(page().contains("href=\"./smoke/failures/goes/report.html\""), "{}", page());
    }
}
