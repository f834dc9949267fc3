// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generated files that are compiled together.

use std::path::Path;

use super::*;

#[test]
fn files_are_known_by_their_modules() {
    for (file, expected) in [
        ("Vfabric_2x1_drra_cell__0.cpp", "drra_cell"),
        ("Vfabric_2x1_drra_tile__D1_C2__0__Slow.cpp", "drra_tile"),
        ("Vfabric_2x1.cpp", "top"),
        ("Vfabric_2x1__Syms__Slow.cpp", "top"),
        ("Vfabric_2x1___024root__0.cpp", "top"),
    ] {
        assert_eq!(module("Vfabric_2x1", file), expected, "{file}");
    }
}

/// Files of two models, each with `of_b` + 500 000 bytes of a module `b`, and with small modules `a`, `c` and `d`.
fn two_models(of_b: u64) -> Vec<GeneratedFile> {
    let sizes = [("a", 10_000), ("b", of_b), ("b", 500_000), ("c", 300_000), ("d", 300_000)];
    let file = |model: &str, number: usize, module: &str, bytes| GeneratedFile {
        module: module.to_owned(),
        path: Path::new(model).join(number.to_string()),
        bytes,
    };
    let of = |model| sizes.iter().enumerate().map(move |(n, &(m, bytes))| file(model, n, m, bytes));
    of("m").chain(of("n")).collect()
}

fn names(files: Vec<GeneratedFile>) -> Vec<String> {
    let units = together(files, 2 << 20).into_iter();
    units.map(|u| format!("{} {} {}", u.name, u.paths.len(), u.bytes)).collect()
}

/// At most 2 MiB are compiled at once, unless a file is larger. A module begins a new unit, unless the previous unit is
/// small.
#[test]
fn modules_are_compiled_apart() {
    let expected = ["a_0 4 1520000", "b_0 2 1500000", "c_0 2 600000", "d_0 2 600000"];
    assert_eq!(names(two_models(1_000_000)), expected);
    let larger = ["a_0 4 1520010", "b_0 2 1500010", "c_0 2 600000", "d_0 2 600000"];
    assert_eq!(names(two_models(1_000_010)), larger);
    let huge = ["a_0 2 20000", "b_0 1 3000000", "b_1 1 500000"];
    assert_eq!(names(two_models(3_000_000))[..3], huge);
}
