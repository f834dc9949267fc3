// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra run`: one program, in lock-step or on the golden model alone.

use std::io::Write;
use std::io::stdout;

use super::Exit;
use super::args;
use super::args::RunArgs;
use crate::GEOMETRY;
use crate::diagnostic::Failure;
use crate::golden_run;
use crate::load::Extras;
use crate::load::Loaded;
use crate::load::load;

pub(super) fn run(a: &RunArgs) -> Result<Exit, Failure> {
    let extras =
        Extras { mem: a.program.mem.as_deref(), io_cells: args::io_cells(&a.program.io_cells)? };
    let Loaded { case, warnings } = load(&a.program.file, &extras)?;
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
    if a.golden_only {
        let result = golden_run::run(&case, &GEOMETRY, a.program.cycles);
        writeln!(
            stdout(),
            "{}: {} cycles, {} instructions on the golden model{}",
            case.name,
            result.cycles,
            result.instructions,
            unfinished(result.unfinished)
        )?;
        return Ok(Exit::Agreed);
    }
    lockstep(a, &case)
}

/// Note about a program that was cut off.
pub(super) fn unfinished(unfinished: bool) -> &'static str {
    if unfinished { " (still running at the end; --cycles sets the length)" } else { "" }
}

#[cfg(not(feature = "rtl"))]
fn lockstep(_: &RunArgs, _: &crate::Case) -> Result<Exit, Failure> {
    Err(super::no_rtl())
}

#[cfg(feature = "rtl")]
fn lockstep(a: &RunArgs, case: &crate::Case) -> Result<Exit, Failure> {
    let options = crate::lockstep::Options { cycles: a.program.cycles, ..Default::default() };
    let outcome = crate::lockstep::run(case, &GEOMETRY, &options).map_err(Failure::Tool)?;
    let Some(mismatch) = &outcome.mismatch else {
        writeln!(
            stdout(),
            "{}: golden model and RTL agree in {} cycles, {} instructions, {} state bits per cycle{}",
            case.name,
            outcome.cycles,
            outcome.instructions,
            outcome.state_bits,
            unfinished(outcome.unfinished)
        )?;
        return Ok(Exit::Agreed);
    };
    let explanation =
        crate::explain::explain(case, &GEOMETRY, &options, mismatch).map_err(Failure::Tool)?;
    let repeat = repeat_command(a);
    let text = crate::explain::report(&GEOMETRY, mismatch, &explanation, &repeat);
    writeln!(stdout(), "{}: {text}", case.name)?;
    Ok(Exit::Mismatch)
}

/// The command line that gives the same run.
#[cfg(feature = "rtl")]
fn repeat_command(a: &RunArgs) -> String {
    let p = &a.program;
    let mut words = vec!["drra run".to_owned(), p.file.display().to_string()];
    if let Some(mem) = &p.mem {
        words.push(format!("--mem {}", mem.display()));
    }
    if let Some(cycles) = p.cycles {
        words.push(format!("--cycles {cycles}"));
    }
    words.extend(p.io_cells.iter().map(|c| format!("--io-cell {c}")));
    words.join(" ")
}
