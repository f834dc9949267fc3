// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes the digest of the sources and queries git for their revision.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use drra_host::{digest, foreign};

/// Files and folders, other than the RTL, that determine the cases of a campaign and their results.
const DECIDING: [&str; 19] = [
    "isa/src",
    "isa/fabric/src",
    "isa/geometry/src",
    "isa/fabric.json",
    "isa/revisions",
    "isa/silago1.json",
    "golden/src",
    "harness/bridge",
    "harness/build/src",
    "harness/campaign/src",
    "harness/case/src",
    "harness/coverage/src",
    "harness/coverage/exclusions.json",
    "harness/diagnose/src",
    "harness/files/src",
    "harness/generate/src",
    "harness/lockstep/src",
    "harness/profiles",
    "Cargo.lock",
];

fn main() -> ExitCode {
    match identify() {
        Ok(()) => ExitCode::SUCCESS,
        Err((path, e)) => {
            eprintln!("error: {}: {e}\nhelp: restore this file of the project", path.display());
            ExitCode::FAILURE
        }
    }
}

/// A path that cannot be read.
type PathError = (PathBuf, io::Error);

fn identify() -> Result<(), PathError> {
    // The folder at run time, not that at compile time: a project may be moved or copied together with its target
    // folder.
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let root = package.join("../..").canonicalize().map_err(|e| (package, e))?;
    let mut parts = Vec::new();
    for name in DECIDING {
        // The path is relative, so that a copy of the sources watches its own files.
        println!("cargo::rerun-if-changed=../../{name}");
        add(&root, Path::new(name), &mut parts)?;
    }
    println!("cargo::rustc-env=DRRA_SOURCES={}", digest(parts));
    if let Some(revision) = revision(&root) {
        println!("cargo::rustc-env=DRRA_REVISION={revision}");
    }
    Ok(())
}

/// Adds a file, or all files of a folder, to the parts.
fn add(root: &Path, name: &Path, parts: &mut Vec<(String, Vec<u8>)>) -> Result<(), PathError> {
    let path = root.join(name);
    let of_path = |e| (path.clone(), e);
    if path.is_dir() {
        for entry in fs::read_dir(&path).map_err(of_path)? {
            add(root, &name.join(entry.map_err(of_path)?.file_name()), parts)?;
        }
        return Ok(());
    }
    let text = fs::read(&path).map_err(of_path)?;
    parts.push((name.to_string_lossy().replace('\\', "/"), text));
    Ok(())
}

/// The revision of the repository whose root is the given folder, if there is one.
fn revision(root: &Path) -> Option<String> {
    let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root {
        return None; // The sources were unpacked inside the repository of another project.
    }
    // A commit, or a switch to another commit, changes the log; in a repository without logs, a switch to another
    // branch changes `HEAD`.
    for name in ["logs/HEAD", "HEAD", "packed-refs"] {
        // Git prints a path relative to the folder, unless this is an additional work tree of a repository elsewhere.
        let path = Path::new("../..").join(git(root, &["rev-parse", "--git-path", name])?);
        if path.is_file() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    println!("cargo::rerun-if-changed=../../rtl");
    let revision = git(root, &["rev-parse", "--short=12", "HEAD"])?;
    let changed = ["status", "--porcelain", "--", "rtl"].into_iter().chain(DECIDING);
    let dirty = git(root, &changed.collect::<Vec<_>>())?;
    Some(if dirty.is_empty() { revision } else { revision + "-dirty" })
}

/// The output of git; `None` if git is missing or fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = foreign::git(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
