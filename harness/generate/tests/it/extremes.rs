// SPDX-License-Identifier: MIT OR Apache-2.0
//! Register files for the extremes of every lane.

use std::collections::BTreeSet;

use drra_case::stimulus::words;
use drra_generate::{Profile, generate};
use drra_isa::Geometry;

/// Two blocks of a register file consist of words whose lanes are the smallest and largest numbers of the width that BW
/// selects, in every combination.
#[test]
fn lanes_are_extreme_at_their_width() {
    for (config, bits) in [("int4", 4), ("int8", 8), ("int16", 16)] {
        let text = format!(
            r#"{{"version": 1, "name": "x", "cells": [1, 1], "scenarios_per_cell": 1,
                "scenarios": {{"extremes": 1}},
                "data": {{"random": 0, "small": 1, "extreme": 0, "power_of_two": 0, "sparse": 0}},
                "constraints": [{{"instruction": "BW",
                                 "fields": {{"config": {{"is_not": ["{config}"]}}}}}}]}}"#
        );
        let profile = Profile::parse(&text, None).unwrap();
        let smallest = 1 << (bits - 1);
        let is_extreme = |word: u16| {
            let mut lanes = (0..16).step_by(bits).map(|shift| u32::from(word) >> shift);
            lanes.all(|lane| [smallest, smallest - 1].contains(&(lane & (2 * smallest - 1))))
        };
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let case = generate(&profile, seed, &Geometry::default()).case;
            let inits = case.stimulus.entries().iter().filter_map(|entry| entry.rf_init);
            let mut blocks: Vec<[u16; 16]> = inits.map(|init| words(&init.data)).collect();
            blocks.retain(|block| block.iter().all(|word| is_extreme(*word)));
            assert!(blocks.len() >= 2, "{config}, seed {seed}: {} blocks", blocks.len());
            seen.extend(blocks.concat());
        }
        assert_eq!(seen.len(), 1 << (16 / bits), "{config}: {seen:04x?}");
    }
}
