// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bisect` on a repository whose commits specify what a build of each commit would do.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

/// A substitute for cargo: the file `design` of the RTL becomes the program that runs the case.
const BUILD: &str = "#!/bin/sh\necho built >> \"$LOG\"\nmkdir -p \"$CARGO_TARGET_DIR/release\"\n\
                     grep -q '^exit' \"$DRRA_RTL/design\" || { echo 'error: no exit' >&2; exit 101; }\n\
                     { echo '#!/bin/sh'; cat \"$DRRA_RTL/design\"; } > \"$CARGO_TARGET_DIR/release/drra\"\n\
                     chmod +x \"$CARGO_TARGET_DIR/release/drra\"\n";

fn git(folder: &Path, arguments: &[&str]) {
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let output = Command::new("git").current_dir(folder).args(author).args(arguments).output();
    assert!(output.unwrap().status.success(), "{arguments:?}");
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_first_bad_commit_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let [repository, log, build, case] =
        ["repository", "log", "cargo", "case.sasm"].map(|name| dir.path().join(name));
    fs::create_dir_all(repository.join("rtl")).unwrap();
    fs::write(&build, BUILD).unwrap();
    fs::set_permissions(&build, fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm"), &case).unwrap();
    git(&repository, &["init", "--quiet"]);
    // Commits that do not touch the RTL are never tested; two of the others cannot be run.
    let designs = [
        "exit 0 # a",
        "exit 0 # b",
        "no build",
        "exit 0 # d",
        "exit 1 # e",
        "exit 3 # f",
        "exit 1 # g",
    ];
    for (number, design) in designs.iter().enumerate() {
        // Verdicts are kept in the target folder, so each run of the test has its own designs.
        let design = format!("{design} {}\n", dir.path().display());
        fs::write(repository.join("rtl/design"), design).unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "--quiet", "-m", &format!("Design {number}")]);
        git(&repository, &["tag", &format!("v{number}")]);
        git(&repository, &["commit", "--quiet", "--allow-empty", "-m", "Nothing"]);
    }
    let bisect = |commits: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        command.arg("bisect").arg(&case).args(commits).env("CARGO", &build).env("LOG", &log);
        command.env("DRRA_RTL", repository.join("rtl")).output().unwrap()
    };
    let builds = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let output = bisect(&["v0"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("first bad commit: ") && text.contains("Ada, "), "{text}");
    assert!(text.contains(": Design 4\n") && text.contains("rtl/design"), "{text}");
    let first = builds();
    assert!((4..=6).contains(&first), "{first} builds");
    // Commits with a known verdict are not built again.
    assert_eq!(stdout(&bisect(&["v0"])), text);
    assert!(builds() <= first + 2, "{} builds", builds());

    // A wrong first or last commit is rejected with the result of the case.
    for (commits, said) in [
        (&["v0", "v1"] as &[&str], "the case agrees with v1"),
        (&["v4", "v6"], "the case fails with v4"),
        (&["v5", "v6"], "the case cannot be run"),
        (&["nowhere"], "nowhere is not a commit"),
    ] {
        let output = bisect(commits);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(said), "{commits:?}: {text}");
    }
}
