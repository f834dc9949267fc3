// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra run`: programs, in lock-step or on the golden model alone.

use std::io::Write;
use std::io::stdout;
use std::path::Path;

use super::Exit;
use super::args;
use super::args::RunArgs;
use crate::Case;
use crate::GEOMETRY;
use crate::diagnostic::Failure;
use crate::diagnostic::plain;
use crate::golden_run;
use crate::load::Extras;
use crate::load::Loaded;
use crate::load::load;

pub(super) fn run(a: &RunArgs) -> Result<Exit, Failure> {
    if a.files.len() > 1 && a.start.mem.is_some() {
        let help = "run the programs one by one, or put their data into the programs";
        return Err(plain("a memory image belongs to one program", help));
    }
    let extras =
        Extras { mem: a.start.mem.as_deref(), io_cells: args::io_cells(&a.start.io_cells)? };
    // All files are read before anything runs.
    let mut cases = Vec::new();
    for file in &a.files {
        let Loaded { case, warnings } = load(file, &extras)?;
        for warning in warnings {
            eprintln!("warning: {warning}");
        }
        cases.push((file.as_path(), case));
    }
    if !a.golden_only {
        return lockstep(a, &cases);
    }
    for (_, case) in &cases {
        let result = golden_run::run(case, &GEOMETRY, a.start.cycles);
        writeln!(
            stdout(),
            "{}: {} cycles, {} instructions on the golden model{}",
            case.name,
            result.cycles,
            result.instructions,
            unfinished(result.unfinished)
        )?;
    }
    Ok(Exit::Agreed)
}

/// Note about a program that was cut off.
pub(super) fn unfinished(unfinished: bool) -> &'static str {
    if unfinished { " (still running at the end; --cycles sets the length)" } else { "" }
}

#[cfg(not(feature = "rtl"))]
fn lockstep(_: &RunArgs, _: &[(&Path, Case)]) -> Result<Exit, Failure> {
    Err(super::no_rtl())
}

#[cfg(feature = "rtl")]
fn lockstep(a: &RunArgs, cases: &[(&Path, Case)]) -> Result<Exit, Failure> {
    use crate::report::junit;

    let mut ran = Vec::new();
    for (file, case) in cases {
        let (cycles, report) = compare(a, file, case)?;
        let (name, seed) = (case.name.clone(), case.seed);
        ran.push(junit::Ran { name, cycles, seed, report });
    }
    if let Some(path) = &a.junit {
        crate::output::write_whole(path, junit::programs(&ran).as_bytes()).map_err(|e| {
            crate::diagnostic::file(path, e.to_string(), "name a file that can be written")
        })?;
    }
    let reports: Vec<_> = ran.iter().filter_map(|r| r.report.as_ref()).collect();
    super::announce("drra run", &reports)?;
    Ok(if reports.is_empty() { Exit::Agreed } else { Exit::Mismatch })
}

/// Runs a program in lock-step and prints what came of it: cycles compared, and the mismatch.
#[cfg(feature = "rtl")]
fn compare(
    a: &RunArgs,
    file: &Path,
    case: &Case,
) -> Result<(u64, Option<crate::report::Report>), Failure> {
    use crate::report;
    use crate::report::Subject;

    let options = crate::lockstep::Options { cycles: a.start.cycles, ..Default::default() };
    let outcome = crate::lockstep::run(case, &GEOMETRY, &options).map_err(Failure::Tool)?;
    let failing =
        crate::signature::failing(case, &GEOMETRY, &options, &outcome).map_err(Failure::Tool)?;
    let Some(failing) = failing else {
        writeln!(
            stdout(),
            "{}: golden model and RTL agree in {} cycles, {} instructions, {} state bits per cycle{}",
            case.name,
            outcome.cycles,
            outcome.instructions,
            outcome.state_bits,
            unfinished(outcome.unfinished)
        )?;
        return Ok((outcome.cycles, None));
    };
    let repeat = repeat_command(a, file);
    let subject =
        Subject { case, failing: &failing, options: &options, repeat: &repeat, reduced: None };
    let report = report::build(&subject, &GEOMETRY).map_err(Failure::Tool)?;
    writeln!(stdout(), "{}: {}", case.name, report.text(super::paint()))?;
    if let Some(folder) = &a.report {
        let folder = match a.files.len() {
            1 => folder.clone(),
            _ => folder.join(file.file_stem().unwrap_or_default()),
        };
        super::write_bundle(&folder, &subject, &report)?;
        writeln!(stdout(), "report in {}", folder.join("report.html").display())?;
    }
    Ok((outcome.cycles, Some(report)))
}

/// The command line that gives the same run.
#[cfg(feature = "rtl")]
fn repeat_command(a: &RunArgs, file: &Path) -> String {
    let mut words = vec!["drra run".to_owned(), file.display().to_string()];
    if let Some(mem) = &a.start.mem {
        words.push(format!("--mem {}", mem.display()));
    }
    if let Some(cycles) = a.start.cycles {
        words.push(format!("--cycles {cycles}"));
    }
    words.extend(a.start.io_cells.iter().map(|c| format!("--io-cell {c}")));
    words.join(" ")
}
