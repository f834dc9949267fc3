// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports, with the golden model as the design.

mod end_state;
mod format;
mod planted;
mod ports;
mod report;
mod shown;
mod truth;
mod waves;

use drra_case::Case;
use drra_diagnose::signature;
use drra_isa::Geometry;
use drra_lockstep::{GoldenDesign, Outcome, RunSetup, find};
use drra_report::{Report, ReportInput, build};
use drra_testkit::FaultyDesign;

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// The setup of the cases in these tests.
fn setup() -> RunSetup<'static> {
    RunSetup::new(&GoldenDesign)
}

/// The report of a case that a faulty design fails, with the command that repeats it.
fn report_of(case: &Case, faulty: &FaultyDesign<'_>, repeat: &str) -> Report {
    let setup = RunSetup { design: faulty, ..setup() };
    let outcome = find(case, &setup, &mut ()).unwrap();
    report_of_outcome(case, setup, outcome, repeat)
}

/// The report of a case with this outcome.
fn report_of_outcome(
    case: &Case,
    setup: RunSetup<'_>,
    mut outcome: Outcome,
    repeat: &str,
) -> Report {
    let (failing, around) = signature::recorded(case, &setup, &mut outcome).unwrap().unwrap();
    build(&ReportInput { case, failing: &failing, around: &around, setup, repeat, reduced: None })
}
