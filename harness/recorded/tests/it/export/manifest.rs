// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of exported cases.

use drra_recorded::export::{ExportOptions, ExportedCase, Manifest};

use super::SMALL;

fn manifest() -> Manifest {
    let case = ExportedCase {
        folder: "case-000001".to_owned(),
        name: "default 7".to_owned(),
        cycles: 100,
        inserted_cycles: 0,
    };
    Manifest::new(&SMALL, ExportOptions::default(), vec![case])
}

#[test]
fn what_is_refused() {
    let text = manifest().to_json();
    let error = |text: &str| Manifest::parse(text).unwrap_err().to_string();
    let other = text.replace("\"version\": 1", "\"version\": 2");
    assert_eq!(error(&other), "unknown version 2; this program reads version 1");
    let negative = text.replace("\"cycles\": 100", "\"cycles\": -1");
    assert!(error(&negative).starts_with("at `cases[0].cycles`: "), "{}", error(&negative));
    assert!(error("").contains("EOF"));
}
