// SPDX-License-Identifier: MIT OR Apache-2.0
//! Further checks of `drra run`: the schedule of a compiler and the expected end state. The checks run on the golden
//! model; after a lock-step run, only if both sides agreed.

use drra_case::load::{self, LoadedCase, ProgramInputs};
use drra_isa::{CellId, Geometry};
use drra_lockstep::{
    DecodeTimes, EndRule, EndState, GoldenRun, Schedule, ScheduleComparison, UnexpectedValue,
};
use drra_report::ProgramSource;

use super::{args::RunArgs, program};
use crate::command_prelude::*;

/// Maximum number of values to list.
const MAX_LISTED: usize = 8;

/// The checks to run.
pub(super) struct RunChecks<'a> {
    schedule: Option<(&'a Path, Schedule)>,
    end_state: Option<(&'a Path, EndState)>,
    cycles: Option<u64>,
}

/// The results of the checks.
#[derive(Default)]
pub(super) struct CheckFindings {
    /// Lines about passed checks, and notes.
    pub(super) passed: Vec<String>,
    /// Lines about failed checks.
    pub(super) failed: Vec<String>,
}

impl<'a> RunChecks<'a> {
    /// Reads the files named by the arguments, for this fabric size.
    pub(super) fn read(
        a: &'a RunArgs,
        extras: &ProgramInputs<'_>,
        size: &Geometry,
    ) -> Result<Self, CommandError> {
        let schedule = a.schedule.as_deref().map(|path| schedule(path, extras, size));
        let end_state = a.expect.as_deref().map(|path| end_state(path, size));
        let (schedule, end_state) = (schedule.transpose()?, end_state.transpose()?);
        Ok(Self { schedule, end_state, cycles: a.start.cycles })
    }

    /// Runs a program on the golden model and performs the checks.
    pub(super) fn check(&self, program: &LoadedCase) -> CheckFindings {
        let case = &program.case;
        let mut findings = CheckFindings::default();
        if self.schedule.is_none() && self.end_state.is_none() {
            return findings;
        }
        let mut run = GoldenRun::new(case);
        let mut times = DecodeTimes::new(&case.geometry);
        let mut end = EndRule::new(case, self.cycles);
        while !end.ends(run.cycle, || run.quiet()) {
            times.look(&run.fabric, run.cycle);
            run.step();
        }
        if let Some((path, schedule)) = &self.schedule {
            let io_cell = |cell: CellId| case.io_cells.contains(&cell);
            findings.timed(path, &schedule.compare(&case.program, io_cell, &times));
        }
        if let Some((path, end_state)) = &self.end_state {
            let cycles = run.cycle;
            let unexpected = end_state.check(&mut run);
            let source = ProgramSource { file: &case.name, lines: &program.lines };
            let traced = drra_report::end_state(case, cycles, &unexpected);
            let provenances = drra_report::provenances(&traced, &source);
            findings.ended(path, end_state.len(), &unexpected, &provenances);
        }
        findings
    }
}

fn schedule<'a>(
    path: &'a Path,
    extras: &ProgramInputs<'_>,
    size: &Geometry,
) -> Result<(&'a Path, Schedule), CommandError> {
    let text = load::read(path)?;
    let form = load::form_of(path, &text)?;
    let extras = ProgramInputs { mem: None, ..extras.clone() };
    let read = load::program(path, text, form, &extras, size)?;
    program::print_notes(&read.warnings, &read.notes);
    let help = "give the schedule of the compiler: sync_instr.json or sync_instr.txt";
    Ok((path, Schedule::new(&read.assembly).map_err(|e| file(path, e, help))?))
}

fn end_state<'a>(path: &'a Path, size: &Geometry) -> Result<(&'a Path, EndState), CommandError> {
    let text = load::read(path)?;
    let help = "see harness/guide/compilers.md for the format of expected end states";
    Ok((path, EndState::read(&text, size).map_err(|e| file(path, e, help))?))
}

impl CheckFindings {
    fn timed(&mut self, path: &Path, timed: &ScheduleComparison) {
        let name = path.display();
        let skipped = match timed.skipped {
            0 => String::new(),
            n => format!(", {n} skipped by jumps"),
        };
        let Some((first, deviation)) = timed.deviations.first() else {
            let compared = timed.compared;
            self.passed.push(format!(
                "schedule {name}: all {compared} instructions were decoded on schedule{skipped}"
            ));
            return;
        };
        let line = first.line.map_or_else(String::new, |line| format!(":{line}"));
        self.failed.push(format!(
            "schedule {name}{line}: {}, address {}, {}: {deviation}; {} of {} instructions deviate{skipped}",
            first.cell,
            first.address,
            first.text,
            timed.deviations.len(),
            timed.compared
        ));
    }

    fn ended(
        &mut self,
        path: &Path,
        expected: usize,
        unexpected: &[UnexpectedValue],
        provenances: &str,
    ) {
        let name = path.display();
        if unexpected.is_empty() {
            let values = match expected {
                1 => "the value matches".to_owned(),
                n => format!("all {n} values match"),
            };
            self.passed.push(format!("end state {name}: {values}"));
            return;
        }
        let count = unexpected.len();
        let mut text = format!("end state {name}: {count} of {expected} values differ");
        for value in unexpected.iter().take(MAX_LISTED) {
            text += &format!("\n  {value}");
        }
        if count > MAX_LISTED {
            text += &format!("\n  and {} more", count - MAX_LISTED);
        }
        self.failed.push(text + provenances);
    }
}
