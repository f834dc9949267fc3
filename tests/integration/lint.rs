// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra lint`, and the findings of `drra run` and `drra view`: which fail, and where they are shown.

use std::{fs, path::Path, process::Command};

use crate::{Folder, drra_in, refused, said};

/// The second REFI for w0 arrives while the first one, of ten words, still runs (chapter 3, 6.5).
const LOST: &str = "\
.DATA
RF <0,0> [0] = RAMP(0, 64)
.CODE
CELL <0,0>
SWB src_block=rf, src_port=0, hb_index=2, v_index=0
REFI port_no=r0, init_addr=0, l1_iter=9, init_delay=1
REFI port_no=w0, init_addr=20, l1_iter=9
REFI port_no=w0, init_addr=40, l1_iter=9
WAIT cycle=20
HALT
";

/// Checks the exit code of a command, and that a line of its output and one of its errors begin with these words.
#[track_caller]
fn check(folder: &Path, command: &str, code: i32, out: &str, err: &str) {
    let arguments: Vec<&str> = command.split(' ').collect();
    let (found, told, errors) = said(drra_in(folder, &arguments));
    assert_eq!(found, Some(code), "{command}: {told}{errors}");
    for (text, words) in [(&told, out), (&errors, err)] {
        let has = text.lines().any(|line| line.starts_with(words));
        assert!(has || words.is_empty(), "{command}: {words:?} is not in: {text}");
        assert!(!words.is_empty() || !text.contains(": lost:"), "{command}: {text}");
    }
}

#[test]
fn what_is_judged_decides() {
    let dir = Folder::new();
    let lost = "lost.sasm:8: lost: cell[0][0] w0 in cycle ";
    let (error, warning) = (&*format!("error: {lost}"), &*format!("warning: {lost}"));
    dir.write("lost.sasm", LOST);
    let run =
        |command: &str, code, out: &str, err: &str| check(dir.path(), command, code, out, err);
    run("run lost.sasm --golden-only", 1, error, "");
    run("run lost.sasm --golden-only --allow lost", 0, "", "");
    run("lint lost.sasm", 0, warning, "");
    run("lint lost.sasm --deny all", 1, error, "");
    run("lint lost.sasm --deny wraps", 0, warning, "");
    run("lint lost.sasm --allow lost", 0, "no findings in 1 program, ", "");
    run("view lost.sasm", 0, "", warning);
    let page = fs::read_to_string(dir.join("lost.html")).unwrap();
    assert!(
        page.contains("warning: lost: </b>cell[0][0] w0 in cycle ") && page.contains(", line 8")
    );
    if cfg!(feature = "rtl") {
        run("run lost.sasm", 0, "", warning);
        run("run lost.sasm --deny lost", 1, error, "");
    }
    // A case is only compared, unless findings are denied.
    let case = serde_json::json!({"version": 1, "name": "c", "isa": "r4", "seed": 1, "cells":
        [{"row": 0, "col": 0, "text": LOST.split_once("CELL <0,0>\n").unwrap().1}]});
    dir.write("case.json", case.to_string());
    run("run case.json --golden-only", 0, "", "");
    let in_case = "error: case.json: address 3 of cell[0][0]: lost: ";
    run("run case.json --golden-only --deny lost", 1, in_case, "");
    run("lint case.json", 0, "warning: case.json: address 3 of cell[0][0]: lost: ", "");
    let reason = LOST.replace("addr=40, l1_iter=9", "addr=40, l1_iter=9 # lint: allow lost: meant");
    dir.write("lost.sasm", &reason);
    run("run lost.sasm --golden-only", 0, "", "");
    run("lint lost.sasm", 0, "no findings in 1 program, ", "");
    dir.write("lost.sasm", reason.replace(": meant", ""));
    refused(
        dir.path(),
        &["run", "lost.sasm", "--golden-only"],
        &["lost.sasm", "8: write a reason"],
    );
    refused(dir.path(), &["lint", "lost.sasm", "--deny", "losst"], &["did you mean `lost`?"]);
    refused(dir.path(), &["lint", "none.sasm"], &["none.sasm", "no such file"]);
}

#[test]
fn findings_are_written_for_other_tools() {
    let dir = Folder::new();
    dir.write("lost.sasm", LOST);
    dir.write("right.sasm", LOST.replace("REFI port_no=w0, init_addr=40, l1_iter=9\n", ""));
    let command = "lint lost.sasm right.sasm none.sasm --deny lost --json f.json --junit j.xml";
    let arguments: Vec<&str> = command.split(' ').collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(arguments).current_dir(dir.path()).env("GITHUB_ACTIONS", "true");
    // A file that cannot be read is worse than a finding, and the others are checked all the same.
    let (code, out, err) = said(command.output().unwrap());
    assert_eq!(code, Some(2), "{err}");
    assert!(out.contains("::error file=lost.sasm,line=8,title=lost::"), "{out}");
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    let found: serde_json::Value = serde_json::from_str(&read("f.json")).unwrap();
    let schema = include_str!("../../harness/lint/findings.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(validator.is_valid(&found), "{found}");
    assert_eq!(found[0]["findings"][0]["register"], "cell[0][0].rf.agu[w0].state");
    assert_eq!(found[1]["findings"], serde_json::json!([]));
    let junit = quick_junit::Report::deserialize_from_str(&read("j.xml")).unwrap();
    let suite = &junit.test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors), (3, 1, 1), "{suite:?}");
}
