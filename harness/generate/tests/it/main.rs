// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generator is repeatable and stays within its ranges.

mod constraints;
mod deviations;
mod digest;
mod extremes;
mod fabrics;
mod operands;
mod profiles;
mod rare;

use drra_generate::{Profile, SHIPPED, generate};
use drra_isa::Geometry;

/// Every profile: the same seed yields the same bytes, writing and reading a case does not change it, and the schema
/// accepts it.
#[test]
fn cases_are_repeatable_and_self_contained() {
    let schema = include_str!("../../../case/case.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for (name, _) in SHIPPED {
        let profile = Profile::shipped(name).unwrap();
        let sizes = ["8x2", "2x1", "3x3", "2x2-rf32-sram16", "2x1-rf32-sram2", "32x1"];
        for (seed, size) in (0..24).zip(sizes.into_iter().cycle()) {
            let size: Geometry = size.parse().unwrap();
            let case = generate(&profile, seed, &size).case;
            let text = drra_case::to_json(&case);
            let again = generate(&profile, seed, &size).case;
            assert_eq!(text, drra_case::to_json(&again), "{name} {seed}");

            let read = drra_case::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(read.geometry, size, "{name} {seed}");
            assert_eq!(read.stimulus, case.stimulus, "{name} {seed}");
            assert_eq!(read.input_buffers, case.input_buffers, "{name} {seed}");
            assert_eq!(read.io_cells, case.io_cells, "{name} {seed}");
            assert_eq!((read.cycles, read.seed), (case.cycles, case.seed), "{name} {seed}");
            let value = serde_json::from_str(&text).unwrap();
            assert!(validator.is_valid(&value), "{name} {seed}");
        }
    }
}

/// The profiles conform to their schema.
#[test]
fn profiles_follow_their_schema() {
    let schema = include_str!("../../../profiles/profile.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for (name, text) in SHIPPED {
        let value = serde_json::from_str(text).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
}

/// The schema rejects what the reader rejects because of its form or a number out of range.
#[test]
fn schema_refuses_what_the_reader_refuses() {
    let schema = include_str!("../../../profiles/profile.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for (key, value) in [
        ("version", "2"),
        ("name", r#""""#),
        ("name", r#""a\n::error::b""#),
        ("cells", "[0, 2]"),
        ("cells", "[1, 65]"),
        ("cells", "[1]"),
        ("cycles", "[1, 1000001]"),
        ("scenarios_per_cell", "32.5"),
        ("scenarios", r#"{"streem": 1}"#),
        ("scenarios", r#"{"copy": 1000001}"#),
        ("mutations", "1001"),
        ("reload", "1.5"),
        ("noise", "-0.1"),
        ("data", r#"{"random": 1}"#),
        ("sise", "1"),
    ] {
        let mut profile: serde_json::Value =
            serde_json::from_str(r#"{"version": 1, "name": "mine"}"#).unwrap();
        assert!(validator.is_valid(&profile) && Profile::parse(&profile.to_string(), None).is_ok());
        profile[key] = serde_json::from_str(value).unwrap();
        assert!(!validator.is_valid(&profile), "{profile}");
        assert!(Profile::parse(&profile.to_string(), None).is_err(), "{profile}");
    }
}

/// Cases range from a single cell and about twenty cycles to all cells and nearly two thousand cycles.
#[test]
fn cases_have_all_sizes() {
    let profile = Profile::shipped("default").unwrap();
    let sizes: Vec<(usize, u64)> = (0..1000)
        .map(|seed| {
            let generated = generate(&profile, seed, &Geometry::default());
            let case = &generated.case;
            (case.program.cells().count(), case.cycles.unwrap() - generated.first_decode)
        })
        .collect();
    assert!(sizes.iter().any(|s| s.0 == 1));
    assert!(sizes.iter().any(|s| s.0 == Geometry::default().cells()));
    assert!(sizes.iter().any(|s| s.1 < 50));
    assert!(sizes.iter().any(|s| s.1 > 1500));
}
