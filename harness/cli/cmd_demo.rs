// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra` without a command: the bundled programs in lock-step with a table, then a campaign of
//! half a minute that ends in its summary.

use std::io::IsTerminal;
use std::io::Write;
use std::io::stdout;
use std::time::Instant;

use drra_campaign::Settings;
use drra_case::diagnostic::Failure;
use drra_case::programs;
use drra_diagnose::signature;
use drra_lockstep::Setup;
use drra_report::Subject;
use indicatif::ProgressBar;
use indicatif::ProgressStyle;
use tabled::builder::Builder;
use tabled::settings::Alignment;
use tabled::settings::Modify;
use tabled::settings::Style;
use tabled::settings::object::Columns;

use super::Exit;
use super::cmd_fuzz;

pub(super) fn run(setup: &Setup<'_>) -> Result<Exit, Failure> {
    let bar = ProgressBar::new(programs::ALL.len() as u64);
    if !std::io::stderr().is_terminal() || std::env::var_os("CI").is_some() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
        .map_err(|e| Failure::Tool(e.to_string()))?;
    bar.set_style(style);

    let mut table = Builder::default();
    table.push_record([
        "program",
        "cells",
        "cycles",
        "instructions",
        "state bits compared",
        "result",
        "cycles/s",
    ]);
    let (mut texts, mut reports) = (String::new(), Vec::new());
    let (mut cycles, mut bits, mut failed, mut skipped) = (0, 0u64, 0, 0);
    let start = Instant::now();
    for program in programs::ALL {
        bar.set_message(program.name());
        let case = match program.case(setup.geometry) {
            Ok(case) => case,
            // Programs are written for the default fabric; a smaller build lacks some cells.
            Err(e) if e.code == "A12" => {
                skipped += 1;
                let reason = format!("skipped: {}", e.message);
                table.push_record([program.name(), "", "", "", "", &reason, ""]);
                continue;
            }
            Err(e) => return Err(Failure::Tool(format!("{}: {e}", program.path))),
        };
        let began = Instant::now();
        let outcome = drra_lockstep::run(&case, setup).map_err(super::tool)?;
        let seconds = began.elapsed().as_secs_f64();
        let compared = outcome.cycles * outcome.state_bits;
        let result = match &outcome.mismatch {
            None if outcome.unfinished => "agree (cycle limit)".to_owned(),
            None => "agree".to_owned(),
            Some(mismatch) => {
                failed += 1;
                let repeat = format!("drra run {}", program.path);
                let failing = signature::failing(&case, setup, &outcome).map_err(super::tool)?;
                if let Some(failing) = failing {
                    let subject = Subject {
                        case: &case,
                        failing: &failing,
                        setup: *setup,
                        repeat: &repeat,
                        reduced: None,
                    };
                    let report = drra_report::build(&subject).map_err(super::tool)?;
                    texts += &format!("{}: {}\n", program.name(), report.text(super::paint()));
                    reports.push(report);
                }
                format!("MISMATCH in cycle {}", mismatch.cycle)
            }
        };
        cycles += outcome.cycles;
        bits += compared;
        table.push_record([
            program.name().to_owned(),
            case.program.cells().count().to_string(),
            outcome.cycles.to_string(),
            outcome.instructions.to_string(),
            format!("{:.2e}", compared as f64),
            result,
            format!("{:.0}", outcome.cycles as f64 / seconds),
        ]);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let mut table = table.build();
    table.with(Style::sharp());
    for column in [1, 2, 3, 4, 6] {
        table.with(Modify::new(Columns::one(column)).with(Alignment::right()));
    }
    write!(stdout(), "{texts}")?;
    writeln!(stdout(), "{table}")?;
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
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let time = Some(cmd_fuzz::DEFAULT_TIME);
    let campaign = cmd_fuzz::report(&Settings { jobs, time, ..Settings::default() }, setup.design)?;
    Ok(if failed == 0 { campaign } else { Exit::Mismatch })
}
