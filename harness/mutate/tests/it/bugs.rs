// SPDX-License-Identifier: MIT OR Apache-2.0
//! Published bugs: the patches of this project and their table in the guide, and patches that are wrong.

use std::{fs, path::Path};

use drra_mutate::{Bug, bugs};
use drra_testkit::PROJECT;

const PATCH: &str = "# title: too narrow\n# reference: a/b issue 1, 2024\n# class: width\n# block: m\n# instruction: -\n\
    # witness: w.sasm\n--- a/rtl/m.sv\n+++ b/rtl/m.sv\n@@ -2,3 +2,3 @@\n one\n-two\n+2\n three\n";

/// The bugs of a folder with one patch and a witness.
fn read(patch: &str) -> Result<Vec<Bug>, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("01-narrow.patch"), patch).unwrap();
    fs::write(folder.path().join("w.sasm"), "").unwrap();
    bugs(folder.path()).map_err(|e| e.to_string())
}

#[test]
fn a_patch_plants_its_bug() {
    let bug = read(PATCH).unwrap().remove(0);
    assert_eq!((bug.name().as_str(), bug.fabric.as_str()), ("01-narrow", "8x2"));
    assert!(bug.instruction.is_empty() && bug.witness.as_ref().unwrap().ends_with("w.sasm"));
    // The second folder is inside a repository.
    let inside = tempfile::tempdir_in(Path::new(PROJECT).join("target")).unwrap();
    for folder in [tempfile::tempdir().unwrap(), inside] {
        let (rtl, run) = (folder.path().join("original"), folder.path().join("ä b"));
        fs::create_dir(&rtl).unwrap();
        for (text, planted) in
            [("0\none\ntwo\nthree\n", true), ("0\n1\none\ntwo\nthree\n", true), ("one\n", false)]
        {
            fs::write(rtl.join("m.sv"), text).unwrap();
            let result = bug.plant(&rtl, &run).map_err(|e| e.to_string());
            let expected = if planted { text.replace("two", "2") } else { text.to_owned() };
            assert_eq!(fs::read_to_string(run.join("rtl/m.sv")).unwrap(), expected);
            match result {
                Ok(()) => assert!(planted),
                // The file, and the line of the hunk.
                Err(e) => assert!(
                    !planted && e.contains("01-narrow.patch: error: patch failed: rtl/m.sv:2"),
                    "{e}"
                ),
            }
        }
    }
}

#[test]
fn a_patch_without_its_description_is_refused() {
    for (old, new, expected) in [
        ("# class: width\n", "", "no line `# class: ...`"),
        ("# class: width", "# class", "\"class\" in the first lines"),
        ("# class", "# clas: x\n# class", "unknown field \"clas\""),
        ("w.sasm", "other.sasm", "there is no witness"),
    ] {
        let error = read(&PATCH.replace(old, new)).unwrap_err();
        assert!(error.contains("01-narrow.patch: ") && error.contains(expected), "{error}");
    }
    assert!(
        bugs(tempfile::tempdir().unwrap().path())
            .unwrap_err()
            .to_string()
            .contains("no file NAME.patch")
    );
}

/// The bugs of this project.
fn own() -> Vec<Bug> {
    bugs(&Path::new(PROJECT).join("tests/published")).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_patch_applies() {
    let folder = tempfile::tempdir().unwrap();
    for bug in own() {
        let planted = bug.plant(&Path::new(PROJECT).join("rtl"), &folder.path().join(bug.name()));
        planted.unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn the_guide_lists_the_bugs() {
    let path = Path::new(PROJECT).join("harness/guide/published-bugs.md");
    let page = fs::read_to_string(&path).unwrap();
    let (first, last) = ("\n| bug | reference |", "\n\n## The form");
    let (start, end) = (page.find(first).unwrap() + 1, page.find(last).unwrap() + 1);
    let mut table =
        "| bug | reference | class | block | instruction | cases |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for bug in own() {
        let cases = bug.cases.as_deref().unwrap_or("not measured");
        let cells = [
            &bug.title,
            &bug.reference,
            &bug.class,
            &format!("`{}`", bug.block),
            &bug.instruction,
            cases,
        ];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    if std::env::var_os("DRRA_UPDATE_BUGS").is_some() {
        fs::write(&path, format!("{}{table}{}", &page[..start], &page[end..])).unwrap();
        return;
    }
    let remedy = "DRRA_UPDATE_BUGS=1 cargo test --release -p drra-mutate the_guide_lists";
    assert!(page[start..end] == table, "{} is stale: {remedy}", path.display());
}
