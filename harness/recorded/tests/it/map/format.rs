// SPDX-License-Identifier: MIT OR Apache-2.0
//! The format: schema, the shipped map, writing.

use drra_isa::Geometry;
use drra_recorded::{
    Names,
    map::{Fault, MapFile, SignalMap},
};

/// The map of the published fabric.
const PUBLISHED: &str = include_str!("../../../maps/silago-published.json");
const SCHEMA: &str = include_str!("../../../map.schema.json");

/// The committed schema is that of the types.
#[test]
fn schema_is_up_to_date() {
    let remedy = "cargo run -p drra-codegen --features schemas";
    assert!(SCHEMA == drra_recorded::map::schema(), "stale: {remedy}");
}

/// The shipped map is what its schema says, also when it is written again.
#[test]
fn the_shipped_map_follows_the_schema() {
    let validator = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let file = MapFile::parse(PUBLISHED).unwrap();
    for text in [PUBLISHED, &file.to_json()] {
        let value = serde_json::from_str(text).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    assert_eq!(MapFile::parse(&file.to_json()).unwrap(), file);
}

/// Without any signal the shipped map has no other problem than that there are none.
#[test]
fn the_shipped_map_is_well_formed() {
    let file = MapFile::parse(PUBLISHED).unwrap();
    let problems =
        SignalMap::resolve(&file, &Names::default(), &Geometry::default()).expect_err("no signals");
    for problem in &problems {
        let missing = matches!(problem.what, Fault::Missing { .. } | Fault::Nothing { .. });
        assert!(missing, "{problem}");
    }
    assert_eq!(problems.len(), 3, "clock, reset, registers");
}

/// A key that stands twice is refused with its place: readers of JSON would take the last one.
#[test]
fn keys_stand_once() {
    let (from, to) = (PUBLISHED.find("\"let\"").unwrap(), PUBLISHED.find("\"registers\"").unwrap());
    let head = &PUBLISHED[from..to];
    for (key, doubled, place) in [
        (r#""dpu": "#, r#""dpu": "x", "dpu": "#, "let.dpu"),
        (r#""agus": "#, r#""agus": [1], "agus": "#, "tables.agus"),
        (r#""w1": "agu_wr_1""#, r#""w1": "agu_wr_1", "w1": "x""#, "tables.agus.w1"),
        (r#""prog_imm": "#, r#""prog_imm": "x", "prog_imm": "#, "ports"),
        (r#""flag_delay": "r+c""#, r#""outputs": {"a": "x", "a": "y"}"#, "outputs.a"),
    ] {
        assert!(head.contains(key), "{key}");
        let text = PUBLISHED.replacen(head, &head.replacen(key, doubled, 1), 1);
        let error = MapFile::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("at `{place}`: the key stands twice")), "{error}");
    }
    let value = r#"{"translate": "a", "values": {"1'b0": "1'b1", "1'b0": "1'b0"}}"#;
    let text = format!(r#"{{"version": 1, "registers": [{{"register": "a", "value": {value}}}]}}"#);
    let error = MapFile::parse(&text).unwrap_err().to_string();
    assert!(error.contains("the key stands twice"), "{error}");
}

/// The schema refuses what the reader refuses for its form.
#[test]
fn schema_refuses_what_the_reader_refuses() {
    let validator = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let good: serde_json::Value = serde_json::from_str(PUBLISHED).unwrap();
    for (pointer, value) in [
        ("/version", "2"),
        ("/clock/edge", r#""up""#),
        ("/registers/0/value", r#"{"bit": "a"}"#),
        ("/registers/0/value", r#"{"bit": "a", "index": 1, "not": "b"}"#),
        ("/registers/0/value", r#"{"narrow": "a"}"#),
        ("/registers/0/value", "[]"),
        ("/registers/0", r#"{"value": "a"}"#),
        ("/registers/0", r#"{"register": "a", "valu": "a"}"#),
        ("/registers/0", r#"{"register": "a", "value": "a", "from": "end"}"#),
        ("/ports", r#"{"prog": "a"}"#),
        ("/let/top", "{}"),
    ] {
        let mut map = good.clone();
        *map.pointer_mut(pointer).unwrap() = serde_json::from_str(value).unwrap();
        assert!(MapFile::parse(&map.to_string()).is_err(), "{pointer} {value}");
        assert!(!validator.is_valid(&map), "{pointer} {value}");
    }
}
