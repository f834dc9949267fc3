// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check`: a recording of another simulator against the golden model.

use std::io::Write;
use std::io::stdout;
use std::path::Path;
use std::path::PathBuf;

use drra_case::Case;
use drra_case::load::Extras;
use drra_case::load::load;
use drra_diagnose::signature;
use drra_lockstep::Design;
use drra_recorded::Busy;
use drra_recorded::Check;
use drra_recorded::CheckError;
use drra_recorded::Dump;
use drra_recorded::Ran;
use drra_recorded::map::MapFile;
use drra_report::Report;
use drra_report::Subject;
use drra_report::data::Compared;
use drra_report::junit;

use super::Exit;
use super::args::CheckArgs;
use super::check_batch;
use super::error::CommandError;
use super::error::file;
use super::error::tool;
use super::error::usage;
use crate::GEOMETRY;

/// Characters about registers that are not compared for one reason.
const LINE: usize = 320;

pub(super) fn run(a: &CheckArgs) -> Result<Exit, CommandError> {
    if let Some(folder) = &a.batch {
        return check_batch::run(a, folder);
    }
    let map_path = a.map.as_path();
    let (case, dump) = match a.files.as_slice() {
        [dump] => (None, dump),
        [case, dump] => (Some(case.as_path()), dump),
        _ => {
            let help = "write drra check [CASE] DUMP --map MAP";
            return Err(usage("a case and one dump at most", help));
        }
    };
    let map = read_map(map_path)?;
    let given = case.map(read_case).transpose()?;
    let checked = check(dump, map_path, &map, given.as_ref(), a.cycles)?;
    let repeat = repeat_command(a);
    let report = show(&checked, &repeat, a.report.as_deref())?;
    let exit = if report.is_none() { Exit::Agreed } else { Exit::Mismatch };
    let ran = junit::Ran {
        name: checked.check.case.name.clone(),
        cycles: checked.outcome.cycles,
        seed: checked.check.case.seed,
        report,
        refused: None,
    };
    write_junit(a.junit.as_deref(), std::slice::from_ref(&ran))?;
    super::announce("drra check", &ran.report.iter().collect::<Vec<_>>())?;
    Ok(exit)
}

/// A recording that was compared.
pub(super) struct Checked {
    pub(super) check: Check,
    pub(super) outcome: drra_lockstep::Outcome,
    /// What the fabric is busy with where an agreement ends.
    busy: Option<Busy>,
}

impl Checked {
    /// How much was compared.
    pub(super) fn compared(&self) -> Option<Compared> {
        self.check.design.account().as_ref().map(Compared::from)
    }

    /// Explains the mismatch, if there is one, and writes its files into a folder.
    pub(super) fn report(
        &self,
        repeat: &str,
        folder: Option<&Path>,
    ) -> Result<Option<Report>, CommandError> {
        let (case, setup) = (&self.check.case, self.check.setup());
        let failing = signature::failing(case, &setup, &self.outcome).map_err(tool)?;
        let Some(failing) = failing else { return Ok(None) };
        let subject = Subject { case, failing: &failing, setup, repeat, reduced: None };
        let report = drra_report::build(&subject).map_err(tool)?;
        if let Some(folder) = folder {
            super::write_bundle(folder, &subject, &report)?;
        }
        Ok(Some(report))
    }
}

/// Compares one dump.
pub(super) fn check(
    dump: &Path,
    map_path: &Path,
    map: &MapFile,
    given: Option<&Case>,
    cycles: Option<u64>,
) -> Result<Checked, CommandError> {
    let name = dump.file_name().unwrap_or_default().to_string_lossy();
    let explain = |e: CheckError| refused(e, dump, map_path);
    let opened = Dump::open(dump).map_err(|e| explain(e.into()))?;
    let check = Check::new(opened, map, given, &name, &GEOMETRY).map_err(explain)?;
    let Ran { outcome, busy } = check.run(cycles).map_err(explain)?;
    Ok(Checked { check, outcome, busy })
}

/// Why a dump cannot be compared, with what helps.
fn refused(e: CheckError, dump: &Path, map: &Path) -> CommandError {
    let explain = format!("drra map check {} {} explains the map", map.display(), dump.display());
    match e {
        // Its text names the file and what helps.
        CheckError::Dump(e) => usage(e.to_string(), ""),
        CheckError::Map(problems) => {
            let lines: Vec<String> = problems.iter().map(|p| format!("\n  {p}")).collect();
            file(map, format!("the map does not fit the dump:{}", lines.concat()), explain)
        }
        CheckError::NoStimulus => {
            file(map, e.to_string(), "write drra check CASE DUMP --map MAP, or map the ports")
        }
        CheckError::Survey(e) => file(dump, e, explain),
        CheckError::Nothing { .. } => file(dump, e, explain),
        CheckError::Dut(e) => tool(e),
    }
}

/// Prints the result, and the report of a mismatch.
fn show(
    checked: &Checked,
    repeat: &str,
    folder: Option<&Path>,
) -> Result<Option<Report>, CommandError> {
    let name = &checked.check.case.name;
    for note in checked.check.design.notes() {
        eprintln!("warning: {note}");
    }
    let report = checked.report(repeat, folder)?;
    match &report {
        None => {
            let compared = checked.compared();
            let text = compared.as_ref().map_or_else(String::new, Compared::text);
            let end = match &checked.busy {
                None => String::new(),
                Some(busy) => format!(
                    "; the fabric is still busy in the last of these cycles ({busy}): what follows is not known"
                ),
            };
            writeln!(stdout(), "{name}: golden model and recording agree in {text}{end}")?;
            for line in compared.iter().flat_map(Compared::lines) {
                let line: String = line.chars().take(LINE).collect();
                writeln!(stdout(), "  not compared: {line}")?;
            }
        }
        Some(report) => {
            writeln!(stdout(), "{name}: {}", report.text(super::paint()))?;
            if let Some(folder) = folder {
                writeln!(stdout(), "report in {}", folder.join("report.html").display())?;
            }
        }
    }
    Ok(report)
}

/// Reads a map.
pub(super) fn read_map(path: &Path) -> Result<MapFile, CommandError> {
    let help = "harness/recorded/map.schema.json tells what a map is made of";
    let text = std::fs::read_to_string(path).map_err(|e| file(path, e, "name a signal map"))?;
    MapFile::parse(&text).map_err(|e| file(path, e, help))
}

/// Reads a case or program.
pub(super) fn read_case(path: &Path) -> Result<Case, CommandError> {
    let loaded = load(path, &Extras::default(), &GEOMETRY)?;
    for warning in loaded.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(loaded.case)
}

/// Writes a JUnit report.
pub(super) fn write_junit(path: Option<&Path>, ran: &[junit::Ran]) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    drra_case::output::write_whole(path, junit::recordings(ran).as_bytes())
        .map_err(|e| file(path, e, "name a file that can be written"))
}

/// The command line that gives the same result.
fn repeat_command(a: &CheckArgs) -> String {
    let mut words = vec!["drra check".to_owned()];
    words.extend(a.files.iter().map(|f: &PathBuf| f.display().to_string()));
    words.push(format!("--map {}", a.map.display()));
    words.extend(a.cycles.map(|cycles| format!("--cycles {cycles}")));
    words.join(" ")
}
