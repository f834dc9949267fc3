// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a waveform from another simulator with the golden model.

use std::{
    fs,
    time::{Duration, Instant},
};

use drra_campaign::CampaignError;
use drra_case::Case;
use drra_files::shell;
use drra_lockstep::{ComparisonCoverage, MappedDesign, Mismatch, MismatchKind};
use drra_recorded::{BusyUnits, CheckResult, RecordedError, Waveform, WaveformCheck, map::MapFile};
use drra_report::{Report, shown};
use drra_results::{
    checked::{ExplainError, explain},
    junit,
    known::KnownDeviations,
};

use super::{args::CheckArgs, checkout};
use crate::command_prelude::*;

/// File next to the waveform with the messages of the simulator, as written by the scripts of `drra export`.
const SIMULATOR_LOG: &str = "sim.log";

/// The result of a comparison.
pub(super) struct CheckedWaveform {
    pub(super) check: WaveformCheck,
    pub(super) outcome: drra_lockstep::Outcome,
    /// Duration of the comparison.
    time: Duration,
    /// The units that are still busy at the end, if both sides agree.
    pub(super) busy: Option<BusyUnits>,
    /// True if the program knows a checkout of its version, whose chapters can be asked.
    checkout: bool,
}

impl CheckedWaveform {
    /// Comparison coverage.
    pub(super) fn compared(&self) -> ComparisonCoverage {
        self.check.design.compared()
    }

    /// Explains the mismatch, if there is one, and writes its files into a folder.
    pub(super) fn report(
        &self,
        repeat: &str,
        folder: Option<&Path>,
    ) -> Result<Option<Report>, CommandError> {
        let (case, setup) = (&self.check.case, self.check.setup());
        let explained = explain(case, setup, &self.outcome, repeat, self.checkout, folder);
        explained.map_err(|e| match e {
            ExplainError::Dut(e) => self.unexplained(e),
            ExplainError::Waves(e) => tool(e),
            ExplainError::Bundle(e) => CampaignError::Bundle(e).into(),
        })
    }

    /// The result for a JUnit report.
    pub(super) fn ran(&self, report: Option<Report>, known: &KnownDeviations) -> junit::TestRun {
        junit::TestRun {
            name: self.check.case.name.clone(),
            time: self.time,
            cycles: self.outcome.cycles,
            seed: self.check.case.seed,
            known: known.of_report(report.as_ref()),
            report,
            compared: Some(self.compared()),
            ..junit::TestRun::default()
        }
    }

    /// The error if a mismatch cannot be explained. The cause may be damage in a part of the waveform that was not
    /// compared.
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
) -> Result<CheckedWaveform, CommandError> {
    let start = Instant::now();
    let name = waveform.file_name().unwrap_or_default().to_string_lossy();
    let explain = |e: RecordedError| refused(e, waveform, map_path);
    let size = given.map_or(build.default_size(), |case| case.geometry);
    let opened = Waveform::open(waveform).map_err(|e| explain(e.into()))?;
    let check = match opened.is_stream() {
        true => WaveformCheck::live(opened, map, given, &name, &size, cycles),
        false => WaveformCheck::new(opened, map, given, &name, &size),
    };
    let check = check.map_err(explain)?;
    let CheckResult { mut outcome, busy } = check.run(cycles).map_err(explain)?;
    if let Some(Mismatch { kind: MismatchKind::Ended(ended), .. }) = &mut outcome.mismatch {
        // Standard input has no folder.
        let log = (waveform != Path::new("-")).then(|| waveform.with_file_name(SIMULATOR_LOG));
        ended.said = log.and_then(|log| last_message(&log));
    }
    let checkout = checkout::same_version(build).is_some();
    Ok(CheckedWaveform { check, outcome, time: start.elapsed(), busy, checkout })
}

/// A simulator's last message before it ended: its last error, except an error that states only that it ended; without
/// an error, the last line.
fn last_message(log: &Path) -> Option<String> {
    let bytes = fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "failure", "fatal"].iter().any(|word| line.contains(word))
            && !["simulation failed", "assertion failed"].iter().any(|end| line.ends_with(end))
    };
    lines().find(is_error).or(lines().next()).map(shown::line)
}

/// The error if a waveform cannot be compared, with its remedy.
fn refused(e: RecordedError, waveform: &Path, map: &Path) -> CommandError {
    let (map_name, waveform_name) = (shell::path(map), shell::path(waveform));
    let explain =
        format!("run drra map check {map_name} {waveform_name} to see what the map finds");
    match e {
        // The text includes file and remedy.
        RecordedError::Waveform(e) => usage(e.to_string(), ""),
        RecordedError::Map(e) => e.into(),
        RecordedError::NoStimulus(_) => file(
            map,
            e.to_string(),
            "give the case, as in drra check CASE WAVEFORM --map MAP, or map the ports",
        ),
        RecordedError::Unusable(e) => file(waveform, e, explain),
        RecordedError::Dut(e) => tool(e),
    }
}

/// The command that repeats a comparison of these files.
pub(super) fn repeat_command(files: &[PathBuf], a: &CheckArgs) -> String {
    let name = |file: &PathBuf| match file.to_str() {
        Some("-") => "-".to_owned(),
        _ => shell::path(file),
    };
    let files: Vec<String> = files.iter().map(name).collect();
    let cycles = a.cycles.map_or_else(String::new, |cycles| format!(" --cycles {cycles}"));
    format!("drra check {} --map {}{cycles}", files.join(" "), shell::path(&a.map))
}

/// Reads a signal map.
pub(super) fn read_map(path: &Path) -> Result<MapFile, CommandError> {
    let text = drra_case::load::read(path)?;
    Ok(MapFile::parse(&path.display().to_string(), &text)?)
}
