// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands for foreign programs, without those variables of the caller that would make a program work on something
//! else. Build scripts include this file.

use std::{
    env,
    ffi::OsStr,
    io::{self, Write},
    path::Path,
    process::{Command, Output, Stdio},
};

/// The variables of `git rev-parse --local-env-vars`, which a hook or a caller sets for its own repository, and others
/// that change what git finds or prints.
const GIT: [&str; 22] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "LANGUAGE",
];

/// Git in a folder; its messages are in English.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in GIT {
        command.env_remove(name);
    }
    // In a container, the folder often belongs to another user; git then refuses to read it without the first option,
    // and would start a program that the repository names without the second.
    command.args(["-c", "safe.directory=*", "-c", "core.fsmonitor=false"]);
    command.env("LC_ALL", "C").current_dir(folder);
    command
}

/// The cargo that runs this program, or that on PATH.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Python without the modules and the home of another Python, and with all folders visible to Yosys.
pub fn python() -> Command {
    let mut command = Command::new("python3");
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("PYTHON") || name == "YOWASP_MOUNT" {
            command.env_remove(name);
        }
    }
    // A `re.py` in the current folder is not the module `re`.
    command.env("PYTHONSAFEPATH", "1");
    command
}

/// Runs a Python program with a text on its standard input, which the program reads to its end before it writes.
pub fn python_with(arguments: &[&OsStr], input: &str) -> io::Result<Output> {
    let mut command = python();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let written = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    // A program that failed at once has not read its input; its own message says more.
    if output.status.success() { written.map(|()| output) } else { Ok(output) }
}

/// The output of the script that installs Python packages: the folder of the packages, or the reason for a failure.
/// `requirements` has their versions and hashes; a `{}` in the name stands for a digest of it.
pub fn packages(
    target: &Path,
    name: &str,
    requirements: &str,
    more: &[&str],
) -> Result<String, String> {
    let script: [&OsStr; 4] =
        ["-c".as_ref(), include_str!("packages.py").as_ref(), target.as_ref(), name.as_ref()];
    let arguments: Vec<&OsStr> = script.into_iter().chain(more.iter().map(OsStr::new)).collect();
    let output = python_with(&arguments, requirements).map_err(|e| format!("python3: {e}"))?;
    let text = if output.status.success() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(text).trim_end().to_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(text.lines().last().unwrap_or("python3 failed without a message").to_owned())
}
