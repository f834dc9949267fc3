// SPDX-License-Identifier: MIT OR Apache-2.0
//! The regression cases. Both sides agree on all of them: on those that reveal a fault of `faults.json`, on every size
//! of the fabric on which they fit; on others, which users have added, on the size that they are for.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::Path,
};

use drra_case::{
    Case,
    load::{ProgramInputs, load},
};
use drra_cosim::SIZES;
use drra_isa::Geometry;
use serde_json::{Value, json};

use crate::agree::agree;
use crate::drra;

/// The cases in a folder by file name: those with a fault in its `faults.json`, and the others.
fn cases(folder: &Path) -> [BTreeMap<String, Value>; 2] {
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::from_str::<Value>(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let faults = read("faults.json");
    let named = faults.as_array().unwrap().iter().map(|fault| fault["case"].as_str().unwrap());
    let with_fault: BTreeMap<_, _> = named.map(|name| (name.to_owned(), read(name))).collect();
    let names = fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = names.filter(|name| {
        name.ends_with(".json") && name != "faults.json" && !with_fault.contains_key(name)
    });
    let others = others.map(|name| (name.clone(), read(&name))).collect();
    [with_fault, others]
}

/// The regression cases of this project, and those that users have added.
fn stored() -> [BTreeMap<String, Value>; 2] {
    cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions"))
}

/// The regression cases with a fault, by file name.
pub(crate) fn saved() -> BTreeMap<String, Value> {
    let [saved, _] = stored();
    saved
}

/// A case on a fabric of a size, if the fabric has the cells, tiles and addresses of the case. On a fabric of another
/// size than the default, the programs and memories of a case without a stimulus move to the west.
pub(crate) fn fitted(case: &Value, size: &Geometry) -> Option<Case> {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let mut case = case.clone();
    if *size != Geometry::default() && case["stimulus"].is_null() {
        to_the_west(&mut case);
    }
    case["fabric"] = json!({
        "columns": columns, "tile_rows": tile_rows, "rf_words": rf_words, "sram_blocks": sram_blocks
    });
    drra_case::parse(&case.to_string()).ok()
}

/// Reduces all column numbers in a case by the lowest of them, so that column 0 is used.
fn to_the_west(case: &mut Value) {
    let mut columns: Vec<&mut Value> = Vec::new();
    let parts = case.as_object_mut().expect("a case is an object").iter_mut();
    for (name, part) in parts.filter(|(_, part)| part.is_array()) {
        for element in part.as_array_mut().expect("an array") {
            columns.push(if name == "io_cells" { &mut element[1] } else { &mut element["col"] });
        }
    }
    let first = columns.iter().filter_map(|column| column.as_u64()).min().unwrap_or(0);
    for column in columns {
        *column = json!(column.as_u64().expect("a column") - first);
    }
}

#[test]
fn saved_cases_agree() {
    let saved = saved();
    assert!(saved.len() > 20, "{} cases", saved.len());
    for size in SIZES {
        let mut count = 0;
        for (name, value) in &saved {
            let Some(case) = fitted(value, size) else { continue };
            // The mismatch that the fault caused is within the run, so the fault would still be found.
            let expect = case.expect.as_ref().unwrap_or_else(|| panic!("{name}: no expect"));
            assert!(case.cycles.is_none_or(|cycles| expect.cycle <= cycles), "{name}");
            agree(&case, &format!("{name} on {size}"));
            count += 1;
        }
        println!("{size}: {count} of {} regression cases have room", saved.len());
        // Most are reduced to a cell or two.
        let all = *size == Geometry::default();
        assert!(
            if all { count == saved.len() } else { 2 * count > saved.len() },
            "{size}: {count}"
        );
    }
}

/// Replays a case on the size that it is for; returns the line that lists it.
fn replayed(name: &str, case: &Value) -> String {
    let case = drra_case::parse(&case.to_string()).unwrap_or_else(|e| panic!("{name}: {e}"));
    if !SIZES.contains(&case.geometry) {
        return format!("{name}: skipped, because this build has no model for {}", case.geometry);
    }
    agree(&case, name);
    format!("{name}: {}: golden model and RTL agree", case.name)
}

/// The cases that users have added are listed even if the test passes.
#[test]
fn added_cases_agree() {
    let [_, added] = stored();
    for (name, case) in &added {
        writeln!(io::stderr(), "{}", replayed(name, case)).unwrap();
    }
}

/// Some reduced cases compare little more than the state after reset: the program is empty, and the run has 0 cycles.
#[test]
fn saved_cases_can_be_run() {
    for name in ["drra_dpu_channel", "drra_sram_reset", "drra_switchbox"] {
        let output = drra(&["run", &format!("tests/regressions/{name}.json")]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
    }
}

/// The directed programs that show published bugs.
#[test]
fn witnesses_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/published");
    for entry in fs::read_dir(&folder).unwrap() {
        let patch = fs::read_to_string(entry.unwrap().path()).unwrap();
        let field = |name: &str| patch.lines().find_map(|line| line.strip_prefix(name));
        let Some(witness) = field("# witness: ") else { continue };
        let size = field("# fabric: ").map_or(Geometry::default(), |size| size.parse().unwrap());
        if SIZES.contains(&size) {
            let path = folder.join(Path::new(witness).file_name().unwrap());
            agree(&load(&path, &ProgramInputs::default(), &size).unwrap().case, witness);
        }
    }
}

/// The name of a case with a fault begins with the module of the fault, which exists.
#[test]
fn cases_are_named_after_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let faults = fs::read_to_string(root.join("tests/regressions/faults.json")).unwrap();
    for fault in serde_json::from_str::<Vec<Value>>(&faults).unwrap() {
        let [case, file] = ["case", "file"].map(|key| fault[key].as_str().unwrap());
        assert!(case.starts_with(file.strip_suffix(".sv").unwrap()), "{case}: {file}");
        assert!(root.join("rtl").join(file).is_file(), "{case}: {file}");
    }
}

/// A case without a fault is replayed like any other; a fault without its case is an error.
#[test]
fn a_case_needs_no_fault() {
    let dir = tempfile::tempdir().unwrap();
    let mut case = saved()["drra_agu.json"].clone();
    fs::write(dir.path().join("my-bug.json"), case.to_string()).unwrap();
    fs::write(dir.path().join("faults.json"), "[]").unwrap();
    let [with_fault, added] = cases(dir.path());
    assert_eq!((with_fault.len(), added.len()), (0, 1));
    assert!(replayed("my-bug.json", &added["my-bug.json"]).ends_with("agree"));
    case["fabric"]["columns"] = json!(7);
    assert!(replayed("my-bug.json", &case).contains("skipped"));
    fs::write(dir.path().join("faults.json"), "[{\"case\": \"gone.json\"}]").unwrap();
    let missing = std::panic::catch_unwind(|| cases(dir.path()));
    assert!(missing.unwrap_err().downcast_ref::<String>().unwrap().starts_with("gone.json: "));
}
