// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of commands that can be pasted.

use std::{path::Path, process::Command};

use drra_files::shell::{path, word};

/// A shell reads each word as the text, and a program that is given a path does not take it for an option.
#[test]
fn a_shell_reads_the_same_words() {
    for text in [
        "plain",
        "my out",
        "it's",
        "ein Ordner \u{fc} 'q' \"d\"",
        "$HOME",
        "a\\b",
        "~",
        "#a",
        "*",
        "a;b",
        "!x^y'",
        "",
    ] {
        let printed = format!("printf %s {}", word(text));
        let output = Command::new("sh").args(["-c", &printed]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{printed}");
    }
    let here = std::env::current_dir().unwrap();
    for (given, expected) in [
        ("-out/case.json", "./-out/case.json"),
        ("./-out", "./-out"),
        (".", "."),
        ("./my out", "'my out'"),
        ("../other", "../other"),
        ("/elsewhere/x", "/elsewhere/x"),
    ] {
        assert_eq!(path(Path::new(given)), expected);
    }
    assert_eq!(path(&here.join("a b")), "'a b'");
}
