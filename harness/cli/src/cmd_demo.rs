// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra` without a command: runs the bundled programs in lock-step, then a campaign of half a minute.

use std::time::Instant;

use clap::Parser;
use drra_campaign::{CaseRun, ReportRequest, process::WorkerLimits};
use drra_case::programs;
use drra_lockstep::RunSetup;
use drra_report::table;
use indicatif::ProgressStyle;

use super::{args::FuzzArgs, checkout, cmd_fuzz, progress, worker};
use crate::command_prelude::*;

pub(super) fn run(setup: &RunSetup<'_>, build: &Build) -> Result<Exit, CommandError> {
    let executor = worker::executor(setup.design, &worker::NEVER, WorkerLimits::default());
    let bar = progress::bar();
    bar.set_length(programs::ALL.len() as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").map_err(tool)?;
    bar.set_style(style);

    let mut rows = Vec::new();
    let (mut texts, mut reports) = (String::new(), Vec::new());
    let (mut cycles, mut bits, mut failed, mut skipped) = (0, 0, 0, 0);
    let checkout = checkout::same_version(build).is_some();
    let start = Instant::now();
    for program in programs::ALL {
        bar.set_message(program.name());
        let case = match program.case(&build.default_size()) {
            Ok(case) => case,
            // Programs are written for the default fabric; a smaller build has fewer cells.
            Err(e) if e.code == "A12" => {
                skipped += 1;
                let reason = format!("skipped: {}", e.message);
                let row = [program.name(), "", "", "", "", &reason];
                rows.push(row.map(str::to_owned).to_vec());
                continue;
            }
            Err(e) => return Err(tool(format!("{}: {e}", program.path))),
        };
        let repeat = format!("drra run {}", program.path);
        let request = ReportRequest { repeat, checkout, ..ReportRequest::default() };
        let run = CaseRun { report: Some(&request), ..CaseRun::of(&case) };
        let result = executor.run_case(&run, setup)?;
        let verdict = match &result.failure {
            None if result.unfinished => "does not end".to_owned(),
            None => "agree".to_owned(),
            Some(failure) => format!("MISMATCH in cycle {}", failure.expect.cycle),
        };
        let state_bits = result.cycles * result.state_bits;
        rows.push(vec![
            program.name().to_owned(),
            case.program.cells().count().to_string(),
            result.cycles.to_string(),
            result.instructions.to_string(),
            format!("{:.2e}", state_bits as f64),
            verdict,
        ]);
        cycles += result.cycles;
        bits += state_bits;
        failed += usize::from(result.failure.is_some() || result.unfinished);
        if let Some(report) = result.report {
            texts += &format!("{}: {}\n", program.name(), report.text(paint()));
            reports.push(*report);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let names = ["program", "cells", "cycles", "decoded", "bits\ncompared", "result"];
    write!(stdout(), "{texts}{}", table(&names, rows, [1, 2, 3, 4]))?;
    let ran = programs::ALL.len() - skipped;
    say!(
        "{} of {ran} programs agree: {cycles} cycles, {:.2e} state bits compared in {:.1} s ({})",
        ran - failed,
        bits as f64,
        start.elapsed().as_secs_f64(),
        setup.design.simulator()
    )?;
    annotate_ci("bundled programs", &reports.iter().collect::<Vec<_>>())?;
    let campaign = cmd_fuzz::run(&FuzzArgs::parse_from(["drra fuzz"]), setup, build)?;
    Ok(if failed == 0 { campaign } else { Exit::Mismatch })
}
