// SPDX-License-Identifier: MIT OR Apache-2.0
//! README and the guide: links and paths are valid, and pages are listed in the book.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Files that a page tells the reader to create, or that exist only in an example.
const EXAMPLES: [&str; 3] = ["tests/programs/NAME.sasm", "rtl/drra_prof.sv", "golden/src/prof.rs"];
/// The folders with which paths on the pages begin.
const FOLDERS: [&str; 6] = ["isa/", "golden/", "rtl/", "harness/", "tests/", ".ci/"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Path (from the root) and text of a page.
fn page(path: PathBuf) -> (PathBuf, String) {
    let text = fs::read_to_string(root().join(&path)).unwrap();
    (path, text)
}

/// The pages of a folder, in the order of their names.
fn pages_of(folder: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| Path::new(folder).join(entry.unwrap().file_name()));
    // A folder can also contain pictures and data.
    let mut paths: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    paths.sort();
    paths.into_iter().map(page).collect()
}

/// README, then all pages of the guide.
fn pages() -> Vec<(PathBuf, String)> {
    let readme = page("README.md".into());
    [readme].into_iter().chain(pages_of("harness/guide")).collect()
}

/// The anchors of the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let anchor = |heading: &str| {
        let lower = heading.trim().to_lowercase().replace(' ', "-");
        lower.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_lead_to_pages_and_headings() {
    let chapters = pages_of("isa/spec");
    for (page, text) in pages().into_iter().chain(chapters) {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = root().join(page.parent().unwrap()).join(file);
            let linked = fs::read(&path)
                .unwrap_or_else(|e| panic!("{}: link {target}: {e}", page.display()));
            // Links to pictures are included.
            let linked = String::from_utf8_lossy(&linked);
            let known = anchor.is_empty() || anchors(&linked).contains(anchor);
            assert!(known, "{}: link {target}: no such heading", page.display());
        }
    }
}

#[test]
fn named_paths_exist() {
    let mut missing = Vec::new();
    for (page, text) in pages() {
        // Of the pieces between backticks, every other one is code.
        for code in text.split('`').skip(1).step_by(2) {
            let path = code.split(' ').next().unwrap_or_default();
            let named = FOLDERS.iter().any(|f| path.starts_with(f));
            let pattern = path.contains('*') || EXAMPLES.contains(&path);
            if named && !pattern && !root().join(path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}

#[test]
fn pages_are_in_the_book() {
    let pages = pages();
    let (_, summary) = pages.iter().find(|(p, _)| p.ends_with("SUMMARY.md")).unwrap();
    for (path, _) in pages.iter().filter(|(p, _)| p.starts_with("harness/guide")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let listed = summary.matches(&format!("({name})")).count();
        assert_eq!(listed, usize::from(name != "SUMMARY.md"), "SUMMARY.md: {name}");
    }
}

/// The commands of the console blocks of a page, each with its output; commands of other programs are omitted.
fn commands(text: &str) -> Vec<(Vec<&str>, String)> {
    let mut commands: Vec<(Vec<&str>, String)> = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.split(' ').collect(), String::new())),
                None => commands.last_mut().unwrap().1 += &format!("{line}\n"),
            }
        }
    }
    commands.retain(|(words, _)| words[0] == "drra");
    commands
}

#[test]
fn commands_for_compilers_print_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("tests/compiled")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let page = fs::read_to_string(root().join("harness/guide/compilers.md")).unwrap();
    let commands = commands(&page);
    assert_eq!(commands.len(), 6);
    for (words, expected) in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_drra"))
            .args(&words[1..])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let printed = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
        // Three dots stand for omitted lines.
        match expected.split_once("...\n") {
            None => assert_eq!(printed, expected, "{}", words.join(" ")),
            Some((first, last)) => {
                assert!(printed.starts_with(first) && printed.ends_with(last), "{printed}");
            }
        }
        assert_eq!(output.status.code(), Some(0), "{}", words.join(" "));
    }
    for (file, beginning) in [
        ("instr_list.html", "<!DOCTYPE html>"),
        ("result.xml", "<?xml"),
        ("instruction.bin", "CELL 0 0\n1 "),
    ] {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.starts_with(beginning), "{file}");
    }
}

/// The table of `timing.md` matches the golden model.
#[test]
fn cycles_of_vec_add_are_as_the_page_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_drra"))
        .args(["trace", "isa/vec_add.sasm", "--only", "*[0]*"])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let changes: Vec<(u64, String, String)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let change: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| change[key].as_str().unwrap().to_owned();
            (change["cycle"].as_u64().unwrap(), text("path"), text("value"))
        })
        .collect();
    let first = |path: &str, value: Option<String>, since: u64| {
        let is = |v: &String| value.as_ref().is_none_or(|value| value == v);
        let found = changes.iter().find(|(c, p, v)| *c > since && p == path && is(v));
        found.unwrap_or_else(|| panic!("{path} does not change")).0
    };
    let page = fs::read_to_string(root().join("harness/guide/timing.md")).unwrap();
    let (_, table) = page.split_once("## In vec_add").unwrap();
    let rows = table.lines().filter_map(|line| {
        let [_, address, _, path, after, _] = line.split('|').collect::<Vec<_>>()[..] else {
            return None;
        };
        let address: u64 = address.trim().parse().ok()?;
        Some((address, path.trim().trim_matches('`'), after.trim().parse::<u64>().unwrap()))
    });
    let mut count = 0;
    for (address, path, after) in rows {
        // The first instruction is decoded in the first cycle of state RUN, at the reset value of pc.
        let decoded = match address {
            0 => first("cell[0][0].seq.state", Some("0x2".to_owned()), 0),
            _ => first("cell[0][0].seq.pc", Some(format!("{address:#04x}")), 0),
        };
        assert_eq!(first(path, None, decoded) - decoded, after, "{path}");
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn readme_clones_the_repository() {
    let (_, text) = page("README.md".into());
    assert!(text.contains(concat!("git clone ", env!("CARGO_PKG_REPOSITORY"), " &&")));
}
