// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles: what they extend, and their errors.

use drra_generate::{Profile, SHIPPED, Scenario};

#[test]
fn shipped_profiles_have_their_names() {
    for (name, _) in SHIPPED {
        assert_eq!(Profile::shipped(name).unwrap().name, *name);
    }
}

#[test]
fn later_values_win() {
    let text = r#"{"version": 1, "name": "mine", "extends": "default", "noise": 0.5,
                   "scenarios": {"copy": 99}}"#;
    let (mine, base) = (Profile::parse(text, None).unwrap(), Profile::shipped("default"));
    let base = base.unwrap();
    assert_eq!(mine.noise, 0.5);
    assert_eq!(mine.scenarios[&Scenario::Copy], 99);
    assert_eq!(mine.scenarios[&Scenario::Stream], base.scenarios[&Scenario::Stream]);
    assert_eq!(mine.cycles, base.cycles);
}

#[test]
fn errors_name_the_element() {
    for (text, path) in [
        ("{", "."),
        (r#"{"version": 2, "name": "x"}"#, "version"),
        (r#"{"version": 1, "name": "x", "extends": "nothing"}"#, "extends"),
        (r#"{"version": 1, "name": "x", "cells": [3, 2]}"#, "cells"),
        (r#"{"version": 1, "name": "x", "noise": 1.5}"#, "noise"),
        (r#"{"version": 1, "name": "x", "scenarios": {"streem": 1}}"#, "scenarios"),
        (r#"{"version": 1, "name": "x", "sise": 1}"#, "sise"),
        (r#"{"version": 1, "name": "x", "fabrics": {"8y2": 1}}"#, "fabrics.8y2"),
        (r#"{"version": 1, "name": "x", "fabrics": {"8x9": 1}}"#, "fabrics.8x9"),
        (r#"{"version": 1, "name": "x", "fabrics": {"8x2": 0}}"#, "fabrics"),
        (r#"{"version": 1, "name": "x", "avoid": ["2.11", "2.14"]}"#, "avoid[1]"),
    ] {
        let e = Profile::parse(text, None).unwrap_err();
        assert_eq!(e.path(), path, "{text}: {e}");
    }
}

/// Errors in constraints name the element, and known names or the reason why nothing is left.
#[test]
fn errors_in_constraints_name_the_element() {
    for (constraints, path, text) in [
        (r#"{"instruction": "PREM"}"#, "constraints[0].instruction", "nearest is `PERM`"),
        (
            r#"{"instruction": "DPU", "fields": {"mod": {"is": [1]}}}"#,
            "constraints[0].fields.mod",
            "nearest is `mode`",
        ),
        (
            r#"{"instruction": "DPU", "fields": {"mode": {"is": [1, "ad"]}}}"#,
            "constraints[0].fields.mode.is[1]",
            "nearest is `add`",
        ),
        (
            r#"{"instruction": "WAIT", "fields": {"cycle": {"between": [5, 40000]}}}"#,
            "constraints[0].fields.cycle.between",
            "0..32767",
        ),
        (
            r#"{"instruction": "WAIT", "fields": {"cycle": {}}}"#,
            "constraints[0].fields.cycle",
            "exactly one",
        ),
        (
            r#"{"instruction": "WAIT", "fields": {"cycle": {"is": [1, true]}}}"#,
            "constraints[0].fields.cycle.is[1]",
            "expected a number or the name of a value",
        ),
        (r#"{"reason": "none"}"#, "constraints[0]", "of one kind"),
        (r#"{"most_cells": 1, "immediate": true}"#, "constraints[0]", "of one kind"),
        (r#"{"situation": "rain"}"#, "constraints[0].situation", "jump_at_loop_end"),
        (r#"{"only_cells": [[2, 0]]}"#, "constraints[0].only_cells", "rows are 0 and 1"),
        (r#"{"immediate": true}, {"immediate": false}"#, "constraints", "nothing is left"),
        (
            r#"{"instruction": "HALT"}, {"situation": "unloaded_memory"}"#,
            "constraints[1]",
            "end with a HALT",
        ),
        (
            r#"{"instruction": "PERM", "reason": "not built"}"#,
            "constraints[0]",
            "no noise; the first one needs `PERM` (not built)",
        ),
    ] {
        let profile = format!(
            r#"{{"version": 1, "name": "x", "scenarios": {{"permute": 1}},
                 "constraints": [{constraints}]}}"#
        );
        let e = Profile::parse(&profile, None).unwrap_err();
        assert_eq!(e.path(), path, "{e}");
        assert!(e.to_string().contains(text), "{e}");
    }
}

#[test]
fn circles_end() {
    let dir = tempfile::tempdir().unwrap();
    let text = r#"{"version": 1, "name": "a", "extends": "a"}"#;
    std::fs::write(dir.path().join("a.json"), text).unwrap();
    assert_eq!(Profile::parse(text, Some(dir.path())).unwrap_err().path(), "extends");
}
