// SPDX-License-Identifier: MIT OR Apache-2.0
//! The surroundings on which a build depends: the variables of the caller, and the location of the checkout.

use std::{fs, path::Path, process::Command};

use drra_host::foreign;

#[cfg(feature = "rtl")]
use crate::Folder;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// Revision and digest of a checkout, from the messages of a build of `drra-origin`.
fn origin(checkout: &Path) -> [Option<String>; 2] {
    let mut command = foreign::cargo();
    command.args(["build", "--offline", "-p", "drra-origin", "--message-format", "json"]);
    command.env_remove("CARGO_TARGET_DIR").current_dir(checkout);
    // A hook of another repository sets this.
    command.env("GIT_DIR", format!("{PROJECT}/.git"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let of = |name: &str| {
        let mut messages =
            text.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        messages.find_map(|message| {
            let all = message["env"].as_array()?;
            let found = all.iter().find(|pair| pair[0] == name)?;
            Some(found[1].as_str()?.to_owned())
        })
    };
    ["DRRA_REVISION", "DRRA_SOURCES"].map(of)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = foreign::git(folder);
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A checkout in which only the crate that identifies the sources is built.
#[test]
fn a_moved_checkout_has_its_own_revision() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second, third] = ["first", "zwei te", "third"].map(|name| dir.path().join(name));
    fs::create_dir(&first).unwrap();
    let copy = |what: &str, to: &Path| {
        let copied = Command::new("cp").arg("-a").arg(what).arg(to).status().unwrap();
        assert!(copied.success(), "{what}");
    };
    for name in ["Cargo.toml", "Cargo.lock", "build.rs", "isa", "golden", "harness", "tests"] {
        copy(&format!("{PROJECT}/{name}"), &first);
    }
    git(&first, &["init", "--quiet"]);
    fs::write(first.join(".gitignore"), "target\n").unwrap();
    let commit = |folder: &Path| {
        git(folder, &["add", "."]);
        git(folder, &["commit", "--quiet", "--allow-empty", "-m", "Text"]);
        Some(git(folder, &["rev-parse", "--short=12", "HEAD"]))
    };
    let revision = commit(&first);
    let before = origin(&first);
    assert_eq!(before[0], revision);

    // Copied with its target folder; then the copy changes.
    copy(&first.display().to_string(), &second);
    assert_eq!(origin(&second), before);
    fs::write(second.join("golden/src/lib.rs"), "// changed").unwrap();
    let revision = commit(&second);
    let changed = origin(&second);
    assert!(changed[0] == revision && changed[1] != before[1], "{before:?} {changed:?}");
    assert_eq!(origin(&first), before);

    // Moved with its target folder: nothing is left at the old place.
    fs::rename(&second, &third).unwrap();
    let revision = commit(&third);
    let moved = origin(&third);
    assert!(moved[0] == revision && moved[1] == changed[1], "{changed:?} {moved:?}");
    // Without its repository, there is no revision.
    fs::remove_dir_all(third.join(".git")).unwrap();
    assert_eq!(origin(&third), [None, changed[1].clone()]);
}

/// The messages of the build script of this build, which is started with other variables and fails.
#[cfg(feature = "rtl")]
fn build_script(dir: &Path, variables: &[(&str, &str)]) -> String {
    let builds = Path::new(env!("OUT_DIR")).ancestors().nth(2).unwrap();
    let scripts = fs::read_dir(builds).unwrap().map(|entry| entry.unwrap().path());
    let scripts = scripts.map(|folder| folder.join("build-script-build"));
    let ours = scripts.filter(|path| path.display().to_string().contains("/drra-cosim-"));
    let newest = ours.max_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
    let out = dir.join("target/release/build/drra/out");
    fs::create_dir_all(&out).unwrap();
    let mut command = Command::new(newest.unwrap());
    command.current_dir(PROJECT).env("CARGO_MANIFEST_DIR", PROJECT).env("OUT_DIR", out);
    for name in ["DRRA_RTL", "VERILATOR", "VERILATOR_ROOT", "DRRA_VERILATOR"] {
        command.env_remove(name);
    }
    command.env("CARGO_FEATURE_RTL", "1").envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{variables:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(feature = "rtl")]
#[test]
fn an_unusable_verilator_or_folder_is_described() {
    let dir = Folder::new();
    let root = dir.name("root");
    dir.write("root/include/verilated.cpp", "");
    let program = |name: &str, text: &str| dir.program(name, &format!("#!/bin/sh\n{text}\n"));
    let new = "[ $1 = --version ] && echo Verilator 5.048 || echo";
    let broken = program("broken", "echo 'cannot find verilator_bin' >&2; exit 2");
    let old = program(
        "old",
        &new.replace("5.048", "4.228").replace("|| echo", &format!("|| echo {root}")),
    );
    let wrong = program("wrong", &format!("{new} /nowhere"));
    let right = program("right", &format!("{new} {root}"));
    let path =
        program("path/verilator", "echo 'broken pipe' >&2; exit 1").replace("/verilator", "");
    let folder = concat!("there is no folder ", env!("CARGO_MANIFEST_DIR"), "/no such/rtl");
    // Variables of the environment, and parts of the message.
    let cases = [
        (
            [("VERILATOR", "/no/verilator"); 2],
            ["VERILATOR=/no/verilator: there is no such program", "unset VERILATOR"],
        ),
        (
            [("VERILATOR", &broken); 2],
            ["broken --version` fails: cannot find verilator_bin", "make this command work"],
        ),
        (
            [("VERILATOR", &old); 2],
            ["it is Verilator 4.228, older than 5.006", "unset VERILATOR to use"],
        ),
        ([("VERILATOR", &wrong); 2], ["its root folder /nowhere has no include/verilated.cpp"; 2]),
        (
            [("VERILATOR", &right), ("VERILATOR_ROOT", "/other")],
            ["its root folder /other (VERILATOR_ROOT) has no include", "unset VERILATOR_ROOT"],
        ),
        (
            [("PATH", &path), ("DRRA_VERILATOR", "system")],
            [
                "`verilator` on PATH: `verilator --version` fails: broken pipe",
                "unset DRRA_VERILATOR",
            ],
        ),
        ([("DRRA_RTL", "no such/rtl"); 2], [folder, "relative to the folder of this project"]),
    ];
    for (variables, parts) in cases {
        let text = build_script(dir.path(), &variables);
        for part in parts {
            assert!(text.contains(part), "{variables:?}: {part} is not in: {text}");
        }
    }
}
