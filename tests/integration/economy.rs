// SPDX-License-Identifier: MIT OR Apache-2.0
//! How large the project is: lines of Rust by crate, neither blank nor comments alone, beside what is aimed at.

use std::{fs, path::Path};

/// Crate with its folder, lines of code that are aimed at, lines of tests.
const AIMS: [(&str, usize, usize); 14] = [
    ("isa", 7600, 2200),
    ("golden", 3500, 1900),
    ("harness/case", 1400, 400),
    ("harness/generate", 4100, 700),
    ("harness/lockstep", 2500, 800),
    ("harness/coverage", 3100, 800),
    ("harness/diagnose", 1600, 400),
    ("harness/report", 7400, 900),
    ("harness/campaign", 3300, 1700),
    ("harness/recorded", 5800, 2200),
    ("harness/mutate", 3000, 400),
    ("harness/cli", 4300, 300),
    ("harness/bridge", 2400, 100),
    ("tests", 0, 4700),
];

/// Lines of a crate.
#[derive(Default)]
struct Lines {
    code: usize,
    tests: usize,
    generated: usize,
}

impl Lines {
    fn add(&mut self, path: &Path, in_tests: bool) {
        if path.is_dir() {
            let in_tests = in_tests || path.ends_with("tests");
            for entry in fs::read_dir(path).unwrap() {
                self.add(&entry.unwrap().path(), in_tests);
            }
            return;
        }
        if path.extension().is_none_or(|ending| ending != "rs") {
            return;
        }
        let text = fs::read_to_string(path).unwrap();
        let count = |text: &str| {
            let lines = text.lines().map(str::trim);
            lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
        };
        let made = |line: &str| line.starts_with("//") && line.contains("@generated");
        if text.lines().any(made) {
            self.generated += count(&text);
        } else if in_tests || path.ends_with("tests.rs") {
            self.tests += count(&text);
        } else {
            let (code, tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
            self.code += count(code);
            self.tests += count(tests);
        }
    }
}

/// A crate that is larger than aimed at says why, in the first lines that a reader sees.
#[test]
fn what_is_larger_than_aimed_at_says_why() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    println!(
        "{:<17} {:>6} {:>6} {:>6} {:>6} {:>9}",
        "", "code", "aim", "tests", "aim", "generated"
    );
    let (mut sum, mut aim, mut silent) = (Lines::default(), (0, 0), Vec::new());
    for (folder, code, tests) in AIMS {
        let mut lines = Lines::default();
        lines.add(&root.join(folder), false);
        let Lines { code: has, tests: tested, generated } = lines;
        println!("{folder:<17} {has:>6} {code:>6} {tested:>6} {tests:>6} {generated:>9}");
        sum.code += has;
        sum.tests += tested;
        aim = (aim.0 + code, aim.1 + tests);
        let doc =
            ["src/lib.rs", "mod.rs"].map(|file| fs::read_to_string(root.join(folder).join(file)));
        let aimed_at = format!("{} {:03} lines", code / 1000, code % 1000);
        let says = |text: &String| text.contains(&aimed_at);
        if has > code && !doc.iter().flatten().any(says) {
            silent.push(folder);
        }
    }
    println!("{:<17} {:>6} {:>6} {:>6} {:>6}", "sum", sum.code, aim.0, sum.tests, aim.1);
    assert!(silent.is_empty(), "{silent:?}: larger than aimed at, and lib.rs does not say why");
}
