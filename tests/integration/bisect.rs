// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bisect` on a repository whose commits specify what a build of each commit would do.

use std::{fs, path::Path, process::Command};

use crate::{Folder, said};

/// A substitute for cargo: the file `design` of the RTL becomes the program that runs the case.
const BUILD: &str = "#!/bin/sh\necho built >> \"$LOG\"\nmkdir -p \"$CARGO_TARGET_DIR/release\"\n\
                     grep -q '^exit' \"$DRRA_RTL/design\" || { echo 'error: no exit' >&2; exit 101; }\n\
                     { echo '#!/bin/sh'; cat \"$DRRA_RTL/design\"; } > \"$CARGO_TARGET_DIR/release/drra\"\n\
                     chmod +x \"$CARGO_TARGET_DIR/release/drra\"\n";

/// A substitute whose program fails if a file that `rtl.f` names contains BUG. Like the build, it lists these files.
const LISTING: &str = "#!/bin/sh\ncd \"$DRRA_RTL\" && out=\"$CARGO_TARGET_DIR/out\" && mkdir -p \"$out\" || exit 1\n\
                       for f in rtl.f $(cat rtl.f); do [ -f $f ] || { echo \"no $f\" >&2; exit 101; }\n\
                       echo \"$PWD/$f\"; done > \"$out/design.txt\"; code=0; grep -q BUG $(cat rtl.f) && code=1\n\
                       echo built >> \"$LOG\"; printf '#!/bin/sh\\nexit %s\\n' $code > \"$out/drra\"; chmod +x \"$out/drra\"\n\
                       echo \"{\\\"target\\\":{\\\"name\\\":\\\"drra\\\"},\\\"executable\\\":\\\"$out/drra\\\"}\"\n\
                       echo \"{\\\"out_dir\\\":\\\"$out\\\"}\"\n";

fn git(folder: &Path, arguments: &[&str]) {
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let mut command = Command::new("git");
    command.current_dir(folder).args(author).args(["-c", "protocol.file.allow=always"]);
    assert!(command.args(arguments).output().unwrap().status.success(), "{arguments:?}");
}

/// A design in `a b/hw/rtl`, of the repository `a b`.
struct Design(Folder);

impl Design {
    fn new(cargo: &str) -> Self {
        let of = Self(Folder::new());
        of.0.program("cargo", cargo);
        // Verdicts are kept in the target folder, so each run of the test has its own case.
        let program = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm"));
        of.0.write("case.sasm", format!("{}# {}\n", program.unwrap(), of.0.path().display()));
        git(of.0.path(), &["init", "--quiet", "a b"]);
        of
    }

    /// A design whose list names several files; the first commit contains only the first of them.
    fn listed(list: &str) -> Self {
        let of = Self::new(LISTING);
        of.0.write("a b/hw/rtl/rtl.f", list);
        of.commit("hw/rtl/top.sv", "top", "Good");
        of
    }

    fn commit(&self, name: &str, text: &str, subject: &str) {
        self.0.write(&format!("a b/{name}"), text);
        git(&self.0.join("a b"), &["add", "."]);
        git(&self.0.join("a b"), &["commit", "--quiet", "-m", subject]);
    }

    /// Output and messages of a run, with the number of builds.
    fn bisect(&self, commits: &[&str]) -> (String, String, usize) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        let log = self.0.join("log");
        let _ = fs::remove_file(&log);
        command.arg("bisect").arg(self.0.join("case.sasm")).args(commits).env("LOG", &log);
        command.env("CARGO", self.0.join("cargo")).env("DRRA_RTL", self.0.join("a b/hw/rtl"));
        // A hook of another repository sets these.
        command.env("GIT_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/.git"));
        command.env("GIT_INDEX_FILE", self.0.join("index"));
        let (code, found, messages) = said(command.output().unwrap());
        assert_eq!(code, Some(if found.is_empty() { 2 } else { 1 }), "{messages}");
        let builds = fs::read_to_string(&log).unwrap_or_default().lines().count();
        (found, messages, builds)
    }
}

