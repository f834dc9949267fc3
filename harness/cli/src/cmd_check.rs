// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check`: a recording of another simulator against the golden model.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use drra_case::{load::Extras, output::from_here};
use drra_lockstep::Compared;
use drra_report::Report;

use super::{
    Exit,
    args::CheckArgs,
    build::Build,
    check_batch,
    console::{note, stdout},
    error::{CommandError, usage},
    map_file, program,
    recording::{Checked, check, write_junit},
};

/// Characters about registers that are not compared for one reason.
const LINE: usize = 320;

pub(super) fn run(a: &CheckArgs, build: &Build) -> Result<Exit, CommandError> {
    if let Some(folder) = &a.batch {
        return check_batch::run(a, folder, build);
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
    let map = map_file::read(map_path)?;
    let given = case.map(|path| program::read(path, &Extras::default(), build)).transpose()?;
    let checked = check(dump, map_path, &map, given.as_ref(), a.cycles, build)?;
    let repeat = repeat_command(a);
    let report = show(&checked, &repeat, a.report.as_deref())?;
    let exit = if report.is_none() { Exit::Agreed } else { Exit::Mismatch };
    let ran = checked.ran(report);
    write_junit(a.junit.as_deref(), [&ran])?;
    super::announce("drra check", &ran.report.iter().collect::<Vec<_>>())?;
    match &ran.compared {
        Some(compared) if exit == Exit::Agreed => {
            super::enough(compared, a.min_compared).map(|()| exit)
        }
        _ => Ok(exit),
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
        note!("warning: {note}");
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
        Some(report) => super::show_report(&format!("{name}: "), report, folder)?,
    }
    Ok(report)
}

/// The command line that gives the same result.
fn repeat_command(a: &CheckArgs) -> String {
    let mut words = vec!["drra check".to_owned()];
    words.extend(a.files.iter().map(|f: &PathBuf| from_here(f).to_string()));
    words.push(format!("--map {}", from_here(&a.map)));
    words.extend(a.cycles.map(|cycles| format!("--cycles {cycles}")));
    words.join(" ")
}
