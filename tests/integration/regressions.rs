// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saved cases: each showed a fault once; both sides agree on all of them.

use std::path::Path;

use drra_cosim::GEOMETRY;

use crate::agree::agree;

#[test]
fn saved_cases_agree() {
    if GEOMETRY != drra_isa::Geometry::default() {
        println!("skipped: the saved cases are for the default fabric");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let faults = path.file_name().is_some_and(|name| name == "faults.json");
        if faults || path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let case = drra_case::parse(&text, &GEOMETRY)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // What its fault showed is within the case, so that the fault would still be seen.
        let expect =
            case.expect.as_ref().unwrap_or_else(|| panic!("{}: no expect", path.display()));
        assert!(case.cycles.is_none_or(|cycles| expect.cycle <= cycles), "{}", path.display());
        agree(&case, &path.file_stem().unwrap_or_default().to_string_lossy());
        count += 1;
    }
    assert!(count > 20, "{count} cases");
}
