// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of commands that are printed or stored, quoted so that the commands can be pasted into a POSIX shell.

use std::path::Path;

use crate::from_here;

/// A text as one word, quoted if necessary.
pub fn word(text: &str) -> String {
    // Only NUL cannot be quoted, and neither arguments nor paths contain it.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}

/// A file or folder as one word, relative to the working folder if it is inside that folder. The word is not an option,
/// even if the name begins with a hyphen.
pub fn path(path: &Path) -> String {
    match &*from_here(path).to_string() {
        "" => ".".to_owned(),
        text if text.starts_with('-') => word(&format!("./{text}")),
        text => word(text),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

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
}