#[test]
fn the_first_bad_commit_is_found() {
    let of = Design::new(BUILD);
    // Commits that do not touch the RTL are never tested; two of the others cannot be run.
    let designs = [
        "exit 0 # a",
        "exit 0 # b",
        "no build",
        "exit 0 # d",
        "exit 1 # e",
        "exit 3 # f",
        "exit 1",
    ];
    for (number, design) in designs.iter().enumerate() {
        of.commit("hw/rtl/design", &format!("{design}\n"), &format!("Design {number}"));
        git(&of.0.join("a b"), &["tag", &format!("v{number}")]);
        git(&of.0.join("a b"), &["commit", "--quiet", "--allow-empty", "-m", "Nothing"]);
    }
    let (text, _, builds) = of.bisect(&["v0"]);
    assert!(text.starts_with("first bad commit: ") && text.contains("Ada, "), "{text}");
    assert!(text.contains(": Design 4\n") && text.contains("rtl/design"), "{text}");
    assert!((4..=6).contains(&builds), "{builds} builds");
    // Commits with a known verdict are not built again.
    let (again, _, builds) = of.bisect(&["v0"]);
    assert!(again == text && builds <= 2, "{builds} builds: {again}");

    // A wrong first or last commit is rejected with the result of the case.
    for (commits, said) in [
        (&["v0", "v1"] as &[&str], "the case agrees with v1"),
        (&["v4", "v6"], "the case fails with v4"),
        (&["v5", "v6"], "the case cannot be run"),
        (&["nowhere"], "nowhere is not a commit"),
    ] {
        let (found, messages, _) = of.bisect(commits);
        assert!(found.is_empty() && messages.contains(said), "{commits:?}: {messages}");
    }
}

#[test]
fn a_file_outside_the_folder_is_bisected() {
    let of = Design::listed("top.sv\n../ip/mul.sv\n");
    of.commit("hw/ip/mul.sv", "mul", "Multiplier");
    of.commit("hw/rtl/top.sv", "top // note", "Comment");
    of.commit("hw/ip/mul.sv", "mul BUG", "Bug");
    of.commit("hw/rtl/top.sv", "top // note 2", "Comment");
    of.commit("README", "text", "Text");
    let (found, said, builds) = of.bisect(&["HEAD~4"]);
    assert!(found.starts_with("first bad commit: ") && found.contains(": Bug\n"), "{found}{said}");
    assert_eq!(builds, 4, "all designs but one are built once: {said}");
    assert!(said.starts_with("checkout: "), "{said}");
    // A verdict is used again only for a commit with the same files of the design.
    let (found, said, builds) = of.bisect(&["HEAD~3", "HEAD~2"]);
    assert!(found.contains(": Bug\n") && builds <= 1, "{builds} builds: {found}{said}");
    assert_eq!(of.bisect(&["HEAD~3", "HEAD~2"]).2, 0);
}

#[test]
fn a_submodule_is_bisected_and_other_files_are_named() {
    let of = Design::listed("top.sv\n../ip/mul.sv\n../../../other/x.sv\n");
    let (design, ip, other) = (of.0.join("a b"), of.0.join("ip"), of.0.write("other/x.sv", "x"));
    git(of.0.path(), &["init", "--quiet", "ip"]);
    let write = |text: &str| {
        of.0.write("ip/mul.sv", text);
        git(&ip, &["add", "."]);
        git(&ip, &["commit", "--quiet", "-m", text]);
    };
    write("mul");
    git(&design, &["submodule", "--quiet", "add", &of.0.name("ip"), "hw/ip"]);
    of.commit("hw/rtl/top.sv", "top // note", "Comment");
    for (text, subject) in [("mul BUG", "New version"), ("mul BUG 2", "Newer version")] {
        write(text);
        git(&design.join("hw/ip"), &["pull", "--quiet"]);
        of.commit("hw/rtl/top.sv", &format!("top // {text}"), subject);
    }
    let (found, said, _) = of.bisect(&["HEAD~2"]);
    assert!(found.contains(": New version\n") && found.contains("hw/ip"), "{found}{said}");
    let outside = format!("{other} is outside the repository");
    assert_eq!(said.matches(&outside).count(), 1, "{said}");
    // Without its submodule, a commit has no verdict, and the reason is named.
    fs::remove_dir_all(design.join("hw/ip")).unwrap();
    let (_, said, _) = of.bisect(&["HEAD~2"]);
    assert!(said.contains("the submodule") && said.contains("cannot be run"), "{said}");
}
