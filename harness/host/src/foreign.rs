// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands for foreign programs, without those variables of the caller that would make a program work on something
//! else.

use std::{env, path::Path, process::Command};

/// Prefixes of the variables of git that are passed on: they say where its files and programs are, and how it is
/// configured.
const ALLOWED: [&str; 7] = [
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_SSH",
    "GIT_SSL",
];

/// True for a variable that a hook or a caller sets for its own repository, or that changes what git finds or prints.
fn misleads_git(name: &str) -> bool {
    name == "LANGUAGE"
        || name.starts_with("GIT_") && !ALLOWED.iter().any(|prefix| name.starts_with(prefix))
}

/// A command without those variables of this process that mislead its program.
fn without(program: &str, misleads: impl Fn(&str) -> bool) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os().filter(|(name, _)| misleads(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

/// Git in a folder; its messages are in English.
pub fn git(folder: &Path) -> Command {
    let mut command = without("git", misleads_git);
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
    let misleads = |name: &str| name.starts_with("PYTHON") || name == "YOWASP_MOUNT";
    let mut command = without("python3", misleads);
    // A `re.py` in the current folder is not the module `re`.
    command.env("PYTHONSAFEPATH", "1");
    command
}

/// The output of the script that installs Python packages: the folder of the packages, or the reason for a failure.
/// `requirements` has their versions and hashes; a `{}` in the name stands for a digest of the requirements.
pub fn packages(
    target: &Path,
    name: &str,
    requirements: &str,
    more: &[&str],
) -> Result<String, String> {
    let mut command = python();
    command.args(["-c", include_str!("packages.py")]).arg(target);
    let output = command.args([name, requirements]).args(more).output();
    let output = output.map_err(|e| format!("python3: {e}"))?;
    let text = if output.status.success() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(text).trim_end().to_owned();
    if output.status.success() {
        return Ok(text);
    }
    // The output of a process that was killed does not give the reason.
    let killed = output.status.code().is_none();
    let last = text.lines().last().filter(|_| !killed);
    Err(last.map_or_else(|| format!("python3 failed: {}", output.status), str::to_owned))
}

#[cfg(test)]
mod tests;
