// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asks the chapters which side is right: their code, run by a script of the checkout, is a third model.

use std::env;

use drra_campaign::{CaseRun, Executor, ReportRequest, process::WorkerPool};
use drra_case::Case;
use drra_lockstep::RunSetup;
use drra_report::{Report, data::Disagreement};

use crate::{checkout, command_prelude::*};

/// The script that runs the code of the chapters, in a checkout.
const SCRIPT: &str = "tests/specification/check.py";

/// Remedy without a checkout.
const CLONE: &str = "run it in a clone of that version, or read the section that the report names";
/// Remedy without Python.
const INSTALL: &str = "the chapters are run by Python: install Python 3, as python3 on the PATH";

/// Runs a case on golden model, RTL and chapters, or, without a setup, on golden model and chapters only, and prints
/// which of them is alone at the first difference.
pub(super) fn ask(
    case: &Case,
    setup: Option<&RunSetup<'_>>,
    pool: &WorkerPool<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let Some(setup) = setup else { return run(case, false, build) };
    let request = ReportRequest::default();
    let request = CaseRun { report: Some(&request), ..CaseRun::of(case) };
    let report = pool.run_case(&request, setup)?.report;
    // A trace of the RTL has all registers up to the end only if it has no map and does not stop.
    match (setup.design.mapped(), report.as_ref().map(|report| &report.mismatch.what)) {
        (None, None | Some(Disagreement::State { .. })) => run(case, true, build),
        _ => ask_without(case, report.as_deref(), "RTL", build),
    }
}

/// Like [`ask`], but for a design whose registers are not compared with the chapters: a waveform, or RTL that has a map,
/// stops, or differs at a port. Its difference from the golden model is in its report.
pub(super) fn ask_without(
    case: &Case,
    report: Option<&Report>,
    design: &str,
    build: &Build,
) -> Result<Exit, CommandError> {
    say!("{}: golden model and chapters only, without the {design}", case.name)?;
    let exit = run(case, false, build)?;
    let (Exit::Agreed, Some(report)) = (exit, report) else { return Ok(exit) };
    let decided = report.is_explained() && report.mismatch.ports().is_empty();
    let verdict = if decided { "alone" } else { "not judged, as only registers are compared" };
    let (place, verb, cycle) = (report.place(), report.verb(), report.mismatch.cycle);
    say!("the {design} is {verdict}: {place} {verb} in cycle {cycle}")?;
    Ok(Exit::Mismatch)
}

/// Runs the script, prints its result, and returns its verdict.
fn run(case: &Case, rtl: bool, build: &Build) -> Result<Exit, CommandError> {
    let none = concat!("no checkout of version ", env!("CARGO_PKG_VERSION"), " is known");
    let project = checkout::same_version(build).ok_or_else(|| usage(none, CLONE))?;
    let folder = tempfile::tempdir().map_err(tool)?;
    let path = folder.path().join("case.json");
    save(&path, &drra_case::to_json(case))?;
    let mut python = drra_host::foreign::python();
    python.env("PYTHONDONTWRITEBYTECODE", "1").arg(project.join(SCRIPT));
    python.arg(env::current_exe().map_err(tool)?).arg(path).args(["--verdict", "--jobs", "1"]);
    let output = python.args((!rtl).then_some("--golden-only")).output();
    let output = output.map_err(|e| usage(format!("python3: {e}"), INSTALL))?;
    let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    write!(stdout(), "{said}")?;
    match output.status.code() {
        Some(0) => Ok(Exit::Agreed),
        // An exception of Python has the same exit code, but no result.
        Some(1) if !said.is_empty() => Ok(Exit::Mismatch),
        _ => Err(tool(format!("{SCRIPT}: {}", errors.trim_end()))),
    }
}
