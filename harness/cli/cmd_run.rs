// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra run`: programs, in lock-step or on the golden model alone.

use std::io::Write;
use std::io::stdout;
use std::path::Path;

use drra_case::Case;
use drra_case::load::Loaded;
use drra_case::load::load;
use drra_lockstep::Setup;
use drra_lockstep::run_golden;

use super::Exit;
use super::args;
use super::args::RunArgs;
use super::error::CommandError;
use super::error::file;
use super::error::tool;
use super::error::usage;
use crate::GEOMETRY;

pub(super) fn run(a: &RunArgs) -> Result<Exit, CommandError> {
    if a.files.len() > 1 && a.start.mem.is_some() {
        let help = "run the programs one by one, or put their data into the programs";
        return Err(usage("a memory image belongs to one program", help));
    }
    let extras = args::extras(&a.start)?;
    // All files are read before anything runs.
    let mut cases = Vec::new();
    for file in &a.files {
        let Loaded { case, warnings } = load(file, &extras, &GEOMETRY)?;
        for warning in warnings {
            eprintln!("warning: {warning}");
        }
        cases.push((file.as_path(), case));
    }
    if !a.golden_only {
        return lockstep(a, &cases);
    }
    for (_, case) in &cases {
        let result = run_golden(case, &GEOMETRY, a.start.cycles);
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

fn lockstep(a: &RunArgs, cases: &[(&Path, Case)]) -> Result<Exit, CommandError> {
    use drra_report::junit;

    let setup = super::setup(a.start.cycles)?;
    let mut ran = Vec::new();
    for (file, case) in cases {
        let (cycles, report) = compare(a, &setup, file, case)?;
        let (name, seed) = (case.name.clone(), case.seed);
        ran.push(junit::Ran { name, cycles, seed, report, refused: None });
    }
    if let Some(path) = &a.junit {
        drra_case::output::write_whole(path, junit::programs(&ran).as_bytes())
            .map_err(|e| file(path, e, "name a file that can be written"))?;
    }
    super::print_account(setup.design)?;
    let reports: Vec<_> = ran.iter().filter_map(|r| r.report.as_ref()).collect();
    super::announce("drra run", &reports)?;
    Ok(if reports.is_empty() { Exit::Agreed } else { Exit::Mismatch })
}

/// Runs a program in lock-step and prints the result: cycles compared, and any mismatch.
fn compare(
    a: &RunArgs,
    setup: &Setup<'_>,
    file: &Path,
    case: &Case,
) -> Result<(u64, Option<drra_report::Report>), CommandError> {
    use drra_report::Subject;

    let outcome = drra_lockstep::run(case, setup).map_err(tool)?;
    let failing = drra_diagnose::signature::failing(case, setup, &outcome).map_err(tool)?;
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
        Subject { case, failing: &failing, setup: *setup, repeat: &repeat, reduced: None };
    let report = drra_report::build(&subject).map_err(tool)?;
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
fn repeat_command(a: &RunArgs, file: &Path) -> String {
    let mut words = vec!["drra run".to_owned(), file.display().to_string()];
    if let Some(mem) = &a.start.mem {
        words.push(format!("--mem {}", mem.display()));
    }
    if let Some(isa) = &a.start.isa {
        words.push(format!("--isa {isa}"));
    }
    if let Some(cycles) = a.start.cycles {
        words.push(format!("--cycles {cycles}"));
    }
    words.extend(a.start.io_cells.iter().map(|c| format!("--io-cell {c}")));
    words.join(" ")
}
