// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a waveform from another simulator with the golden model.

use std::time::{Duration, Instant};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::{Compared, Mapped};
use drra_recorded::{Busy, Check, Error, Ran, Waveform, map::MapFile};
use drra_report::{Report, Subject, junit};

use super::reports;
use crate::command_prelude::*;

/// The result of a comparison.
pub(super) struct Checked {
    pub(super) check: Check,
    pub(super) outcome: drra_lockstep::Outcome,
    /// How long it took.
    time: Duration,
    /// What is still busy at the end, if both sides agree.
    pub(super) busy: Option<Busy>,
}

impl Checked {
    /// Comparison coverage.
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
            reports::write_bundle(folder, &subject, &report)?;
        }
        Ok(Some(report))
    }

    /// The result for a JUnit report.
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

    /// The error if a mismatch cannot be explained: a part of the waveform that was not compared may be damaged.
    fn unexplained(&self, e: impl std::fmt::Display) -> CommandError {
        match self.check.design.take_failure() {
            Some(damage) => usage(damage.to_string(), ""),
            None => tool(e.to_string()),
        }
    }
}

/// Compares one waveform.
pub(super) fn check(
    waveform: &Path,
    map_path: &Path,
    map: &MapFile,
    given: Option<&Case>,
    cycles: Option<u64>,
    build: &Build,
) -> Result<Checked, CommandError> {
    let start = Instant::now();
    let name = waveform.file_name().unwrap_or_default().to_string_lossy();
    let explain = |e: Error| refused(e, waveform, map_path);
    let size = given.map_or(build.default_size(), |case| case.geometry);
    let opened = Waveform::open(waveform).map_err(|e| explain(e.into()))?;
    let check = Check::new(opened, map, given, &name, &size).map_err(explain)?;
    let Ran { outcome, busy } = check.run(cycles).map_err(explain)?;
    Ok(Checked { check, outcome, time: start.elapsed(), busy })
}

/// The error if a waveform cannot be compared, with its remedy.
fn refused(e: Error, waveform: &Path, map: &Path) -> CommandError {
    let (map_name, waveform_name) = (map.display(), waveform.display());
    let explain =
        format!("run drra map check {map_name} {waveform_name} to see what the map finds");
    match e {
        // The text includes file and remedy.
        Error::Waveform(e) => usage(e.to_string(), ""),
        Error::Map(e) => e.into(),
        Error::NoStimulus => file(
            map,
            e.to_string(),
            "give the case, as in drra check CASE WAVEFORM --map MAP, or map the ports",
        ),
        Error::Unusable(e) => file(waveform, e, explain),
        Error::Dut(e) => tool(e),
    }
}

/// Writes a JUnit report.
pub(super) fn write_junit<'r>(
    path: Option<&Path>,
    ran: impl IntoIterator<Item = &'r junit::Ran>,
) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    save(path, &junit::recordings(ran))
}

/// Reads a signal map.
pub(super) fn read_map(path: &Path) -> Result<MapFile, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|e| file(path, e, "give a signal map"))?;
    Ok(MapFile::parse(&path.display().to_string(), &text)?)
}
