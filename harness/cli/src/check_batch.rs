// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check --batch`: compares the waveforms of many cases in parallel, with one summary.

use drra_case::load::Extras;
use drra_diagnose::signature::folder_name;
use drra_lockstep::Compared;
use drra_recorded::map::MapFile;
use drra_report::{
    Report,
    batch::{Batch, BatchCase},
    junit::Ran,
    known::Known,
    shown, table,
};

use super::{
    args::CheckArgs,
    program,
    waveform::{self, check, read_map, write_junit},
    worker::in_order,
};
use crate::command_prelude::*;

/// The case in a folder.
const CASE: &str = "case.json";
/// File extensions of waveforms.
const EXTENSIONS: [&str; 4] = ["vcd", "fst", "ghw", "jsonl"];

/// Settings shared by all cases.
struct Context<'a> {
    a: &'a CheckArgs,
    map: &'a MapFile,
    build: &'a Build,
    known: Known,
}

/// The result of one case.
struct Checked {
    ran: Ran,
    /// The reason the waveform could not be compared.
    error: Option<CommandError>,
}

pub(super) fn run(a: &CheckArgs, folder: &Path, build: &Build) -> Result<Exit, CommandError> {
    let map = read_map(&a.map)?;
    let cases = cases(folder)?;
    let context = Context { a, map: &map, build, known: a.known.read()? };
    let results = in_order(a.jobs, cases.len(), |n| Ok(one(&context, &cases[n])))?;
    for result in &results {
        if let Some(e) = &result.error {
            note!("{}: {}", shown::line(&result.ran.name), e.text());
        }
    }
    let batch = Batch::new(results.iter().map(Checked::to_json).collect());
    write!(stdout(), "{}{}", figures(&batch), batch.failures_table())?;
    let seen = results.iter().filter_map(|r| Some(r.ran.report.as_ref()?.signature.as_str()));
    for line in context.known.unmatched(seen) {
        say!("warning: {line}")?;
    }
    if let Some(path) = &a.json {
        save(path, &batch.to_json())?;
    }
    write_junit(a.junit.as_deref(), results.iter().map(|r| &r.ran))?;
    for failure in &batch.failures {
        let Some(out) = &a.report else { break };
        let to = out.join(folder_name(&failure.signature));
        // The waveform is compared again, because the waveforms of all failures may not fit in memory.
        let (checked, repeat) = compare(&context, &folder.join(&failure.first))?;
        checked.report(&repeat, Some(&to))?;
        say!("report in {}", to.join("report.html").display())?;
    }
    let reports: Vec<&Report> = results.iter().filter_map(|r| r.ran.new_report()).collect();
    annotate_ci("drra check", &reports)?;
    let exit = results.iter().map(Checked::exit).max_by_key(|exit| *exit as u8);
    verdict(results.iter().map(|r| &r.ran), exit.unwrap_or(Exit::Agreed), a.min_compared)
}

impl Checked {
    fn exit(&self) -> Exit {
        match (&self.error, &self.ran.report) {
            (Some(e), _) => e.exit(),
            (None, Some(_)) if self.ran.failed() => Exit::Mismatch,
            (None, _) => Exit::Agreed,
        }
    }

    fn to_json(&self) -> BatchCase {
        let (ran, report) = (&self.ran, self.ran.report.as_ref());
        BatchCase {
            name: ran.name.clone(),
            exit: self.exit() as u8,
            verdict: match (&ran.refused, report) {
                (Some(why), _) => format!("not compared: {why}"),
                (None, Some(report)) => report.signature.clone(),
                (None, None) => "agreed".to_owned(),
            },
            cycles: ran.cycles,
            known: ran.known.clone(),
            cycle: report.map(|report| report.mismatch.cycle),
            first: report.map(Report::place),
            compared: ran.compared.clone(),
        }
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
fn one(context: &Context<'_>, folder: &Path) -> Checked {
    let ran = compare(context, folder).and_then(|(checked, repeat)| {
        let report = checked.report(&repeat, None)?;
        Ok(checked.ran(report, &context.known))
    });
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (ran, error) = match ran {
        Ok(ran) => (Ran { name, ..ran }, None),
        Err(e) => (Ran { name, refused: Some(e.to_string()), ..Ran::default() }, Some(e)),
    };
    Checked { ran, error }
}

/// Compares the waveform in a folder; also returns the command that repeats the comparison.
fn compare(
    Context { a, map, build, .. }: &Context<'_>,
    folder: &Path,
) -> Result<(waveform::Checked, String), CommandError> {
    let recorded = waveform_of(folder)?;
    let case = folder.join(CASE);
    let given = program::read(&case, &Extras::default(), build)?;
    let checked = check(&recorded, &a.map, map, Some(&given), a.cycles, build)?;
    Ok((checked, waveform::repeat_command(&[case, recorded], a)))
}

/// The only waveform in a folder.
fn waveform_of(folder: &Path) -> Result<PathBuf, CommandError> {
    let mut waveforms = entries(folder, "check the permissions of the folder")?;
    waveforms.retain(|path| {
        path.extension().is_some_and(|ending| EXTENSIONS.iter().any(|known| ending == *known))
    });
    match waveforms.as_slice() {
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
fn least(batch: &Batch) -> Option<(&Compared, &String)> {
    let compared =
        batch.cases.iter().filter_map(|case| Some((case.compared.as_ref()?, &case.name)));
    compared.min_by_key(|(compared, _)| compared.compared().bits)
}

/// The summary for a terminal.
fn figures(batch: &Batch) -> String {
    let known = batch.cases.iter().filter(|case| case.known.is_some()).count();
    let count = |exit: Exit| batch.cases.iter().filter(|case| case.exit == exit as u8).count();
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
