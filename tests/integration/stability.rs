// SPDX-License-Identifier: MIT OR Apache-2.0
//! The promise of stability (README): this version reads the files of every earlier version, which are kept in
//! `tests/stability`, and its JSON output follows its schemas.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{drra, drra_in};

/// The folders, each with the files of one version.
fn versions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stability");
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

/// Standard output of a command that ends with this exit code.
fn printed(folder: &Path, command: &str, code: i32) -> String {
    let output = drra_in(folder, &command.split(' ').collect::<Vec<_>>());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{}: {command}\n{out}{err}", folder.display());
    out
}

/// Cases keep their meaning; profiles, maps and lists of known deviations are read.
#[test]
fn cases_profiles_and_maps_of_earlier_versions() {
    for folder in versions() {
        let out = tempfile::tempdir().unwrap();
        let to = |name: &str| out.path().join(name).display().to_string();
        let kept = fs::read_to_string(folder.join("trace.jsonl")).unwrap();
        let changes = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        let trace = printed(&folder, "trace program.json --only cell[*].seq.* --with-end", 0);
        assert_eq!(changes(&trace), changes(&kept), "{}", folder.display());
        assert!(printed(&folder, "trace stimulus.json", 0).lines().count() > 300);
        printed(&folder, &format!("view program.json -o {}", to("page.html")), 0);
        let export = format!("export --profile profile.json --cases 8 -o {}", to("exported"));
        assert!(printed(&folder, &export, 0).starts_with("8 cases, "));

        let agrees = printed(&folder, "check program.json trace.jsonl --map signals.map", 0);
        assert!(agrees.contains("golden model and waveform agree"), "{agrees}");
        let changed = kept.replace(r#"seq.pc", "value": "0x04""#, r#"seq.pc", "value": "0x02""#);
        fs::write(to("bad.jsonl"), changed).unwrap();
        let bad = format!("check program.json {} --map signals.map", to("bad.jsonl"));
        assert!(printed(&folder, &bad, 1).contains("MISMATCH in cycle 13"));
        let known = printed(&folder, &format!("{bad} --known known.txt"), 0);
        assert!(known.contains("known deviation #812"), "{known}");
    }
}

/// Failures of a campaign are compared with later failures, shown, and run again; the journal of the campaign is read
/// unless the bins of coverage have changed.
#[test]
fn campaigns_of_earlier_versions() {
    for folder in versions() {
        let out = tempfile::tempdir().unwrap();
        let copied = std::process::Command::new("cp")
            .arg("-r")
            .arg(folder.join("campaign"))
            .arg(out.path())
            .status();
        assert!(copied.unwrap().success());
        let history = printed(out.path(), "report --history campaign --out history", 1);
        assert!(history.contains("new: fabric load pipeline (smoke)"), "{history}");
        if cfg!(not(feature = "rtl")) || !drra_cosim::SIZES.contains(&"2x1".parse().unwrap()) {
            continue;
        }
        // The fault was in another design.
        let failure = "campaign/failures/fabric-load-pipeline";
        let replayed = printed(out.path(), &format!("replay {failure}/case.json"), 0);
        assert!(replayed.contains("golden model and RTL agree"), "{replayed}");
        let report = printed(out.path(), &format!("report {failure}"), 0);
        assert!(report.contains("fabric.ld_pipe.instr none"), "{report}");
        let other_bins = |command: &str| {
            let output = drra_in(out.path(), &command.split(' ').collect::<Vec<_>>());
            let text = String::from_utf8(output.stderr).unwrap();
            output.status.code() == Some(2) && text.contains("the coverage bins differ: digest ")
        };
        if other_bins("cover campaign") {
            continue;
        }
        let cover: Value =
            serde_json::from_str(&printed(out.path(), "cover campaign --json", 0)).unwrap();
        assert!(validator("harness/cli/cover.schema.json").is_valid(&cover));
        assert_eq!(cover["cases"], 60);
        assert!(
            printed(out.path(), "merge campaign --out merged", 1)
                .contains("failures: 1 in 31 of 60 cases")
        );
    }
}

fn validator(schema: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(schema);
    let schema = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// The schemas match the types, and each line of a trace follows its schema.
#[test]
fn what_is_printed_follows_its_schema() {
    for (path, schema) in drra_cli::schemas() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("DRRA_UPDATE_SCHEMAS").is_some() {
            fs::write(&path, &schema).unwrap();
        }
        let remedy = "DRRA_UPDATE_SCHEMAS=1 cargo test --release what_is_printed_follows";
        assert!(
            fs::read_to_string(&path).unwrap() == schema,
            "{} is stale: {remedy}",
            path.display()
        );
    }
    let bench = fs::read_to_string(versions()[0].join("bench.json")).unwrap();
    assert!(
        validator("harness/cli/bench.schema.json").is_valid(&serde_json::from_str(&bench).unwrap())
    );
    let valid = validator("harness/lockstep/trace.schema.json");
    let text = drra(&["trace", "isa/vec_add.sasm", "--with-end"]).stdout;
    let lines: Vec<Value> = String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert!(lines.len() > 400 && lines.iter().all(|line| valid.is_valid(line)));
    for wrong in [r#"{"cycle": 1, "path": "p"}"#, r#"{"last_cycle": 1, "cycle": 1}"#, "{}"] {
        assert!(!valid.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}
