// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check`: compares a waveform from another simulator with the golden model, or the waveforms of many cases in
//! parallel, with one summary.

use std::{ffi::OsStr, fmt::Display, fs, slice};

use drra_case::load::ProgramInputs;
use drra_diagnose::signature::folder_name;
use drra_lockstep::ComparisonCoverage;
use drra_recorded::map::MapFile;
use drra_report::{Report, shown, table};
use drra_results::{
    batch::{Batch, BatchCase},
    checked::agreement,
    junit::{self, TestRun},
    known::KnownDeviations,
};

use super::{
    args::CheckArgs,
    chapters, program,
    waveform::{self, CheckedWaveform, check, read_map},
    worker::in_order,
};
use crate::command_prelude::*;

pub(super) fn run(a: &CheckArgs, build: &Build) -> Result<Exit, CommandError> {
    if let Some(folder) = &a.batch {
        return batch(a, folder, build);
    }
    let map_path = a.map.as_path();
    let (case, recorded) = match a.files.as_slice() {
        [recorded] => (None, recorded),
        [case, recorded] => (Some(case.as_path()), recorded),
        _ => {
            let help = "give the files as follows: drra check [CASE] WAVEFORM --map MAP";
            return Err(usage("expected one waveform, and at most one case before it", help));
        }
    };
    let (map, known) = (read_map(map_path)?, a.known.read()?);
    let given =
        case.map(|path| program::read(path, &ProgramInputs::default(), build)).transpose()?;
    let checked = check(recorded, map_path, &map, given.as_ref(), a.cycles, build)?;
    let repeat = waveform::repeat_command(&a.files, a);
    if a.chapters {
        let report = checked.report(&repeat, None)?;
        return chapters::ask_without(&checked.check.case, report.as_ref(), "waveform", build);
    }
    let report = show(&checked, &repeat, a.report.as_deref())?;
    let ran = checked.ran(report, &known);
    print_known(slice::from_ref(&ran))?;
    let exit = if ran.failed() { Exit::Mismatch } else { Exit::Agreed };
    if let Some(path) = &a.junit {
        save(path, &junit::recordings([&ran]))?;
    }
    annotate_ci("drra check", &ran.new_report().into_iter().collect::<Vec<_>>())?;
    verdict([&ran], exit, a.min_compared)
}

/// Prints the result, and the report of a mismatch.
fn show(
    checked: &CheckedWaveform,
    repeat: &str,
    folder: Option<&Path>,
) -> Result<Option<Report>, CommandError> {
    let name = &checked.check.case.name;
    for note in checked.check.design.notes() {
        note!("warning: {note}");
    }
    let report = checked.report(repeat, folder)?;
    match &report {
        None => {
            let busy = checked.busy.as_ref().map(|busy| busy as &dyn Display);
            say!("{}", agreement(name, "waveform", &checked.compared(), busy))?;
        }
        Some(report) => show_report(&format!("{name}: "), report, folder)?,
    }
    Ok(report)
}

/// Name of the file with the case, in the folder of each case.
const CASE: &str = "case.json";
/// File extensions of waveforms.
const EXTENSIONS: [&str; 4] = ["vcd", "fst", "ghw", "jsonl"];

/// File next to a stimulus that a script of `drra export` leaves empty until the simulation has ended.
const STATUS: &str = "sim.status";

/// Settings shared by all cases.
struct BatchContext<'a> {
    a: &'a CheckArgs,
    map: &'a MapFile,
    build: &'a Build,
    known: KnownDeviations,
}

/// The result of one case.
struct BatchCaseResult {
    ran: TestRun,
    /// The reason the waveform could not be compared.
    error: Option<CommandError>,
}

