// SPDX-License-Identifier: MIT OR Apache-2.0
//! One recording of another simulator, compared with the golden model.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::{Compared, Mapped};
use drra_recorded::{Busy, Check, Error, Ran, Waveform, map::MapFile};
use drra_report::{Report, Subject, junit};

use super::{
    build::Build,
    error::{CommandError, file, tool, usage},
};

/// A recording that was compared.
pub(super) struct Checked {
    pub(super) check: Check,
    pub(super) outcome: drra_lockstep::Outcome,
    /// How long that took.
    time: Duration,
    /// What the fabric is busy with where an agreement ends.
    pub(super) busy: Option<Busy>,
}

impl Checked {
    /// How much was compared.
    pub(super) fn compared(&self) -> Option<Compared> {
        Some(self.check.design.compared())
    }

    /// Explains the mismatch, if there is one, and writes its files into a folder.
    pub(super) fn report(
        &self,
        repeat: &str,
        folder: Option<&Path>,
    ) -> Result<Option<Report>, CommandError> {
        let (case, setup) = (&self.check.case, self.check.setup());
        let recorded = signature::recorded(case, &setup, &mut self.outcome.clone());
        let Some((failing, around)) = recorded.map_err(|e| self.unexplained(e))? else {
            return Ok(None);
        };
        let subject =
            Subject { case, failing: &failing, around: &around, setup, repeat, reduced: None };
        let report = drra_report::build(&subject);
        if let Some(folder) = folder {
            super::write_bundle(folder, &subject, &report)?;
        }
        Ok(Some(report))
    }

    /// The result, for JUnit.
    pub(super) fn ran(&self, report: Option<Report>) -> junit::Ran {
        junit::Ran {
            name: self.check.case.name.clone(),
            time: self.time,
            cycles: self.outcome.cycles,
            seed: self.check.case.seed,
            report,
            compared: self.compared(),
            ..junit::Ran::default()
        }
    }

    /// Why a mismatch cannot be explained: what the comparison did not come to in the dump may be damaged.
    fn unexplained(&self, e: impl std::fmt::Display) -> CommandError {
        match self.check.design.take_failure() {
            Some(damage) => usage(damage.to_string(), ""),
            None => tool(e.to_string()),
        }
    }
}

/// Compares one dump.
pub(super) fn check(
    dump: &Path,
    map_path: &Path,
    map: &MapFile,
    given: Option<&Case>,
    cycles: Option<u64>,
    build: &Build,
) -> Result<Checked, CommandError> {
    let start = Instant::now();
    let name = dump.file_name().unwrap_or_default().to_string_lossy();
    let explain = |e: Error| refused(e, dump, map_path);
    let size = given.map_or(build.usual(), |case| case.geometry);
    let opened = Waveform::open(dump).map_err(|e| explain(e.into()))?;
    let check = Check::new(opened, map, given, &name, &size).map_err(explain)?;
    let Ran { outcome, busy } = check.run(cycles).map_err(explain)?;
    Ok(Checked { check, outcome, time: start.elapsed(), busy })
}

/// Why a dump cannot be compared, with what helps.
fn refused(e: Error, dump: &Path, map: &Path) -> CommandError {
    let explain = format!("drra map check {} {} explains the map", map.display(), dump.display());
    match e {
        // Its text names the file and what helps.
        Error::Waveform(e) => usage(e.to_string(), ""),
        Error::Map(e) => e.into(),
        Error::NoStimulus => {
            file(map, e.to_string(), "write drra check CASE DUMP --map MAP, or map the ports")
        }
        Error::Unusable(e) => file(dump, e, explain),
        Error::Dut(e) => tool(e),
    }
}

/// Writes a JUnit report.
pub(super) fn write_junit<'r>(
    path: Option<&Path>,
    ran: impl IntoIterator<Item = &'r junit::Ran>,
) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    super::save(path, &junit::recordings(ran))
}
