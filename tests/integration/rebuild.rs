// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo test` uses the libraries that `cargo run` has compiled.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use drra_testkit::PROJECT;
use serde_json::Value;

/// The packages that a cargo command compiles and, for each way of compiling one, whether something other than build
/// scripts and macros uses it. Cargo passes other options to the compiler if nothing else does, since build scripts
/// and macros are never linked with `lto`.
fn packages(command: &str) -> BTreeMap<String, bool> {
    let mut cargo = Command::new(env!("CARGO"));
    let options = ["--release", "--locked", "--offline", "--unit-graph", "-Zunstable-options"];
    cargo.arg(command).args(options).env("RUSTC_BOOTSTRAP", "1").current_dir(PROJECT);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let graph: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut open: Vec<(u64, bool)> = graph["roots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|root| (root.as_u64().unwrap(), true))
        .collect();
    let (mut seen, mut packages) = (BTreeSet::new(), BTreeMap::new());
    while let Some((number, linked)) = open.pop() {
        let unit = &graph["units"][number as usize];
        let kind = unit["target"]["kind"][0].as_str().unwrap();
        let linked = linked && !["proc-macro", "custom-build"].contains(&kind);
        if !seen.insert((number, linked)) {
            continue;
        }
        let key = ["pkg_id", "mode", "features", "profile"].map(|key| unit[key].to_string());
        *packages.entry(format!("{kind} {}", key.join(" "))).or_default() |= linked;
        let needed = unit["dependencies"].as_array().unwrap().iter();
        open.extend(needed.map(|needed| (needed["index"].as_u64().unwrap(), linked)));
    }
    packages
}

/// If a package that only build scripts and macros use were used by a test as well, everything that needs it would be
/// compiled again: choose versions in `Cargo.lock` that differ.
#[test]
fn a_test_compiles_no_library_again() {
    let [run, test] = ["build", "test"].map(packages);
    let again =
        run.iter().filter(|(package, linked)| test.get(*package).is_some_and(|l| l != *linked));
    assert_eq!(Vec::from_iter(again), []);
    // The build itself, and what it shares with the tests.
    assert!(run.keys().filter(|package| test.contains_key(*package)).count() > 100);
}
