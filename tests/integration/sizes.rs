// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands on several sizes of the fabric.

use std::{fs, path::Path};

use drra_case::programs;
use drra_cosim::SIZES;
use drra_fabric::Layout;
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_results::summary::Summary;

use crate::drra_in;

/// A program that fits on every size.
const LOOPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/nested_loops.sasm");

/// Runs a command that must end with this exit code, and returns its output.
#[track_caller]
fn told(dir: &Path, code: i32, arguments: &[&str]) -> String {
    let output = drra_in(dir, arguments);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// The same program as a case file for a size.
fn case(dir: &Path, size: &str) -> String {
    let geometry: Geometry = size.parse().unwrap();
    let program = programs::ALL.iter().find(|p| LOOPS.ends_with(p.path)).unwrap();
    let case = program.case(&geometry).unwrap();
    let name = format!("loops-{size}.json");
    fs::write(dir.join(&name), drra_case::to_json(&case)).unwrap();
    name
}

/// A program runs on the size that is requested, and a case on the size that it specifies: the 4 cells and 2 tiles
/// of a 2x1 fabric have less state than the default fabric.
#[test]
fn programs_and_cases_choose_their_size() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for size in SIZES.iter().map(ToString::to_string) {
        let geometry: Geometry = size.parse().unwrap();
        let bits = Layout::new(&geometry).state_bits();
        let shown = format!("{bits} state bits per cycle");
        let text = told(dir, 0, &["run", LOOPS, "--fabric", &size]);
        assert!(text.contains(&shown), "{size}: {text}");
        let file = case(dir, &size);
        assert!(told(dir, 0, &["run", &file]).contains(&shown), "{size}");
        assert!(told(dir, 0, &["replay", &file]).contains(&format!("({bits} of {bits} bits)")));
        let header =
            format!("\"columns\":{},\"tile_rows\":{}", geometry.columns, geometry.tile_rows);
        let trace = told(dir, 0, &["trace", &file, "--model", "rtl", "--to", "1"]);
        assert!(trace.contains(&header), "{size}: {trace}");
    }
    let other = SIZES.iter().find(|size| **size != SIZES[0]);
    let Some(other) = other.map(ToString::to_string) else {
        println!("skipped: this build has one size");
        return;
    };
    let text = told(dir, 2, &["run", &case(dir, &other), "--fabric", &SIZES[0].to_string()]);
    assert!(text.contains(&format!("the case is for fabric {other}")), "{text}");
    assert!(text.contains("omit --fabric"), "{text}");
    let text = told(dir, 2, &["run", LOOPS, "--fabric", "2x1", "--io-cell", "0,2"]);
    assert!(text.contains("columns 0 to 1"), "{text}");
}

/// The golden model supports every size, and the RTL supports only the sizes that it was built for, which the error
/// message lists.
#[test]
fn other_sizes_are_refused_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (file, size) = (case(dir, "5x7-sram4"), "5x7-sram4");
    let names = SIZES.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let remedy =
        "DRRA_COLS=5 DRRA_TILE_ROWS=7 DRRA_RF_DEPTH=64 DRRA_SRAM_DEPTH=4 cargo build --release";
    for arguments in [
        &["run", &file][..],
        &["replay", &file],
        &["shrink", &file],
        &["trace", &file, "--model", "rtl"],
        &["fuzz", "--fabric", size, "--cases", "1"],
        &["replay", "--fabric", size, "--number", "1"],
    ] {
        let text = told(dir, 2, arguments);
        for part in ["5x7-sram4", &names, remedy, "run --golden-only"] {
            assert!(text.contains(part), "{arguments:?}: {part} is not in: {text}");
        }
    }
    told(dir, 0, &["run", &file, "--golden-only"]);
    told(dir, 0, &["trace", &file, "--to", "1"]);
    let text = told(dir, 0, &["view", &file, "--out", "page.html"]);
    assert!(text.contains("page in page.html"), "{text}");
    let page = fs::read_to_string(dir.join("page.html")).unwrap();
    assert!(page.contains("fabric of 5 columns and 7 tile rows"));
    let text = told(dir, 2, &["run", LOOPS, "--fabric", "2x9"]);
    assert!(text.contains("tile rows of a fabric must be 1 to 7, not 9"), "{text}");
}

/// A size of a profile that the program lacks is mentioned, unless only builds for nights have it. These builds have all
/// sizes of the profile that the others extend.
#[test]
fn missing_sizes_are_mentioned() {
    let dir = tempfile::tempdir().unwrap();
    let fabrics = format!(r#"{{"{}": 1, "4x3-sram4": 1, "5x4": 1}}"#, SIZES[0]);
    let text =
        format!(r#"{{"version": 1, "name": "mine", "extends": "smoke", "fabrics": {fabrics}}}"#);
    fs::write(dir.path().join("mine.json"), text).unwrap();
    let text = told(dir.path(), 0, &["fuzz", "--profile", "mine.json", "--cases", "1"]);
    let note = "no model for fabric size 4x3-sram4; profile mine runs without it";
    assert!(text.contains(note), "{text}");

    let script = include_str!("../../.ci/nightly");
    let list = script.split("DRRA_FABRICS:-").nth(1).and_then(|rest| rest.split('}').next());
    let mut built: Vec<&str> = list.unwrap().split(' ').collect();
    let sizes = Profile::shipped("default").unwrap().fabrics.sizes();
    let mut named: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    built.sort_unstable();
    named.sort_unstable();
    assert_eq!(built, named);
}

/// The summary of a campaign in a folder.
fn summary(folder: &Path) -> Summary {
    Summary::parse(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// Cases of all sizes agree, each on its own size. A campaign of one size has no cases of other sizes, and its cases
/// can be generated again.
#[test]
fn campaigns_have_the_sizes_of_their_profile() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    told(dir, 0, &["fuzz", "--cases", "60", "--out", "all"]);
    let all = summary(&dir.join("all"));
    if SIZES.len() > 1 {
        assert_eq!(all.fabrics.len(), SIZES.len(), "{:?}", all.fabrics);
        assert_eq!(all.fabrics.iter().map(|f| f.cases).sum::<u64>(), 60);
    }
    let one = SIZES[SIZES.len() - 1].to_string();
    let text = told(dir, 0, &["fuzz", "--fabric", &one, "--cases", "5", "--out", "one"]);
    assert!(text.contains(&format!("{one}: 5")), "{text}");
    let fabrics = summary(&dir.join("one")).fabrics;
    assert_eq!(fabrics.iter().map(|f| &f.fabric).collect::<Vec<_>>(), [&one]);
    told(dir, 0, &["replay", "--fabric", &one, "--number", "3", "--out", "again.json"]);
    let again = fs::read_to_string(dir.join("again.json")).unwrap();
    assert_eq!(drra_case::parse(&again).unwrap().geometry.to_string(), one);
    // A test bench has the ports of one size; other sizes are reported.
    told(dir, 0, &["export", "--campaign", "one", "--out", "exported", "--cases", "2"]);
    let manifest = fs::read_to_string(dir.join("exported/manifest.json")).unwrap();
    let columns = format!("\"columns\": {}", SIZES[SIZES.len() - 1].columns);
    assert!(manifest.contains(&columns), "{manifest}");
    let text = told(dir, 2, &["export", "--campaign", "one", "--fabric", "31x1", "--out", "none"]);
    assert!(text.contains("the campaign has no cases for fabric 31x1"), "{text}");
}
