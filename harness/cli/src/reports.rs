// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints and writes reports and the comparison coverage.

use std::{
    fs, io,
    path::{Path, PathBuf},
    slice,
};

use drra_campaign::{CampaignError, CaseResult, CaseRun, Executor, process::WorkerPool};
use drra_case::{Case, load::read_text};
use drra_files::write_whole;
use drra_isa::Geometry;
use drra_lockstep::{ComparisonCoverage, RunSetup};
use drra_report::{Colouring, Report};
use drra_results::{
    Bundle, WaveFiles, checked::too_little, github, junit::TestRun, summary::Summary,
};

use crate::{
    console::{command, note, say},
    error::{CommandError, Exit, file, usage},
    progress::with_cycle_progress,
};

/// Percentage of the state below which the comparison coverage causes a warning.
const WARN_BELOW: f64 = 50.0;

/// Colours on a terminal, unless disabled by the environment (`NO_COLOR`).
pub(super) fn paint() -> Colouring {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Colouring::Plain,
        _ => Colouring::Ansi,
    }
}

/// Writes annotations and a job summary for GitHub Actions, if this process runs there.
pub(super) fn annotate_ci(title: &str, reports: &[&Report]) -> Result<(), CommandError> {
    if github::is_here() {
        for report in reports {
            command(&github::annotation(report))?;
        }
        // The verdict does not depend on the job summary.
        if let Err(e) = github::summarize(title, reports) {
            note!("warning: GITHUB_STEP_SUMMARY: {e}");
        }
    }
    Ok(())
}

/// Writes a file, completely or not at all.
pub(super) fn save(path: &Path, text: &str) -> Result<(), CommandError> {
    write_whole(path, text.as_bytes()).map_err(|e| file(path, e, "give a writable file"))
}

/// The entries of a folder, sorted by name.
pub(super) fn entries(folder: &Path, remedy: &str) -> Result<Vec<PathBuf>, CommandError> {
    let paths = fs::read_dir(folder).and_then(|entries| entries.map(|e| Ok(e?.path())).collect());
    let mut paths: Vec<PathBuf> = paths.map_err(|e| file(folder, e, remedy))?;
    paths.sort();
    Ok(paths)
}

/// Name of the file with the results of a campaign or of a mutation run.
pub(super) const SUMMARY: &str = "summary.json";

/// The summary in the folder of a campaign, if there is one.
pub(super) fn summary(folder: &Path) -> Result<Option<Summary>, CommandError> {
    let path = folder.join(SUMMARY);
    let Ok(text) = read_text(&path) else { return Ok(None) };
    let remedy = "delete the file; drra report and drra fuzz --resume write it again";
    Summary::parse(&text).map(Some).map_err(|e| file(&path, e, remedy))
}

/// Writes a failing case, the output of the design, the waves and the report into a folder.
pub(super) fn write_bundle(
    folder: &Path,
    case: &Case,
    printed: &str,
    waves: Option<&WaveFiles>,
    report: &Report,
) -> Result<(), CommandError> {
    let written =
        Bundle::create(folder).and_then(|b| b.write_failure(case, printed, waves, report));
    written.map_err(|e| CampaignError::Bundle(e).into())
}

/// Runs a case and shows its progress. If it fails, prints its report after a heading and, if there is a folder for the
/// report, writes its files.
pub(super) fn run_and_show(
    run: &CaseRun<'_>,
    folder: Option<&Path>,
    pool: &WorkerPool<'_>,
    setup: &RunSetup<'_>,
    heading: &dyn Fn(&Report) -> String,
) -> Result<CaseResult, CommandError> {
    let total = run.cycles.or(run.case.cycles);
    let result =
        with_cycle_progress(&run.case.name, total, &|| pool.cycle(), || pool.run_case(run, setup))?;
    if let Some(report) = &result.report {
        if let Some(folder) = folder {
            write_bundle(folder, run.case, &result.printed, result.waves.as_ref(), report)?;
        }
        show_report(&heading(report), report, folder)?;
    }
    Ok(result)
}

