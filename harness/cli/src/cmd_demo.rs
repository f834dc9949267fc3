// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra` without a command: the bundled programs in lock-step with a table, then a campaign of
//! half a minute that ends in its summary.

use std::{io::Write, sync::atomic::AtomicBool, time::Instant};

use drra_campaign::{Exam, Place, Settings, Wanted, process::Limits};
use drra_case::{
    Case,
    programs::{self, Bundled},
};
use drra_lockstep::Setup;
use drra_report::{Report, table};
use indicatif::ProgressStyle;

use super::{
    Exit,
    build::Build,
    cmd_fuzz,
    console::stdout,
    error::{CommandError, tool},
    progress, worker,
};

pub(super) fn run(setup: &Setup<'_>, build: &Build) -> Result<Exit, CommandError> {
    let never = AtomicBool::new(false);
    let place = worker::place(setup.design, &never, Limits::default());
    let bar = progress::bar();
    bar.set_length(programs::ALL.len() as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").map_err(tool)?;
    bar.set_style(style);

    let mut rows = Vec::new();
    let (mut texts, mut reports) = (String::new(), Vec::new());
    let (mut cycles, mut bits, mut failed, mut skipped) = (0, 0, 0, 0);
    let start = Instant::now();
    for program in programs::ALL {
        bar.set_message(program.name());
        let case = match program.case(&build.usual()) {
            Ok(case) => case,
            // Programs are written for the default fabric; a smaller build lacks some cells.
            Err(e) if e.code == "A12" => {
                skipped += 1;
                let reason = format!("skipped: {}", e.message);
                let row = [program.name(), "", "", "", "", &reason, ""];
                rows.push(row.map(str::to_owned).to_vec());
                continue;
            }
            Err(e) => return Err(tool(format!("{}: {e}", program.path))),
        };
        let ran = compare(program, &case, (setup, &*place))?;
        cycles += ran.cycles;
        bits += ran.bits;
        failed += usize::from(ran.failed);
        if let Some(report) = ran.report {
            texts += &format!("{}: {}\n", program.name(), report.text(super::paint()));
            reports.push(report);
        }
        rows.push(ran.row);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let names = ["program", "cells", "cycles", "decoded", "bits\ncompared", "result", "cycles/s"];
    write!(stdout(), "{texts}{}", table(&names, rows, [1, 2, 3, 4, 6]))?;
    let ran = programs::ALL.len() - skipped;
    writeln!(
        stdout(),
        "{} of {ran} programs agree: {cycles} cycles, {:.2e} state bits compared in {:.1} s ({})",
        ran - failed,
        bits as f64,
        start.elapsed().as_secs_f64(),
        setup.design.simulator()
    )?;
    super::announce("bundled programs", &reports.iter().collect::<Vec<_>>())?;
    let how = cmd_fuzz::How { limits: Limits::default(), min_compared: None, coverage: false };
    let time = Some(cmd_fuzz::DEFAULT_TIME);
    let settings =
        Settings { jobs: worker::number(None), time, ..cmd_fuzz::of_this_program(build) };
    let campaign = cmd_fuzz::report(&settings, setup, None, how)?;
    Ok(if failed == 0 { campaign } else { Exit::Mismatch })
}

/// What came of a program.
struct Ran {
    /// Its row of the table.
    row: Vec<String>,
    /// Cycles compared.
    cycles: u64,
    /// State bits compared, all cycles together.
    bits: u64,
    /// The two sides differ, or the program does not end.
    failed: bool,
    /// How they differ, if they do so again.
    report: Option<Report>,
}

/// Runs a program in lock-step.
fn compare(
    program: &Bundled,
    case: &Case,
    (setup, place): (&Setup<'_>, &dyn Place),
) -> Result<Ran, CommandError> {
    let began = Instant::now();
    let repeat = format!("drra run {}", program.path);
    let wanted = Wanted { repeat, ..Wanted::default() };
    let seen = place.examine(&Exam { report: Some(&wanted), ..Exam::of(case) }, setup)?;
    let seconds = began.elapsed().as_secs_f64();
    let result = match &seen.found {
        None if seen.unfinished => "does not end".to_owned(),
        None => "agree".to_owned(),
        Some(found) => format!("MISMATCH in cycle {}", found.expect.cycle),
    };
    let bits = seen.cycles * seen.state_bits;
    let row = vec![
        program.name().to_owned(),
        case.program.cells().count().to_string(),
        seen.cycles.to_string(),
        seen.instructions.to_string(),
        format!("{:.2e}", bits as f64),
        result,
        format!("{:.0}", seen.cycles as f64 / seconds),
    ];
    let report = seen.report.map(|report| *report);
    Ok(Ran {
        row,
        cycles: seen.cycles,
        bits,
        failed: seen.found.is_some() || seen.unfinished,
        report,
    })
}
