// SPDX-License-Identifier: MIT OR Apache-2.0
//! Further checks of `drra run`: the schedule of a compiler and the expected state. The checks run on the golden
//! model; after a lock-step run, only if both sides agreed.

use std::collections::BTreeMap;

use drra_case::{
    Case,
    load::{self, LoadedCase, ProgramInputs},
};
use drra_isa::{CellId, Geometry};
use drra_lockstep::{
    DecodeTimes, EndRule, EndState, GoldenRun, Schedule, ScheduleComparison, UnexpectedValue,
};
use drra_report::ProgramSource;

use super::{
    args::RunArgs,
    arrays::{self, Array},
    program,
};
use crate::command_prelude::*;

/// Maximum number of values to list.
const MAX_LISTED: usize = 8;

/// The checks to run.
pub(super) struct RunChecks<'a> {
    schedule: Option<(&'a Path, Schedule)>,
    /// Expected states, each with the name of its file.
    expected: Vec<(String, EndState)>,
    arrays: Vec<Array>,
    end_mem: Option<&'a Path>,
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
    /// Reads the files named by the arguments, for the first program, or for this fabric size if there is none.
    pub(super) fn read(
        a: &'a RunArgs,
        extras: &ProgramInputs<'_>,
        first: Option<&LoadedCase>,
        size: &Geometry,
    ) -> Result<Self, CommandError> {
        let size = first.map_or(size, |first| &first.case.geometry);
        let labels = first.map(|first| first.labels.clone()).unwrap_or_default();
        let schedule =
            a.schedule.as_deref().map(|path| schedule(path, extras, size)).transpose()?;
        let expected = a.expect.iter().map(|path| expected(path, size, &labels));
        let expected = expected.collect::<Result<_, _>>()?;
        let printed = a.dump.iter().map(|place| format!("-={place}"));
        let arrays = a.out.iter().cloned().chain(printed).map(|text| Array::parse(&text, size));
        let arrays = arrays.collect::<Result<_, _>>()?;
        let (end_mem, cycles) = (a.end_mem.as_deref(), a.start.cycles);
        Ok(Self { schedule, expected, arrays, end_mem, cycles })
    }

    /// Runs a program on the golden model, writes the outputs and performs the checks.
    pub(super) fn check(&self, program: &LoadedCase) -> Result<CheckFindings, CommandError> {
        let case = &program.case;
        let mut findings = CheckFindings::default();
        let writes = !self.arrays.is_empty() || self.end_mem.is_some();
        if self.schedule.is_none() && self.expected.is_empty() && !writes {
            return Ok(findings);
        }
        let (mut run, times) = run_to_end(case, self.cycles);
        if let Some((path, schedule)) = &self.schedule {
            let io_cell = |cell: CellId| case.io_cells.contains(&cell);
            findings.timed(path, &schedule.compare(&case.program, io_cell, &times));
        }
        self.arrays.iter().try_for_each(|array| array.write(&mut run))?;
        self.end_mem.map_or(Ok(()), |path| save(path, &run.memory().to_text()))?;
        for (name, expected) in &self.expected {
            let cycles = run.cycle;
            let mut unexpected = expected.check_times(case, &times, cycles);
            unexpected.extend(expected.check(&mut run));
            let source = ProgramSource { file: &case.name, lines: &program.lines };
            let traced = drra_report::end_state(case, cycles, &unexpected);
            let provenances = drra_report::provenances(&traced, &source);
            findings.compared(name, expected, &unexpected, &provenances);
        }
        Ok(findings)
    }
}

/// Runs a case on the golden model to its end.
fn run_to_end(case: &Case, cycles: Option<u64>) -> (GoldenRun<'_>, DecodeTimes) {
    let mut run = GoldenRun::new(case);
    let mut times = DecodeTimes::new(&case.geometry);
    let mut end = EndRule::new(case, cycles);
    while !end.ends(run.cycle, || run.quiet()) {
        times.look(&run.fabric, run.cycle);
        run.step();
    }
    (run, times)
}

/// The cycles of the run for which the schedule in a file plans the instructions of a case, by cell and address.
pub(super) fn planned(
    path: &Path,
    case: &Case,
    extras: &ProgramInputs<'_>,
    cycles: Option<u64>,
) -> Result<Vec<(CellId, usize, u64)>, CommandError> {
    let (_, schedule) = schedule(path, extras, &case.geometry)?;
    Ok(schedule.planned(&run_to_end(case, cycles).1))
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

/// Reads expectations: a file or, if there is none of this name, `FILE=PLACE`.
fn expected(
    path: &Path,
    size: &Geometry,
    labels: &BTreeMap<(CellId, String), usize>,
) -> Result<(String, EndState), CommandError> {
    if let Some(text) = path.to_str().filter(|text| !path.exists() && arrays::split(text).is_some())
    {
        let array = Array::parse(text, size)?;
        let state = EndState::of_array(&array.slice, &array.numbers()?);
        let state = state.map_err(|e| arrays::misplaced(text, e))?;
        return Ok((array.file.display().to_string(), state));
    }
    let text = load::read(path)?;
    let help = "see harness/guide/compilers.md for the format of expected end states";
    let state = EndState::read_with_labels(&text, size, labels).map_err(|e| file(path, e, help))?;
    Ok((path.display().to_string(), state))
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

    fn compared(
        &mut self,
        name: &str,
        expected: &EndState,
        unexpected: &[UnexpectedValue],
        provenances: &str,
    ) {
        let what = if expected.is_timed() { "expected state" } else { "end state" };
        let count = unexpected.len();
        if count == 0 {
            let values = match expected.len() {
                1 => "the value matches".to_owned(),
                n => format!("all {n} values match"),
            };
            self.passed.push(format!("{what} {name}: {values}"));
            return;
        }
        let mut text = format!("{what} {name}: {count} of {} values differ", expected.len());
        for value in unexpected.iter().take(MAX_LISTED) {
            text += &format!("\n  {value}");
        }
        if count > MAX_LISTED {
            text += &format!("\n  and {} more", count - MAX_LISTED);
        }
        self.failed.push(text + provenances);
    }
}
