// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage of the RTL, from files as Verilator writes them.

use std::fs;

use drra_coverage::rtl::{PointKind, report, sums};

const FILE: &str = "# SystemC::Coverage-3\n\
    C '\x01f\x02drra_a.sv\x01l\x0210\x01n\x0230\x01t\x02toggle\x01page\x02v_toggle/drra_a__W6\x01o\x02x[0]:0->1\x01h\x02TOP.a' 4\n\
    C '\x01f\x02drra_a.sv\x01l\x0210\x01n\x0230\x01t\x02toggle\x01page\x02v_toggle/drra_a__W6\x01o\x02x[0]:0->1\x01h\x02TOP.b' 0\n\
    C '\x01f\x02drra_a.sv\x01l\x0211\x01n\x025\x01t\x02branch\x01page\x02v_branch/drra_a\x01o\x02if\x01h\x02TOP.a' 0\n";

#[test]
fn instances_are_joined() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dat");
    fs::write(&path, FILE).unwrap();
    let report = report(&[&path, &path]).unwrap();
    let module = &report["drra_a"];
    assert_eq!((module[&PointKind::Toggle].hit, module[&PointKind::Toggle].all), (1, 1));
    assert_eq!((module[&PointKind::Branch].hit, module[&PointKind::Branch].all), (0, 1));
    assert_eq!(module[&PointKind::Branch].holes, ["drra_a.sv:11 if, drra_a, column 5"]);
}

#[test]
fn parts_are_added_point_by_point() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [dir.path().join("a.dat"), dir.path().join("b.dat")];
    // Another build can have other points.
    let more = "C '\x01f\x02drra_b.sv\x01l\x021' 4294967295\n";
    fs::write(&paths[0], FILE).unwrap();
    fs::write(&paths[1], format!("{FILE}{more}")).unwrap();
    let joined = sums(&[&paths[0], &paths[1], &paths[1]]).unwrap();
    let expected = format!("{FILE}{more}")
        .replace("TOP.a' 4\n", "TOP.a' 12\n")
        .replace("4294967295", "8589934590");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&joined), sorted(&expected));
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dat");
    fs::write(&path, "# x\nC 'nothing' 3\n").unwrap();
    assert!(report(&[&path]).unwrap_err().to_string().ends_with("a.dat:2: not a coverage point"));
}
