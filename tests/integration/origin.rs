// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a build depends on in its surroundings: variables of the caller, settings of pip, the place of the checkout.

#[expect(dead_code, unreachable_pub, reason = "tests use a part of a library")]
#[path = "../../harness/mutate/src/foreign.rs"]
mod foreign;
#[path = "../../harness/bridge/build/list.rs"]
mod list;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

#[cfg(feature = "rtl")]
use crate::Folder;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");
/// Writes a wheel with one module into a folder, and prints a requirement with its hash.
const WHEEL: &str = "
import hashlib, sys, zipfile
name = sys.argv[1] + '/drra_nothing-1.0-py3-none-any.whl'
with zipfile.ZipFile(name, 'w') as wheel:
    info = 'drra_nothing-1.0.dist-info/'
    wheel.writestr('drra_nothing.py', '')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: drra-nothing\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
print('drra-nothing==1.0 --hash=sha256:' + hashlib.sha256(open(name, 'rb').read()).hexdigest())
";

/// Runs the script that installs packages, with settings of pip that send packages elsewhere or refuse to install.
fn install(folder: &Path, requirements: &str) -> Output {
    let settings = folder.join("pip.conf");
    let text = "[global]\nuser = true\nprefix = /nowhere\nroot = /nowhere\ntarget = /nowhere\n\
                require-virtualenv = true\ndry-run = true\nno-binary = :all:\n";
    fs::write(&settings, text).unwrap();
    let mut command = foreign::python();
    command.arg(format!("{PROJECT}/harness/mutate/src/packages.py"));
    command.arg(folder.join("target")).args(["nothing-{}", requirements]);
    let links = folder.parent().unwrap();
    command.env("PIP_CONFIG_FILE", settings).env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", links);
    for name in ["USER", "TARGET", "PREFIX", "REQUIRE_VIRTUALENV", "DRY_RUN"] {
        command.env(format!("PIP_{name}"), "1");
    }
    command.output().unwrap()
}

#[test]
fn packages_are_installed_whatever_the_settings_of_pip() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ein Ordner ü 'q'");
    fs::create_dir(&folder).unwrap();
    let mut python = foreign::python();
    // A list of folders for pip is separated by blanks.
    let wheel = python.args(["-c", WHEEL]).arg(dir.path()).output().unwrap();
    let pinned = String::from_utf8(wheel.stdout).unwrap();
    let both = [0; 2].map(|_| {
        let (folder, pinned) = (folder.clone(), pinned.clone());
        std::thread::spawn(move || install(&folder, &pinned))
    });
    let both = both.map(|one| one.join().unwrap());
    let text = String::from_utf8_lossy(&both[0].stdout).into_owned();
    assert!(both.iter().all(|one| one.status.success()), "{both:?}");
    assert_eq!(both[0].stdout, both[1].stdout);
    assert!(Path::new(text.trim_end()).join("drra_nothing.py").is_file(), "{text}");
    let target = || fs::read_dir(folder.join("target")).unwrap().count();
    assert_eq!(target(), 1, "a partial folder is left");
    // A changed pin has another folder; a wrong hash leaves nothing.
    let wrong = pinned.replace(|c: char| c.is_ascii_digit(), "0").replace("==0.0", "==1.0");
    let refused = install(&folder, &wrong.replace("sha000", "sha256"));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("cannot install drra-nothing==1.0"),
        "{said}"
    );
    assert_eq!(target(), 1, "{said}");
}

#[test]
fn foreign_programs_do_not_inherit_what_misleads_them() {
    let local = Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
    let local = String::from_utf8(local.stdout).unwrap();
    for name in local.lines() {
        assert!(foreign::misleads_git(name), "{name} reaches git");
    }
}

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

/// As Verilator 5.006 and 5.048 write them.
#[test]
fn every_file_of_a_design_is_listed_once() {
    let text = "# DESCRIPTION: Verilator output: Timestamp data for --skip-identical.\n\
                C \"--cc -f rtl.f\"\n\
                S      2875  57427  17958           0  17958           0 \"../i p/a $d#\\\\ \u{e9}.sv\"\n\
                T      2875  57427  17958           0  17958           0 \"/out/V.cpp\"\n\
                S        40  57427  17958           0  17958           0 \"rXSLHA\" \"/a b/public.vlt\"\n\
                S      7542  57427  17958           0  17958           0 \"unhashed\" \"top.sv\"\n";
    let all: Vec<&str> = list::listed(text).collect();
    let folder = Path::new(PROJECT).join("rtl");
    let files = ["drra_agu.sv", "../build.rs", "../rtl/rtl.f"].map(|name| folder.join(name));
    let outside: Vec<_> = list::outside(&folder.canonicalize().unwrap(), &files).collect();
    assert_eq!(outside, [Path::new(PROJECT).join("build.rs").canonicalize().unwrap()]);
    assert_eq!(all, ["../i p/a $d#\\\\ \u{e9}.sv", "/a b/public.vlt", "top.sv"]);
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
