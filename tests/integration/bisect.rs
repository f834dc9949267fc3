// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bisect` on a repository whose commits specify what a build of each commit would do.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

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
    let author = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-c",
        "protocol.file.allow=always",
    ];
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

/// A design in `a b/hw/rtl`, of the repository `a b`, that also has files outside that folder.
struct Outside {
    dir: tempfile::TempDir,
    /// The repository of the design.
    design: PathBuf,
    case: PathBuf,
}

impl Outside {
    fn new(list: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let design = dir.path().join("a b");
        let cargo = dir.path().join("cargo");
        fs::write(&cargo, LISTING).unwrap();
        fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).unwrap();
        // Verdicts are kept in the target folder, so each run of the test has its own case.
        let case = dir.path().join("case.sasm");
        let program = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm"));
        fs::write(&case, format!("{}# {}\n", program.unwrap(), dir.path().display())).unwrap();
        let of = Self { dir, design, case };
        git(of.dir.path(), &["init", "--quiet", "a b"]);
        of.write("hw/rtl/rtl.f", list);
        of.commit("hw/rtl/top.sv", "top", "Good");
        of
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.design.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self, name: &str, text: &str, subject: &str) {
        self.write(name, text);
        git(&self.design, &["add", "."]);
        git(&self.design, &["commit", "--quiet", "-m", subject]);
    }

    /// Output and messages of a run, with the number of builds.
    fn bisect(&self, commits: &[&str]) -> (String, String, usize) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        let log = self.dir.path().join("log");
        let _ = fs::remove_file(&log);
        command.arg("bisect").arg(&self.case).args(commits).env("LOG", &log);
        command.env("CARGO", self.dir.path().join("cargo"));
        // A hook of another repository sets these.
        command.env("GIT_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/.git"));
        command.env("GIT_INDEX_FILE", self.dir.path().join("index"));
        let output = command.env("DRRA_RTL", self.design.join("hw/rtl")).output().unwrap();
        let builds = fs::read_to_string(&log).unwrap_or_default().lines().count();
        (stdout(&output), String::from_utf8_lossy(&output.stderr).into_owned(), builds)
    }
}

#[test]
fn a_file_outside_the_folder_is_bisected() {
    let of = Outside::new("top.sv\n../ip/mul.sv\n");
    of.commit("hw/ip/mul.sv", "mul", "Multiplier");
    of.commit("hw/rtl/top.sv", "top // note", "Comment");
    of.commit("hw/ip/mul.sv", "mul BUG", "Bug");
    of.commit("hw/rtl/top.sv", "top // note 2", "Comment");
    of.commit("README", "text", "Text");
    let (found, said, builds) = of.bisect(&["HEAD~4"]);
    assert!(found.starts_with("first bad commit: ") && found.contains(": Bug\n"), "{found}{said}");
    assert_eq!(builds, 4, "all designs but one are built once: {said}");
    assert!(said.starts_with("checkout: "), "{said}");
    // Neither the text nor the comment of another commit stands for a verdict about another design.
    let (found, said, builds) = of.bisect(&["HEAD~3", "HEAD~2"]);
    assert!(found.contains(": Bug\n") && builds <= 1, "{builds} builds: {found}{said}");
    assert_eq!(of.bisect(&["HEAD~3", "HEAD~2"]).2, 0);
}

#[test]
fn a_submodule_is_bisected_and_other_files_are_named() {
    let of = Outside::new("top.sv\n../ip/mul.sv\n../../../other/x.sv\n");
    let [ip, other] = ["ip", "other"].map(|name| of.dir.path().join(name));
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("x.sv"), "x").unwrap();
    git(of.dir.path(), &["init", "--quiet", "ip"]);
    let write = |text: &str| {
        fs::write(ip.join("mul.sv"), text).unwrap();
        git(&ip, &["add", "."]);
        git(&ip, &["commit", "--quiet", "-m", text]);
    };
    write("mul");
    git(&of.design, &["submodule", "--quiet", "add", &ip.display().to_string(), "hw/ip"]);
    of.commit("hw/rtl/top.sv", "top // note", "Comment");
    for (text, subject) in [("mul BUG", "New version"), ("mul BUG 2", "Newer version")] {
        write(text);
        git(&of.design.join("hw/ip"), &["pull", "--quiet"]);
        of.commit("hw/rtl/top.sv", &format!("top // {text}"), subject);
    }
    let (found, said, _) = of.bisect(&["HEAD~2"]);
    assert!(found.contains(": New version\n") && found.contains("hw/ip"), "{found}{said}");
    let outside = format!("{} is outside the repository", other.join("x.sv").display());
    assert_eq!(said.matches(&outside).count(), 1, "{said}");
    // Without its submodule, a commit has no verdict, and the reason is named.
    fs::remove_dir_all(of.design.join("hw/ip")).unwrap();
    let (_, said, _) = of.bisect(&["HEAD~2"]);
    assert!(said.contains("the submodule") && said.contains("cannot be run"), "{said}");
}
