// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shipped map, and maps in JSON.

use drra_isa::Geometry;
use drra_recorded::{
    Names,
    map::{MapFile, SignalMap},
};

/// The map of the published fabric.
const PUBLISHED: &str = include_str!("../../../maps/silago-published.map");

/// Without any signal the shipped map has no other problem than that there are none.
#[test]
fn the_shipped_map_is_well_formed() {
    let file = MapFile::parse("published", PUBLISHED).unwrap();
    let error =
        SignalMap::resolve(&file, &Names::default(), &Geometry::default()).expect_err("no signals");
    let what: Vec<&str> = error.problems.iter().map(|p| p.what.as_str()).collect();
    assert_eq!(what.len(), 3, "clock, reset, registers: {error}");
    assert!(what[..2].iter().all(|w| w.starts_with("the waveform has no signal")), "{error}");
    assert!(what[2].starts_with("the map matches nothing"), "{error}");
}