/// Prints the report of a mismatch after a heading, and the location of its files.
pub(super) fn show_report(heading: &str, report: &Report, folder: Option<&Path>) -> io::Result<()> {
    say!("{heading}{}", report.text(paint()))?;
    match folder {
        Some(folder) => say!("report in {}", folder.join("report.html").display()),
        None => Ok(()),
    }
}

/// Prints the runs that differ in a known way.
pub(super) fn print_known(ran: &[TestRun]) -> io::Result<()> {
    for (name, known) in ran.iter().filter_map(|r| Some((&r.name, r.known.as_ref()?))) {
        say!("{name}: {}", known.text())?;
    }
    Ok(())
}

/// The exit code of a set of runs, given the exit code for their findings. It is an error if all runs end in cycle 0
/// with a known deviation or if, without findings, nothing, or less than required, was compared in the run with the
/// lowest comparison coverage.
pub(super) fn verdict<'r>(
    ran: impl IntoIterator<Item = &'r TestRun>,
    found: Exit,
    min_compared: Option<f64>,
) -> Result<Exit, CommandError> {
    let ran: Vec<&TestRun> = ran.into_iter().collect();
    if !ran.is_empty() && ran.iter().all(|r| r.known.is_some() && r.cycles == 0) {
        return Err(only_known());
    }
    let compared = ran.iter().filter_map(|r| r.compared.as_ref());
    match compared.min_by(|one, other| one.by_percent(other)) {
        Some(least) if found == Exit::Agreed => check_min_compared(least, min_compared)?,
        _ => {}
    }
    Ok(found)
}

/// The error if known deviations end all runs before anything is compared.
pub(super) fn only_known() -> CommandError {
    let what = "every case ends in cycle 0 with a known deviation, so nothing was compared";
    usage(what, "exclude the register in the map, or shorten the list of known deviations")
}

/// Prints that there is no report, if a report was requested.
pub(super) fn no_report(folder: Option<&Path>) -> io::Result<()> {
    match folder {
        Some(folder) => {
            say!("no mismatch, so no report was written to {}", folder.display())
        }
        None => Ok(()),
    }
}

/// Prints the comparison coverage of a design for a fabric size.
pub(super) fn print_comparison_coverage(
    setup: &RunSetup<'_>,
    size: &Geometry,
) -> Result<(), CommandError> {
    print_compared(&setup.compared(slice::from_ref(size)))
}

/// Fails if nothing, or less than required (in percent), was compared; warns if little was compared.
pub(super) fn check_min_compared(
    compared: &ComparisonCoverage,
    least: Option<f64>,
) -> Result<(), CommandError> {
    if let Some(what) = too_little(compared, least) {
        let remedy = match compared.compared().bits {
            0 => "add registers to the signal map (harness/guide/signal-map.md)",
            _ => "map more registers, or lower --min-compared",
        };
        return Err(usage(what, remedy));
    }
    if compared.percent() < WARN_BELOW {
        note!("warning: only {} of the state was compared", compared.percent_text());
    }
    Ok(())
}

/// Prints the comparison coverage, and what was not compared.
pub(super) fn print_compared(compared: &ComparisonCoverage) -> Result<(), CommandError> {
    say!("compared: {}", compared.share())?;
    for line in compared.lines() {
        say!("not compared: {line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;
    use drra_lockstep::ComparisonCoverage;

    use super::check_min_compared;

    #[test]
    fn nothing_is_no_agreement() {
        let whole = ComparisonCoverage::whole(&[Geometry::default()]);
        assert!(check_min_compared(&whole, Some(100.0)).is_ok());
        let mut none = whole;
        none.units.iter_mut().for_each(|unit| unit.compared = Default::default());
        let error = check_min_compared(&none, None).unwrap_err();
        assert_eq!(error.to_string(), "none of the state was compared");
    }
}
