// SPDX-License-Identifier: MIT OR Apache-2.0
//! The regression cases, each of which once revealed a fault. Both sides agree on all of these cases, on every size of
//! the fabric on which they fit.

use std::{fs, path::Path};

use drra_case::Case;
use drra_cosim::SIZES;
use drra_isa::Geometry;
use serde_json::{Value, json};

use crate::agree::agree;

/// The regression cases by file name.
pub(crate) fn saved() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == "faults" || path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        cases.push((name, serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap()));
    }
    cases
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