fn batch(a: &CheckArgs, folder: &Path, build: &Build) -> Result<Exit, CommandError> {
    let map = read_map(&a.map)?;
    let cases = cases(folder)?;
    let context = BatchContext { a, map: &map, build, known: a.known.read()? };
    let results = in_order(a.jobs, cases.len(), |n| Ok(one(&context, &cases[n])))?;
    for result in &results {
        if let Some(e) = &result.error {
            note!("{}: {}", shown::line(&result.ran.name), e.text());
        }
    }
    let batch = Batch::new(results.iter().map(BatchCaseResult::to_json).collect());
    write!(stdout(), "{}{}", figures(&batch), batch.failures_table())?;
    let unfinished = results.iter().filter(|r| r.is_unfinished()).count();
    if unfinished > 0 {
        say!("{unfinished} not finished")?;
    }
    let seen = results.iter().filter_map(|r| r.ran.report.as_ref());
    let seen = seen.map(|report| (report.signature.as_str(), Some(report)));
    for line in context.known.unmatched(seen) {
        say!("warning: {line}")?;
    }
    if let Some(path) = &a.json {
        save(path, &batch.to_json())?;
    }
    if let Some(path) = &a.junit {
        save(path, &junit::recordings(results.iter().map(|r| &r.ran)))?;
    }
    for failure in &batch.failures {
        let Some(out) = &a.report else { break };
        let to = out.join(folder_name(&failure.signature));
        // The waveform is compared again, because the waveforms of all failures may not fit in memory.
        let (checked, repeat) = compare(&context, &folder.join(batch.to_report(failure)))?;
        checked.report(&repeat, Some(&to))?;
        say!("report in {}", to.join("report.html").display())?;
    }
    let reports: Vec<&Report> = results.iter().filter_map(|r| r.ran.new_report()).collect();
    annotate_ci("drra check", &reports)?;
    if unfinished == results.len() {
        let help = format!("simulate the cases and record waveforms ({})", EXTENSIONS.join(", "));
        return Err(file(folder, "no simulation has finished, so nothing was compared", help));
    }
    let exit = results.iter().map(BatchCaseResult::exit).max();
    let ran = results.iter().filter(|r| !r.is_unfinished()).map(|r| &r.ran);
    verdict(ran, exit.unwrap_or(Exit::Agreed), a.min_compared)
}

impl BatchCaseResult {
    /// True if the simulation has not ended or not begun, which is not an error.
    fn is_unfinished(&self) -> bool {
        self.error.is_none() && self.ran.refused.is_some()
    }

    fn exit(&self) -> Exit {
        match (&self.error, &self.ran.report) {
            (Some(e), _) => e.exit(),
            (None, Some(_)) if self.ran.failed() => Exit::Mismatch,
            (None, _) if self.is_unfinished() => Exit::Interrupted,
            (None, _) => Exit::Agreed,
        }
    }

    fn to_json(&self) -> BatchCase {
        BatchCase::new(&self.ran, self.exit().code())
    }
}

/// The folders with a case, in the order of their names.
fn cases(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut cases = entries(folder, "give the folder written by drra export --campaign")?;
    cases.retain(|path| path.join(CASE).is_file());
    if cases.is_empty() {
        let help = format!("each case is a subfolder with {CASE} and one waveform");
        return Err(file(folder, "this folder contains no cases", help));
    }
    Ok(cases)
}

/// Checks the case in a folder.
fn one(context: &BatchContext<'_>, folder: &Path) -> BatchCaseResult {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if is_unfinished(folder) {
        let ran = TestRun {
            name,
            refused: Some("not finished".to_owned()),
            skipped: true,
            ..TestRun::default()
        };
        return BatchCaseResult { ran, error: None };
    }
    let ran = compare(context, folder).and_then(|(checked, repeat)| {
        let report = checked.report(&repeat, None)?;
        Ok(checked.ran(report, &context.known))
    });
    let (ran, error) = match ran {
        Ok(ran) => (TestRun { name, ..ran }, None),
        Err(e) => (TestRun { name, refused: Some(e.to_string()), ..TestRun::default() }, Some(e)),
    };
    BatchCaseResult { ran, error }
}

