// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check --batch`: the dumps of many cases, in parallel, with one summary.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use drra_case::{load::Extras, output::from_here};
use drra_diagnose::signature::folder_name;
use drra_lockstep::Compared;
use drra_recorded::map::MapFile;
use drra_report::{
    Report,
    batch::{Batch, BatchCase},
    junit::Ran,
    shown, table,
};

use super::{
    Exit,
    args::CheckArgs,
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, usage},
    map_file,
    parallel::in_order,
    program,
    recording::{self, check, write_junit},
};

/// The case of a folder.
const CASE: &str = "case.json";
/// Endings of dumps.
const ENDINGS: [&str; 4] = ["vcd", "fst", "ghw", "jsonl"];

/// What all cases are compared with.
struct Wanted<'a> {
    a: &'a CheckArgs,
    map: &'a MapFile,
    build: &'a Build,
}

/// The result of one case.
struct Checked {
    ran: Ran,
    /// Why it could not be compared.
    refused: Option<CommandError>,
}

pub(super) fn run(a: &CheckArgs, folder: &Path, build: &Build) -> Result<Exit, CommandError> {
    let map = map_file::read(&a.map)?;
    let cases = cases(folder)?;
    let wanted = Wanted { a, map: &map, build };
    let results = in_order(a.jobs, cases.len(), |n| Ok(one(&wanted, &cases[n])))?;
    for result in &results {
        if let Some(e) = &result.refused {
            note!("{}: {}", shown::line(&result.ran.name), e.text());
        }
    }
    let batch = Batch::new(results.iter().map(Checked::to_json).collect());
    write!(stdout(), "{}{}", figures(&batch), batch.failures_table())?;
    if let Some(path) = &a.json {
        super::save(path, &batch.to_json())?;
    }
    write_junit(a.junit.as_deref(), results.iter().map(|r| &r.ran))?;
    for failure in &batch.failures {
        let Some(out) = &a.report else { break };
        let to = out.join(folder_name(&failure.signature));
        // Compared again: the dumps of all failures together can be large.
        let (checked, repeat) = compare(&wanted, &folder.join(&failure.first))?;
        checked.report(&repeat, Some(&to))?;
        writeln!(stdout(), "report in {}", to.join("report.html").display())?;
    }
    let reports: Vec<&Report> = results.iter().filter_map(|r| r.ran.report.as_ref()).collect();
    super::announce("drra check", &reports)?;
    let exit = results.iter().map(Checked::exit).max_by_key(|exit| *exit as u8);
    match least(&batch) {
        Some((compared, _)) if exit == Some(Exit::Agreed) => {
            super::enough(compared, a.min_compared).map(|()| Exit::Agreed)
        }
        _ => Ok(exit.unwrap_or(Exit::Agreed)),
    }
}

impl Checked {
    fn exit(&self) -> Exit {
        match (&self.refused, &self.ran.report) {
            (Some(e), _) => e.exit(),
            (None, Some(_)) => Exit::Mismatch,
            (None, None) => Exit::Agreed,
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
            cycle: report.map(|report| report.mismatch.cycle),
            first: report.map(Report::place),
            compared: ran.compared.clone(),
        }
    }
}

/// The folders with a case, in the order of their names.
fn cases(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let failed = |e| file(folder, e, "name the folder that drra export --campaign wrote");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.join(CASE).is_file() {
            cases.push(path);
        }
    }
    cases.sort();
    if cases.is_empty() {
        let help = format!("each case is a folder of its own with {CASE} and one dump");
        return Err(file(folder, "there is no case in this folder", help));
    }
    Ok(cases)
}

/// Checks the case of a folder.
fn one(wanted: &Wanted<'_>, folder: &Path) -> Checked {
    let ran = compare(wanted, folder).and_then(|(checked, repeat)| {
        let report = checked.report(&repeat, None)?;
        Ok(checked.ran(report))
    });
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (ran, refused) = match ran {
        Ok(ran) => (Ran { name, ..ran }, None),
        Err(e) => (Ran { name, refused: Some(e.to_string()), ..Ran::default() }, Some(e)),
    };
    Checked { ran, refused }
}

/// Compares the dump of a folder, with the command that repeats it.
fn compare(
    Wanted { a, map, build }: &Wanted<'_>,
    folder: &Path,
) -> Result<(recording::Checked, String), CommandError> {
    let dump = dump_of(folder)?;
    let case = folder.join(CASE);
    let given = program::read(&case, &Extras::default(), build)?;
    let checked = check(&dump, &a.map, map, Some(&given), a.cycles, build)?;
    let files = format!("{} {}", from_here(&case), from_here(&dump));
    let cycles = a.cycles.map_or_else(String::new, |cycles| format!(" --cycles {cycles}"));
    Ok((checked, format!("drra check {files} --map {}{cycles}", from_here(&a.map))))
}

/// The only dump of a folder.
fn dump_of(folder: &Path) -> Result<PathBuf, CommandError> {
    let failed = |e| file(folder, e, "name a folder that can be read");
    let mut dumps = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if ENDINGS.contains(&ending) {
            dumps.push(path);
        }
    }
    dumps.sort();
    match dumps.as_slice() {
        [dump] => Ok(dump.clone()),
        [] => {
            let help = format!("simulate the case and dump waves ({})", ENDINGS.join(", "));
            Err(file(folder, "there is no dump in this folder", help))
        }
        [one, other, ..] => {
            let text =
                format!("there are several dumps: {} and {}", one.display(), other.display());
            Err(usage(text, "leave one dump in each folder"))
        }
    }
}

/// The case of which least was compared.
fn least(batch: &Batch) -> Option<(&Compared, &String)> {
    let compared =
        batch.cases.iter().filter_map(|case| Some((case.compared.as_ref()?, &case.name)));
    compared.min_by_key(|(compared, _)| compared.compared().bits)
}

/// The summary for a terminal.
fn figures(batch: &Batch) -> String {
    let count = |exit: Exit| batch.cases.iter().filter(|case| case.exit == exit as u8).count();
    let refused = count(Exit::BadInput) + count(Exit::ToolFailure);
    let cycles: u64 = batch.cases.iter().map(|case| case.cycles).sum();
    let mut rows = vec![
        ["agreed".to_owned(), count(Exit::Agreed).to_string()],
        ["mismatch".to_owned(), count(Exit::Mismatch).to_string()],
        ["could not be compared".to_owned(), refused.to_string()],
        ["cycles compared".to_owned(), cycles.to_string()],
    ];
    if let Some((least, name)) = least(batch) {
        rows.push(["least compared".to_owned(), format!("{} in {name}", least.text())]);
    }
    let dumps = batch.cases.len().to_string();
    table(&["dumps", &dumps], rows.into_iter().map(Vec::from), 0..0)
}
