// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader of description files.

use std::collections::BTreeSet;

use drra_isa::{Revision, load};

use crate::*;

#[test]
fn every_case_gives_exactly_its_findings() {
    let file: Value =
        serde_json::from_str(include_str!("../data/loader_error_cases.json")).unwrap();
    let base: Value = serde_json::from_str(Revision::R4.source()).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../isa.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let cases = list(&file, "cases");
    assert_eq!(cases.len(), 50);
    for case in cases {
        let id = text(case, "id");
        let document = match case.get("doc") {
            Some(doc) => doc.clone(),
            None => patched(base.clone(), list(case, "patch")),
        };
        let report = load(&document.to_string());
        let found: BTreeSet<(String, String)> =
            report.findings.iter().map(|f| (f.code.to_owned(), f.pointer.clone())).collect();
        let expected: BTreeSet<(String, String)> = list(case, "errors")
            .iter()
            .chain(list(case, "warnings"))
            .map(|p| (p[0].as_str().unwrap().to_owned(), p[1].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(found, expected, "{id}");
        assert_eq!(report.isa.is_some(), list(case, "errors").is_empty(), "{id}");
        // The committed schema rejects exactly the descriptions with ISA-E02.
        let by_schema = !validator.is_valid(&document);
        assert_eq!(by_schema, found.iter().any(|(c, _)| c == "ISA-E02"), "{id}");
    }
}

#[test]
fn all_revisions_load_without_a_finding() {
    for revision in Revision::ALL {
        let report = load(revision.source());
        assert!(report.findings.is_empty(), "{}: {:?}", revision.name(), report.findings);
        assert_eq!(report.isa.unwrap().revision, revision.name());
    }
}

#[test]
fn text_that_is_not_json_is_e01_and_the_last_key_counts() {
    let report = load("{ \"platform\": ");
    assert_eq!(report.findings.len(), 1);
    assert_eq!((report.findings[0].code, report.findings[0].pointer.as_str()), ("ISA-E01", ""));
    let twice = r#"{"platform":"a","platform":"b","instr_bitwidth":8,"instr_code_bitwidth":3,
                    "instruction_templates":[{"code":0,"name":"NOP"}]}"#;
    assert_eq!(load(twice).isa.unwrap().platform, "b");
}

/// A value without a name is written as a number, like a value that is not listed.
#[test]
fn a_value_without_val_has_no_name() {
    let doc = serde_json::json!({
        "platform": "", "instr_bitwidth": 8, "instr_code_bitwidth": 3,
        "instruction_templates": [{"code": 0, "name": "NOP", "segment_templates": [
            {"name": "f", "bitwidth": 2, "comment": "", "verbo_map": [{"key": 1}, {"key": 2, "val": "two"}]}]}]
    });
    let isa = load(&doc.to_string()).isa.unwrap();
    assert_eq!(isa.instructions[0].fields[0].values, [(2, "two".to_owned())]);
}

#[test]
fn a_number_is_not_cut_to_the_width_of_its_field() {
    let field = |name: &str, value: u64| {
        serde_json::json!({"name": name, "bitwidth": 32, "comment": "", "default_val": value,
                           "verbo_map": [{"key": value, "val": "most"}]})
    };
    let codes = |value: u64| {
        let doc = serde_json::json!({
            "platform": "wide", "instr_bitwidth": 64, "instr_code_bitwidth": 16,
            "instruction_templates": [{"code": value, "name": "NOP",
                                       "segment_templates": [field("f", value)]}]
        });
        load(&doc.to_string()).findings.into_iter().map(|f| f.code).collect::<Vec<_>>()
    };
    assert_eq!(codes((1 << 32) - 1), ["ISA-E04"]);
    assert_eq!(codes(1 << 32), ["ISA-E04", "ISA-E09", "ISA-E10"]);
}

#[test]
fn a_huge_number_is_an_error_not_a_panic() {
    let mut doc: Value = serde_json::from_str(Revision::R4.source()).unwrap();
    doc["instruction_templates"][1]["segment_templates"][0]["default_val"] =
        serde_json::json!(18446744073709551615u64);
    doc["instruction_templates"][1]["code"] = serde_json::json!(1e25);
    let codes: Vec<_> = load(&doc.to_string()).findings.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["ISA-E04", "ISA-E09"]);
}

fn patched(mut document: Value, operations: &[Value]) -> Value {
    for operation in operations {
        let path = text(operation, "path");
        let (parent, last) = path.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap();
        let value = operation.get("value").cloned();
        match (parent, text(operation, "op")) {
            (Value::Object(o), "remove") => {
                o.remove(last).unwrap();
            }
            (Value::Object(o), _) => {
                o.insert(last.to_owned(), value.unwrap());
            }
            (Value::Array(a), "remove") => {
                a.remove(last.parse::<usize>().unwrap());
            }
            (Value::Array(a), "add") if last == "-" => a.push(value.unwrap()),
            (Value::Array(a), "replace") => a[last.parse::<usize>().unwrap()] = value.unwrap(),
            other => panic!("patch {other:?}"),
        }
    }
    document
}
