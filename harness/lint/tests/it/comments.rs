// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comments that allow findings.

use crate::lint_source;

const STORE: &str = "CELL <0,0>\nREFI port_no=w0, init_addr=3\nWAIT cycle=2\nREFI port_no=w1, init_addr=4\nWAIT cycle=2\nHALT\n";

#[track_caller]
fn check(text: &str, left: usize, allowed: usize) {
    let found = lint_source(text).unwrap();
    assert_eq!((found.findings.len(), found.allowed), (left, allowed), "{text}");
}

#[test]
fn a_comment_allows_a_line_or_the_file() {
    check(STORE, 2, 0);
    let on_line = |comment: &str| STORE.replace("init_addr=3", &format!("init_addr=3 {comment}"));
    check(&on_line("# lint: allow store-unconnected: the word becomes 0"), 1, 1);
    check(&on_line("// lint: allow lost, store-unconnected: cleared"), 1, 1);
    check(&on_line("/* lint: allow store-unconnected: cleared */"), 1, 1);
    check(&on_line("# lint: allow lost: another kind"), 2, 0);
    check(
        &STORE
            .replace("REFI port_no=w1", "# lint: allow store-unconnected: next\n\nREFI port_no=w1"),
        1,
        1,
    );
    check(&format!("{STORE}# lint: allow-file store-unconnected: both\n"), 0, 2);
}

#[test]
fn a_comment_gives_a_kind_and_a_reason() {
    for (comment, words) in [
        ("# lint: allow lost", "write a reason"),
        ("# lint: allow lost:  ", "write a reason"),
        ("/* lint: allow lost: */", "write a reason"),
        ("# lint: allow losst: typo", "no kind of finding `losst`"),
        ("# lint: ignore lost: word", "lint: allow KIND: reason"),
    ] {
        let error = lint_source(&format!("{STORE}{comment}\n")).unwrap_err();
        assert_eq!(error.line, 7);
        assert!(error.to_string().contains(words), "{error}");
    }
}
