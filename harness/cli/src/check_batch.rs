// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check --batch`: the dumps of many cases, in parallel, with one summary.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use drra_case::{load::Extras, output::write_whole};
use drra_diagnose::signature::folder_name;
use drra_lockstep::Compared;
use drra_recorded::map::MapFile;
use drra_report::{
    Report,
    batch::{Batch, BatchCase, BatchFailure},
    junit::Ran,
};
use tabled::{builder::Builder, settings::Style};

use super::{
    Exit,
    args::CheckArgs,
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, usage},
    map_file, program,
    recording::{self, check, write_junit},
};

/// The case of a folder.
const CASE: &str = "case.json";
/// Endings of dumps.
const ENDINGS: [&str; 4] = ["vcd", "fst", "ghw", "jsonl"];
/// What a person can do about a file that cannot be written.
const WRITABLE: &str = "name a file that can be written";

/// What all cases are compared with.
struct Wanted<'a> {
    a: &'a CheckArgs,
    map: &'a MapFile,
    build: &'a Build,
}

/// What became of one case.
enum Verdict {
    Agreed,
    Mismatch(Box<Report>),
    Refused(CommandError),
}

/// The result of one case.
struct Checked {
    name: String,
    folder: PathBuf,
    verdict: Verdict,
    cycles: u64,
    seed: u64,
    compared: Option<Compared>,
}

/// A distinct failure.
struct Failure<'a> {
    count: usize,
    first: &'a Checked,
    cycle: u64,
}

pub(super) fn run(a: &CheckArgs, folder: &Path, build: &Build) -> Result<Exit, CommandError> {
    let map = map_file::read(&a.map)?;
    let cases = cases(folder)?;
    let wanted = Wanted { a, map: &map, build };
    let results = all(&wanted, &cases);
    let failures = failures(&results);
    for result in &results {
        if let Verdict::Refused(e) = &result.verdict {
            note!("{}: {}", result.name, e.text());
        }
    }
    write!(stdout(), "{}", table(&results, &failures))?;
    write_files(&wanted, &results, &failures)?;
    let reports: Vec<&Report> = results.iter().filter_map(Checked::report).collect();
    super::announce("drra check", &reports)?;
    Ok(results.iter().map(Checked::exit).max_by_key(|exit| *exit as u8).unwrap_or(Exit::Agreed))
}

impl Checked {
    fn report(&self) -> Option<&Report> {
        match &self.verdict {
            Verdict::Mismatch(report) => Some(report),
            Verdict::Agreed | Verdict::Refused(_) => None,
        }
    }

    fn exit(&self) -> Exit {
        match &self.verdict {
            Verdict::Agreed => Exit::Agreed,
            Verdict::Mismatch(_) => Exit::Mismatch,
            Verdict::Refused(e) => e.exit(),
        }
    }