/// True if the simulation of a case has not ended or not begun.
fn is_unfinished(folder: &Path) -> bool {
    match fs::metadata(folder.join(STATUS)) {
        Ok(status) => status.len() == 0,
        Err(_) => waveforms(folder).is_ok_and(|all| all.is_empty()),
    }
}

/// Compares the waveform in a folder; also returns the command that repeats the comparison.
fn compare(
    BatchContext { a, map, build, .. }: &BatchContext<'_>,
    folder: &Path,
) -> Result<(CheckedWaveform, String), CommandError> {
    let recorded = waveform_of(folder)?;
    let case = folder.join(CASE);
    let given = program::read(&case, &ProgramInputs::default(), build)?;
    let checked = check(&recorded, &a.map, map, Some(&given), a.cycles, build)?;
    Ok((checked, waveform::repeat_command(&[case, recorded], a)))
}

/// The waveforms in a folder; if there are none, the compressed files, so that an error names them.
fn waveforms(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let files = entries(folder, "check the permissions of the folder")?;
    let with = |extensions: &[&str]| -> Vec<PathBuf> {
        let known = |ending: &OsStr| extensions.iter().any(|known| ending == *known);
        // A FIFO is for a single live comparison.
        let waveform = |path: &&PathBuf| path.extension().is_some_and(known) && path.is_file();
        files.iter().filter(waveform).cloned().collect()
    };
    let waveforms = with(&EXTENSIONS);
    Ok(if waveforms.is_empty() { with(&["gz"]) } else { waveforms })
}

/// The only waveform in a folder.
fn waveform_of(folder: &Path) -> Result<PathBuf, CommandError> {
    match waveforms(folder)?.as_slice() {
        [waveform] => Ok(waveform.clone()),
        [] => {
            let help =
                format!("simulate the case and record a waveform ({})", EXTENSIONS.join(", "));
            Err(file(folder, "this folder contains no waveform", help))
        }
        [one, other, ..] => {
            let text =
                format!("there are several waveforms: {} and {}", one.display(), other.display());
            Err(usage(text, "keep only one waveform in each folder"))
        }
    }
}

/// The case with the lowest comparison coverage.
fn least(batch: &Batch) -> Option<(&ComparisonCoverage, &String)> {
    let compared =
        batch.cases.iter().filter_map(|case| Some((case.compared.as_ref()?, &case.name)));
    compared.min_by(|(one, _), (other, _)| one.by_percent(other))
}

/// The summary for a terminal.
fn figures(batch: &Batch) -> String {
    let known = batch.cases.iter().filter(|case| case.known.is_some()).count();
    let count = |exit: Exit| batch.cases.iter().filter(|case| case.exit == exit.code()).count();
    let refused = count(Exit::BadInput) + count(Exit::ToolFailure);
    let cycles: u64 = batch.cases.iter().map(|case| case.cycles).sum();
    let mut rows = vec![
        ["agreed".to_owned(), (count(Exit::Agreed) - known).to_string()],
        ["mismatch".to_owned(), count(Exit::Mismatch).to_string()],
        ["could not be compared".to_owned(), refused.to_string()],
        ["cycles compared".to_owned(), cycles.to_string()],
    ];
    if known > 0 {
        rows.insert(2, ["known deviation".to_owned(), known.to_string()]);
    }
    if let Some((least, name)) = least(batch) {
        rows.push(["least compared".to_owned(), format!("{} in {name}", least.text())]);
    }
    let waveforms = batch.cases.len().to_string();
    table(&["waveforms", &waveforms], rows.into_iter().map(Vec::from), 0..0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_waveform_is_found_if_there_is_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("dump.vcd.gz"), b"\x1f\x8b").unwrap();
        std::fs::write(path("log.txt"), b"").unwrap();
        assert_eq!(waveform_of(folder.path()).unwrap(), path("dump.vcd.gz"));
        std::fs::write(path("dump.vcd"), b"$end").unwrap();
        assert_eq!(waveform_of(folder.path()).unwrap(), path("dump.vcd"));
    }
}
