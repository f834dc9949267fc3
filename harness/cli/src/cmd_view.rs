// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra view`: a program as a page to look at.

use std::{io::Write, path::Path};

use drra_report::view::{Window, record};

use super::{
    Exit,
    args::{self, ProgramArgs, ViewArgs},
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, usage},
    program,
};

pub(super) fn run(a: &ViewArgs, build: &Build) -> Result<Exit, CommandError> {
    if let (Some(from), Some(to)) = (a.from, a.to)
        && from > to
    {
        let message = format!("--from {from} is after --to {to}");
        return Err(usage(message, "give the smaller cycle first"));
    }
    let ProgramArgs { file: path, start } = &a.program;
    let extras = args::extras(start, build)?;
    let case = program::read_for(path, &extras, start.fabric, build)?;
    let recording = record(&case, start.cycles, Window { from: a.from, to: a.to });
    let (name, statistics) = (&recording.name, &recording.statistics);
    // The state after the last cycle is shown, too.
    let last = statistics.cycles;
    if let Some(from) = a.from.filter(|from| *from > last) {
        let message = format!("{name}: the run has no cycle {from}");
        return Err(usage(message, format!("it ends in cycle {last}")));
    }
    if recording.is_cut() && a.from.is_none() && a.to.is_none() {
        note!(
            "warning: {name}: of {} cycles the page shows the first {}; choose others with --from and --to",
            last,
            recording.to + 1
        );
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let out = a.out.clone().unwrap_or_else(|| Path::new(&format!("{stem}.html")).to_owned());
    drra_case::output::write_whole(&out, recording.page().as_bytes())
        .map_err(|e| file(&out, e, "name a file that can be written with --out"))?;
    match a.stats {
        true => write!(stdout(), "{}", statistics.text())?,
        false => writeln!(stdout(), "{name}: {}", statistics.sentence())?,
    }
    writeln!(stdout(), "page in {}", out.display())?;
    Ok(Exit::Agreed)
}