    fn verdict(&self) -> String {
        match &self.verdict {
            Verdict::Agreed => "agreed".to_owned(),
            Verdict::Mismatch(report) => report.signature.clone(),
            Verdict::Refused(e) => format!("not compared: {e}"),
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

/// Checks all cases, several at a time; the results are in the order of the cases.
fn all(wanted: &Wanted<'_>, cases: &[PathBuf]) -> Vec<Checked> {
    let jobs = wanted.a.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        |jobs| jobs as usize,
    );
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(cases.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(folder) = cases.get(number) else { break };
                    let result = one(wanted, folder);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.insert(number, result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_values().collect()
}

/// Checks the case of a folder.
fn one(wanted: &Wanted<'_>, folder: &Path) -> Checked {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let checked = compare(wanted, folder).and_then(|(checked, repeat)| {
        let report = checked.report(&repeat, None)?;
        Ok((checked, report))
    });
    let folder = folder.to_owned();
    match checked {
        Err(e) => Checked {
            name,
            folder,
            verdict: Verdict::Refused(e),
            cycles: 0,
            seed: 0,
            compared: None,
        },
        Ok((checked, report)) => Checked {
            name,
            folder,
            cycles: checked.outcome.cycles,
            seed: checked.check.case.seed,
            compared: checked.compared(),
            verdict: report.map_or(Verdict::Agreed, |report| Verdict::Mismatch(Box::new(report))),
        },
    }
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
    let files = format!("{} {}", case.display(), dump.display());
    let cycles = a.cycles.map_or_else(String::new, |cycles| format!(" --cycles {cycles}"));
    Ok((checked, format!("drra check {files} --map {}{cycles}", a.map.display())))
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

/// Distinct failures by signature.
fn failures(results: &[Checked]) -> BTreeMap<&str, Failure<'_>> {
    let mut failures: BTreeMap<&str, Failure<'_>> = BTreeMap::new();
    for result in results {
        let Some(report) = result.report() else { continue };
        let fresh = Failure { count: 0, first: result, cycle: report.mismatch.cycle };
        failures.entry(&report.signature).or_insert(fresh).count += 1;
    }
    failures
}

/// The summary for a terminal.
fn table(results: &[Checked], failures: &BTreeMap<&str, Failure<'_>>) -> String {
    let count = |exit: Exit| results.iter().filter(|r| r.exit() == exit).count();
    let cycles: u64 = results.iter().map(|r| r.cycles).sum();
    let refused = count(Exit::BadInput) + count(Exit::ToolFailure);
    let mut rows = Builder::default();
    rows.push_record(["dumps".to_owned(), results.len().to_string()]);
    rows.push_record(["agreed".to_owned(), count(Exit::Agreed).to_string()]);
    rows.push_record(["mismatch".to_owned(), count(Exit::Mismatch).to_string()]);
    rows.push_record(["could not be compared".to_owned(), refused.to_string()]);
    rows.push_record(["cycles compared".to_owned(), cycles.to_string()]);
    if let Some(least) = least(results) {
        rows.push_record(["least compared".to_owned(), least]);
    }
    let mut text =
        format!("{}\n", drra_report::fit(rows.build()).with(Style::sharp().remove_horizontals()));
    if !failures.is_empty() {
        let mut rows = Builder::default();
        rows.push_record(["distinct failure", "dumps", "first", "cycle"]);
        for (signature, f) in failures {
            let (count, cycle) = (f.count.to_string(), f.cycle.to_string());
            rows.push_record([*signature, &count, &f.first.name, &cycle]);
        }
        text += &format!("{}\n", drra_report::fit(rows.build()));
    }
    text
}

/// The dump of which the least was compared.
fn least(results: &[Checked]) -> Option<String> {
    let compared = results.iter().filter_map(|r| Some((r, r.compared.as_ref()?)));
    let (result, compared) = compared.min_by_key(|(_, compared)| compared.compared().bits)?;
    Some(format!("{} in {}", compared.text(), result.name))
}

/// JSON, JUnit, and a folder for each distinct failure.
fn write_files(
    wanted: &Wanted<'_>,
    results: &[Checked],
    failures: &BTreeMap<&str, Failure<'_>>,
) -> Result<(), CommandError> {
    let a = wanted.a;
    if let Some(path) = &a.json {
        let text = to_json(results, failures);
        write_whole(path, text.as_bytes()).map_err(|e| file(path, e, WRITABLE))?;
    }
    let ran: Vec<Ran> = results
        .iter()
        .map(|r| Ran {
            name: r.name.clone(),
            cycles: r.cycles,
            seed: r.seed,
            report: r.report().cloned(),
            refused: match &r.verdict {
                Verdict::Refused(e) => Some(e.to_string()),
                Verdict::Agreed | Verdict::Mismatch(_) => None,
            },
            compared: r.compared.clone(),
            unexpected: Vec::new(),
        })
        .collect();
    write_junit(a.junit.as_deref(), &ran)?;
    let Some(out) = &a.report else { return Ok(()) };
    for (signature, failure) in failures {
        let folder = out.join(folder_name(signature));
        // Compared again: the dumps of all failures together can be large.
        let (checked, repeat) = compare(wanted, &failure.first.folder)?;
        checked.report(&repeat, Some(&folder))?;
        writeln!(stdout(), "report in {}", folder.join("report.html").display())?;
    }
    Ok(())
}

/// All results as JSON.
fn to_json(results: &[Checked], failures: &BTreeMap<&str, Failure<'_>>) -> String {
    let case = |r: &Checked| BatchCase {
        name: r.name.clone(),
        exit: r.exit() as u8,
        verdict: r.verdict(),
        cycles: r.cycles,
        cycle: r.report().map(|report| report.mismatch.cycle),
        first: r.report().map(Report::place),
        compared: r.compared.clone(),
    };
    let failure = |(signature, f): (&&str, &Failure<'_>)| BatchFailure {
        signature: (*signature).to_owned(),
        count: f.count,
        first: f.first.name.clone(),
        cycle: f.cycle,
    };
    Batch::new(results.iter().map(case).collect(), failures.iter().map(failure).collect()).to_json()
}
