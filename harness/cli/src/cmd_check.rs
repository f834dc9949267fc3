// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check`: compares a waveform from another simulator with the golden model.

use std::slice;

use drra_case::load::Extras;
use drra_lockstep::Compared;
use drra_report::Report;

use super::{
    args::CheckArgs,
    check_batch, program,
    waveform::{self, Checked, check, read_map, write_junit},
};
use crate::command_prelude::*;

/// Maximum length of a line about registers that are not compared.
const LINE: usize = 320;

pub(super) fn run(a: &CheckArgs, build: &Build) -> Result<Exit, CommandError> {
    if let Some(folder) = &a.batch {
        return check_batch::run(a, folder, build);
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
    let given = case.map(|path| program::read(path, &Extras::default(), build)).transpose()?;
    let checked = check(recorded, map_path, &map, given.as_ref(), a.cycles, build)?;
    let repeat = waveform::repeat_command(&a.files, a);
    let report = show(&checked, &repeat, a.report.as_deref())?;
    let ran = checked.ran(report, &known);
    print_known(slice::from_ref(&ran))?;
    let exit = if ran.failed() { Exit::Mismatch } else { Exit::Agreed };
    write_junit(a.junit.as_deref(), [&ran])?;
    annotate_ci("drra check", &ran.new_report().into_iter().collect::<Vec<_>>())?;
    verdict([&ran], exit, a.min_compared)
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
                    "; the fabric is still busy in the last of these cycles ({busy}), so later differences are possible"
                ),
            };
            say!("{name}: golden model and waveform agree in {text}{end}")?;
            for line in compared.iter().flat_map(Compared::lines) {
                let line: String = line.chars().take(LINE).collect();
                say!("  not compared: {line}")?;
            }
        }
        Some(report) => show_report(&format!("{name}: "), report, folder)?,
    }
    Ok(report)
}
