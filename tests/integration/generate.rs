// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generator: repeatable, within its ranges, and its data really move.

use drra_cosim::GEOMETRY;
use drra_cosim::case;
use drra_cosim::generate::Achieved;
use drra_cosim::generate::Profile;
use drra_cosim::generate::SHIPPED;
use drra_cosim::generate::achieved;
use drra_cosim::generate::generate;

/// Every profile: the same seed gives the same bytes, a case survives its file, and the schema
/// accepts it.
#[test]
fn cases_are_repeatable_and_self_contained() {
    let schema = include_str!("../../harness/case/case.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for (name, _) in SHIPPED {
        let profile = Profile::shipped(name).unwrap();
        for seed in 0..12 {
            let case = generate(&profile, seed, &GEOMETRY).case;
            let text = case::to_json(&case, &GEOMETRY);
            let again = generate(&profile, seed, &GEOMETRY).case;
            assert_eq!(text, case::to_json(&again, &GEOMETRY), "{name} {seed}");

            let read = case::parse(&text, &GEOMETRY).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(read.stimulus, case.stimulus, "{name} {seed}");
            assert_eq!(read.input_buffers, case.input_buffers, "{name} {seed}");
            assert_eq!(read.io_cells, case.io_cells, "{name} {seed}");
            assert_eq!((read.cycles, read.seed), (case.cycles, case.seed), "{name} {seed}");
            let value = serde_json::from_str(&text).unwrap();
            assert!(validator.is_valid(&value), "{name} {seed}");
        }
    }
}

/// The profiles are what their schema says.
#[test]
fn profiles_follow_their_schema() {
    let schema = include_str!("../../harness/profiles/profile.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    for (name, text) in SHIPPED {
        let value = serde_json::from_str(text).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
}

/// Of the movements that the scenarios intend, at least four fifths move data that are not all 0
/// and not all the same; a little more in cases without mutations and noise.
#[test]
fn data_really_move() {
    for (name, share) in [("default", 0.80), ("smoke", 0.85)] {
        let profile = Profile::shipped(name).unwrap();
        let mut all = Achieved::default();
        for seed in 0..300 {
            all.add(&achieved(&generate(&profile, seed, &GEOMETRY), &GEOMETRY));
        }
        for (what, [intended, moved]) in [
            ("transfers", all.transfers),
            ("results", all.results),
            ("write-backs", all.write_backs),
        ] {
            assert!(intended > 100, "{name}: {intended} {what}");
            let reached = moved as f64 / intended as f64;
            println!("{name} {what}: {moved} of {intended}");
            assert!(reached >= share, "{name}: {moved} of {intended} {what}");
        }
    }
}

/// Cases range from a single cell and some twenty cycles to all cells and nearly two thousand cycles.
#[test]
fn cases_have_all_sizes() {
    let profile = Profile::shipped("default").unwrap();
    let sizes: Vec<(usize, u64)> = (0..500)
        .map(|seed| {
            let generated = generate(&profile, seed, &GEOMETRY);
            let case = &generated.case;
            (case.program.cells().count(), case.cycles.unwrap() - generated.first_decode)
        })
        .collect();
    assert!(sizes.iter().any(|s| s.0 == 1));
    assert!(sizes.iter().any(|s| s.0 == GEOMETRY.cells()));
    assert!(sizes.iter().any(|s| s.1 < 50));
    assert!(sizes.iter().any(|s| s.1 > 1500));
}
