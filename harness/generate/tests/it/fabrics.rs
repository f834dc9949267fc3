// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fabric sizes for which a profile generates cases.

use drra_generate::{FabricWeights, Profile};
use drra_isa::Geometry;

fn profile(more: &str) -> Profile {
    Profile::parse(&format!(r#"{{"version": 1, "name": "x"{more}}}"#), None).unwrap()
}

/// The shares of the sizes over 3000 seeds match the weights.
#[test]
fn sizes_come_as_often_as_they_weigh() {
    let fabrics =
        profile(r#", "fabrics": {"8x2": 1, "2x1": 4, "2x2-rf32-sram16": 1, "3x3": 0}"#).fabrics;
    let count = |text: &str| {
        let size = text.parse().unwrap();
        (0..3000).filter(|seed| fabrics.of(*seed) == size).count()
    };
    let counts = ["2x1", "2x2-rf32-sram16", "8x2"].map(count);
    assert_eq!(counts.iter().sum::<usize>(), 3000);
    for (count, expected) in counts.into_iter().zip([2000, 500, 500]) {
        assert!(count.abs_diff(expected) < 100, "{counts:?}");
    }
    let names: Vec<String> = fabrics.sizes().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["2x1", "2x2-rf32-sram16", "8x2"]);
}

#[test]
fn without_sizes_the_default_one_is_used() {
    let fabrics = profile("").fabrics;
    assert_eq!(fabrics.sizes(), [Geometry::default()]);
    assert!((0..50).all(|seed| fabrics.of(seed) == Geometry::default()));
}

/// A build contains only some sizes, and constraints can leave no cell of a small one.
#[test]
fn a_profile_is_narrowed_to_what_there_is() {
    let sizes = ["8x2", "2x1", "3x3"].map(|text| text.parse().unwrap());
    let on = |more: &str, sizes: &[Geometry]| profile(more).on(sizes).map(|p| p.fabrics);
    let all = r#", "fabrics": {"8x2": 1, "2x1": 4, "5x1": 2}"#;
    let narrowed = profile(r#", "fabrics": {"8x2": 1, "2x1": 4}"#).fabrics;
    assert_eq!(on(all, &sizes).unwrap(), narrowed);
    assert_eq!(on(all, &sizes[2..]).unwrap(), FabricWeights::one(sizes[2]));
    assert!(on("", &sizes).unwrap().is_empty());
    assert_eq!(on("", &sizes[1..]).unwrap(), FabricWeights::one(sizes[1]));
    let far = r#", "fabrics": {"8x2": 1, "2x1": 4}, "constraints": [{"only_cells": [[0, 7]]}]"#;
    assert_eq!(on(far, &sizes).unwrap(), FabricWeights::one(sizes[0]));
    on(far, &sizes[1..]).unwrap_err();
}
