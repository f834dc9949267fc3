// SPDX-License-Identifier: MIT OR Apache-2.0
//! Directed sequences hit their bins in cases that contain nothing else, and nothing hits an excluded bin.

use std::collections::BTreeMap;

use drra_coverage::{Collector, Coverage, DirectedBin, groups};
use drra_generate::{Profile, generate, generate_with};
use drra_isa::Geometry;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::bins;

/// Maximum number of directed sequences of a group that are tried.
const TRIED: usize = 60;

/// A profile whose cases are empty.
fn empty() -> Profile {
    let text = r#"{"version": 1, "name": "empty", "extends": "smoke", "cells": [1, 1],
        "cycles": [300, 300], "scenarios_per_cell": 0, "io_cells": 0, "deferred": 0}"#;
    Profile::parse(text, None).unwrap()
}

/// The bins that are tried and that their directed sequences miss, by group.
fn missed(profile: &Profile) -> BTreeMap<&'static str, Vec<String>> {
    let geometry = Geometry::default();
    let mut collector = Collector::new();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for group in groups() {
        let step = group.bins().len().div_ceil(TRIED);
        let tried = group.bins().step_by(step).filter_map(|bin| DirectedBin::new(group, bin));
        for (seed, target) in tried.enumerate() {
            let sequence = target.sequence(&mut rng);
            let case = generate_with(profile, seed as u64, &geometry, &[sequence]).case;
            let hit = bins(&case, &mut collector);
            if !hit.contains(&(target.bin() as u32)) {
                let label = group.label(target.bin() - group.first);
                missed.entry(&group.name).or_default().push(label);
            }
        }
    }
    missed
}

#[test]
fn sequences_hit_their_bins() {
    assert_eq!(missed(&empty()), BTreeMap::new());
}

/// The exclusions hold for fabrics of all sizes.
#[test]
fn excluded_bins_are_not_hit() {
    let mut collector = Collector::new();
    let mut coverage = Coverage::default();
    let sizes =
        [("8x2", 0..150), ("2x1", 150..250), ("3x3", 250..330), ("2x2-rf32-sram16", 330..400)];
    for (name, (size, seeds)) in
        ["default", "chaos", "dimarch"].iter().flat_map(|n| sizes.clone().map(|s| (n, s)))
    {
        let (profile, size) = (Profile::shipped(name).unwrap(), size.parse().unwrap());
        for seed in seeds {
            let case = generate(&profile, seed, &size).case;
            coverage.add(&bins(&case, &mut collector));
        }
    }
    let refuted: Vec<String> = groups().iter().flat_map(|group| coverage.refuted(group)).collect();
    assert_eq!(refuted, Vec::<String>::new());
    // Every group is hit, even without directed sequences.
    for group in coverage.groups() {
        assert!(group.hit > 0, "{}", group.name);
    }
}

/// A thousand cases hit at least two thirds of the bins of each group that has no sequences.
#[test]
fn groups_without_sequences_need_none() {
    let profile = Profile::shipped("default").unwrap();
    let mut collector = Collector::new();
    let mut coverage = Coverage::default();
    for seed in 0..1000 {
        let case = generate(&profile, seed, &profile.fabrics.of(seed)).case;
        coverage.add(&bins(&case, &mut collector));
    }
    for group in groups() {
        if group.bins().any(|bin| DirectedBin::new(group, bin).is_some()) {
            continue;
        }
        let open: Vec<String> = coverage.holes(group).collect();
        assert!(3 * open.len() <= group.reachable(), "{}: {open:?}", group.name);
    }
}
