// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra view`: a program, or two, as a page to look at.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use drra_report::view::{Comparison, Recording, Window, record};

use super::{
    Exit,
    args::{self, ViewArgs},
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, usage},
    program,
};

pub(super) fn run(a: &ViewArgs, build: &Build) -> Result<Exit, CommandError> {
    check(a)?;
    let extras = args::extras(&a.start, build)?;
    let mut recordings = Vec::new();
    for path in &a.files {
        let case = program::read_for(path, &extras, a.start.fabric, build)?;
        let window = Window { from: a.from, to: a.to };
        recordings.push(record(&case, a.start.cycles, window));
    }
    for recording in &recordings {
        // The state after the last cycle is shown, too.
        let last = recording.statistics.cycles;
        if let Some(from) = a.from.filter(|from| *from > last) {
            let message = format!("{}: the run has no cycle {from}", recording.name);
            return Err(usage(message, format!("it ends in cycle {last}")));
        }
        if recording.is_cut() && a.from.is_none() && a.to.is_none() {
            note!(
                "warning: {}: of {} cycles the page shows the first {}; choose others with --from and --to",
                recording.name,
                last + 1,
                recording.to + 1
            );
        }
    }
    let (text, page) = match recordings.as_slice() {
        [a, b] => {
            let comparison = Comparison { runs: [a, b] };
            (comparison.text(), comparison.page())
        }
        [one] => (sentence(a, one), one.page()),
        _ => unreachable!("the arguments are one or two files"),
    };
    let out = a.out.clone().unwrap_or_else(|| page_name(&a.files));
    drra_case::output::write_whole(&out, page.as_bytes())
        .map_err(|e| file(&out, e, "name a file that can be written with --out"))?;
    write!(stdout(), "{text}")?;
    writeln!(stdout(), "page in {}", out.display())?;
    Ok(Exit::Agreed)
}

/// What cannot be said by the arguments alone.
fn check(a: &ViewArgs) -> Result<(), CommandError> {
    match (a.compare, a.files.len()) {
        (true, 1) => {
            return Err(usage(
                "--compare needs two programs",
                "name both: drra view --compare A B",
            ));
        }
        (false, 2) => {
            let help = "put them side by side with --compare, or view them one by one";
            return Err(usage("a page shows one program", help));
        }
        _ => {}
    }
    match (a.from, a.to) {
        (Some(from), Some(to)) if from > to => {
            Err(usage(format!("--from {from} is after --to {to}"), "give the smaller cycle first"))
        }
        _ => Ok(()),
    }
}

/// What is printed of a program.
fn sentence(a: &ViewArgs, recording: &Recording) -> String {
    if a.stats {
        return recording.statistics.text();
    }
    format!("{}: {}\n", recording.name, recording.statistics.sentence())
}

/// The name of the page in the current folder.
fn page_name(files: &[PathBuf]) -> PathBuf {
    let stem = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stems: Vec<String> = files.iter().map(stem).collect();
    Path::new(&format!("{}.html", stems.join("-"))).to_owned()
}
