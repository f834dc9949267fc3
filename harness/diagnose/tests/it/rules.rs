// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files and modules that rules name exist.

use std::{collections::BTreeSet, fs, path::Path};

use drra_fabric::RuleId;

/// Loading the description checks that every register has a rule and that the section of a rule is a heading. This test
/// checks that the files of the rule are in the repository.
#[test]
fn the_files_of_every_rule_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for rule in RuleId::ALL {
        let named =
            rule.rtl_files().chain(rule.golden_files()).chain([rule.chapter_file().to_owned()]);
        for file in named {
            assert!(root.join(&file).is_file(), "{rule}: {file}");
        }
        assert!(rule.rtl_files().next().is_some(), "{rule} does not name a file of the RTL");
    }
}

/// The golden model implements these rules in the first of the files that they name.
#[test]
fn the_file_of_the_golden_model_implements_the_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (rule, code) in [
        (RuleId::DpuLaunch, "launch.map_or(cnst"),
        (RuleId::DpuCount, "fn is_counting"),
        (RuleId::DpuLanes, "fn has_lanes"),
        (RuleId::DpuOutput, "fn fmt"),
        (RuleId::DpuOutputSelect, "fn dpu_outputs"),
        (RuleId::DpuUnit, "fn dpu_unit"),
        (RuleId::DpuTail, "prev_op"),
        (RuleId::LoopFlag, "fn pending"),
        (RuleId::RefiPort, "fn selected"),
        (RuleId::MessageIn, "let inwards"),
        (RuleId::AnyRoute, "let any_route"),
        (RuleId::TileWiring, "ask_s:"),
        (RuleId::InitialisationWiring, "init: *s.or(w)"),
        (RuleId::Status, "agu_busy:"),
    ] {
        let file = rule.golden_files().next().unwrap();
        let text = fs::read_to_string(root.join(&file)).unwrap();
        assert!(text.contains(code), "{rule}: {code} in {file}");
    }
}

/// The file with the connections of a block instantiates the first of its modules.
#[test]
fn connections_are_made_in_the_file_that_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for rule in RuleId::ALL {
        let module = &rule.info().rtl[0];
        let Some(file) = rule.connecting_file() else {
            // The wires inside a cell are connected in the cell itself.
            let outermost = ["drra_fabric", "drra_cell"].contains(&module.as_str());
            assert!(rule.rtl_files().count() > 1 || outermost, "{rule}");
            continue;
        };
        let text = fs::read_to_string(root.join(&file)).unwrap();
        let instances = ["(", " #(", " u_"].map(|after| format!("  {module}{after}"));
        assert!(instances.iter().any(|i| text.contains(i)), "{rule}: {module} in {file}");
    }
}

/// Verilator finds a module by the name of its file; other tools use only the list.
#[test]
fn the_file_list_of_the_rtl_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl");
    let list = fs::read_to_string(folder.join("rtl.f")).unwrap();
    let listed: BTreeSet<&str> = list.lines().filter(|line| line.ends_with(".sv")).collect();
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let files: BTreeSet<&str> =
        names.iter().map(String::as_str).filter(|name| name.ends_with(".sv")).collect();
    assert_eq!(files, listed, "in rtl/, in rtl/rtl.f");
}
