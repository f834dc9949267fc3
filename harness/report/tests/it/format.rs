// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form, schema and versions of `report.json`.

use drra_case::programs;
use drra_report::{Colouring, Report, html::document::UNLINKED, stored::StoredError, unfitted};
use drra_testkit::{Fault, FaultyDesign, Flip};
use serde_json::Value as Json;

use crate::{GEOMETRY, report_of, setup};

/// The report of a bit that flips in a bundled program, `cycle` cycles after the first decode.
fn report(program: usize, path: &str, bit: u32, cycle: u64) -> Report {
    let case = programs::ALL[program].case(&GEOMETRY).unwrap();
    let cycle = case.stimulus.end() + 1 + cycle;
    let flip = Flip { cycle, location: path.parse().unwrap(), bit };
    let design = FaultyDesign::new(setup().design, Fault::Flip(flip));
    report_of(&case, &design, "again")
}

/// Reports of registers of all kinds.
fn reports() -> Vec<Report> {
    vec![
        report(0, "cell[0][0].rf.mem[33]", 2, 21),
        report(0, "cell[0][0].noc.noc_stage", 12, 3),
        report(0, "cell[0][0].seq.pc", 1, 5),
        report(0, "cell[0][0].dpu.acc[0]", 1, 19),
        report(0, "tile[1][0].rd.state", 0, 7),
        report(0, "tile[1][0].xout[S]", 20, 9),
        report(0, "col[0].blk_in_row1", 7, 10),
        report(0, "ld_pipe[2].instr", 4, 3),
    ]
}

#[test]
fn reports_follow_the_schema_and_are_read_back() {
    let schema = include_str!("../../report.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for report in reports() {
        let json = report.to_json();
        let value: Json = serde_json::from_str(&json).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", report.place());
        assert_eq!(Report::parse(&json).unwrap(), report, "{}", report.place());
        // Keys that are not in the schema are rejected.
        let mut other = value.clone();
        other["verdict"] = Json::Null;
        assert!(!validator.is_valid(&other));
        assert!(matches!(Report::parse(&other.to_string()), Err(StoredError::Content { .. })));
    }
}

/// Identities are stored as names, and values as digits with their meaning.
#[test]
fn names_and_meanings() {
    // Cycle 3: the ROUTE of address 4 is in the stage register (chapter 2, 11.1).
    let report = report(0, "cell[0][0].noc.noc_stage", 12, 3);
    let json: Json = serde_json::from_str(&report.to_json()).unwrap();
    let first = &json["mismatch"]["what"]["differences"][0];
    assert_eq!(first["location"], "cell[0][0].noc.noc_stage");
    assert_eq!(first["golden"]["width"], 67);
    let [golden, rtl] = ["golden", "rtl"].map(|s| first[s]["decoded"].as_str().unwrap());
    assert!(golden.starts_with("ROUTE") && rtl.starts_with("ROUTE"), "{golden}, {rtl}");
    // Bit 12 of the payload is the direction of the horizontal hops (chapter 6, section 3).
    assert_ne!(golden.contains("horizontal_dir=e"), rtl.contains("horizontal_dir=e"));
    assert_eq!(json["responsible"]["cell"], "cell[0][0]");
    let instruction = &json["responsible"]["instruction"];
    assert!(instruction["decoded"].as_str().unwrap().starts_with("ROUTE"), "{instruction}");
    for view in [report.text(Colouring::Plain), report.page(None, UNLINKED)] {
        assert!(view.contains("ROUTE ") && view.contains("horizontal_dir=e"), "{view}");
    }
}

#[test]
fn other_versions_are_refused() {
    let mut json: Json = serde_json::from_str(&reports()[0].to_json()).unwrap();
    for version in [1u64, 3] {
        json["version"] = version.into();
        assert_eq!(
            Report::parse(&json.to_string()),
            Err(StoredError::Version { found: version, known: 2 })
        );
    }
    assert_eq!(Report::parse("{}"), Err(StoredError::NoVersion));
    assert!(matches!(Report::parse("{"), Err(StoredError::Json(_))));
    let error = Report::parse(r#"{"version": 2, "tool": {"version": 5}}"#).unwrap_err();
    assert!(error.to_string().starts_with("tool.version: "), "{error}");
}

/// Reports of drra 1.0 identify these registers by their position among the inputs of that version.
#[test]
fn registers_that_are_all_zero_in_an_old_report() {
    let mut report = report(0, "cell[0][0].seq.pc", 1, 5);
    report.rule.inputs = vec![serde_json::from_str(r#"{"kind": "all_zero", "input": 0}"#).unwrap()];
    let text = unfitted(&report.text(Colouring::Plain));
    assert!(text.contains("registers of the rule all 0"), "{text}");
}
