// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra view` and `drra run --stats`: files, errors, and the pages in a browser.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drra_cosim::GEOMETRY;
use drra_isa::Geometry;
use drra_view::Statistics;

use crate::{browser::in_browser, drra_in, refused};

/// Maximum size of a page that shows 2000 cycles of 16 busy cells, in bytes.
const LARGEST: u64 = 5_000_000;

/// Path of a program of this repository.
fn program(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that a command is refused and leaves no file behind in a folder that was empty.
#[track_caller]
fn refused_without_a_trace(folder: &Path, arguments: &[&str], parts: &[&str]) {
    refused(folder, arguments, parts);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "{arguments:?}: nothing is left behind");
}

#[test]
fn the_page_has_the_name_of_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let vec_add = program("isa/vec_add.sasm");
    let output = drra_in(dir.path(), &["view", &vec_add]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("35 cycles from the first decode (32)"), "{told}");
    assert!(told.ends_with("page in vec_add.html\n"), "{told}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_viewed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let vec_add = program("isa/vec_add.sasm");
    let view = |more: &[&str], parts: &[&str]| {
        refused_without_a_trace(dir.path(), &[&["view"][..], more].concat(), parts);
    };
    view(&["missing.sasm"], &["missing.sasm"]);
    view(&[&vec_add, &vec_add], &["unexpected argument"]);
    view(&[&vec_add, "--from", "9", "--to", "8"], &["the first cycle is after the last one"]);
    view(
        &[&vec_add, "--from", "900"],
        &["--from 900 is after the end of the run", "give a cycle up to 98"],
    );
    view(&[&vec_add, "--out", "none/page.html"], &["none/page.html", "--out"]);
}

#[test]
fn figures_as_table_and_as_data() {
    let dir = tempfile::tempdir().unwrap();
    let programs = [program("isa/vec_add.sasm"), program("tests/programs/nested_loops.sasm")];
    let [vec_add, loops] = &programs;
    let run = ["run", "--golden-only", "--stats", "--stats-json", "s.json", vec_add, loops];
    let output = drra_in(dir.path(), &run);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("vec_add.sasm: 98 cycles, 16 instructions"), "{told}");
    assert!(told.contains("│ cell[0][0] │") && told.contains("│ tile[1][0] │"), "{told}");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("s.json")).unwrap()).unwrap();
    let all: Vec<Statistics> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|one| Statistics::parse(&one.to_string()).unwrap())
        .collect();
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].program_cycles(), all[0].totals.operations), (35, 16));
    refused_without_a_trace(
        tempfile::tempdir().unwrap().path(),
        &["run", "--golden-only", "--stats-json", "none/s.json", vec_add],
        &["none/s.json"],
    );
}

/// A page and the trace of the same run.
fn page_and_trace(folder: &Path, path: &str, cycles: &str) -> [PathBuf; 2] {
    let name = Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned();
    let (page, path) = (format!("{name}.html"), program(path));
    let output = drra_in(folder, &["view", &path, "--cycles", cycles, "--out", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = drra_in(folder, &["trace", &path, "--cycles", cycles, "--with-end"]);
    let trace = folder.join(format!("{name}.jsonl"));
    fs::write(&trace, output.stdout).unwrap();
    [folder.join(page), trace]
}

#[test]
fn views_in_a_browser() {
    if GEOMETRY != Geometry::default() {
        println!("skipped: the programs are written for the default fabric");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (path, cycles) in [
        ("isa/vec_add.sasm", "98"),
        ("tests/programs/dpu_chain.sasm", "80"),
        ("tests/programs/dense.sasm", "2000"),
    ] {
        files.extend(page_and_trace(dir.path(), path, cycles));
    }
    let size = fs::metadata(&files[4]).unwrap().len();
    assert!(size <= LARGEST, "2000 cycles of 16 cells: {size} bytes");
    in_browser("view.py", &files);
}
