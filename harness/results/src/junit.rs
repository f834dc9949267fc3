// SPDX-License-Identifier: MIT OR Apache-2.0
//! JUnit reports: a test case for every program, every waveform, or every distinct failure of a campaign.

use std::time::Duration;

use drra_lockstep::ComparisonCoverage;
use drra_report::{Colouring, Report};
use quick_junit::{NonSuccessKind, Property, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use crate::{
    FailureEntry,
    known::Deviation,
    summary::{BEHIND, Summary, Timing},
};

/// A program that ran in lock-step or on the golden model alone, or a waveform that was checked.
#[derive(Clone, Debug, Default)]
pub struct TestRun {
    /// Name of the test case, stable across runs: the path of a program relative to the working folder, or the name of
    /// a waveform's case or folder.
    pub name: String,
    /// Duration of the run.
    pub time: Duration,
    /// Number of cycles compared or, on the golden model alone, run.
    pub cycles: u64,
    /// Seed of register bits without a reset value and of random bits on ports.
    pub seed: u64,
    /// Report of the mismatch; `None` if there is no mismatch.
    pub report: Option<Report>,
    /// The reason the program or waveform could not be compared.
    pub refused: Option<String>,
    /// True if it was skipped because it was not meant to be compared; `refused` is then the reason.
    pub skipped: bool,
    /// Comparison coverage; `None` if nothing could be compared.
    pub compared: Option<ComparisonCoverage>,
    /// Other unexpected results, such as deviations from the expected schedule or end state; empty if there is a
    /// mismatch.
    pub unexpected: Vec<String>,
    /// The known deviation that explains the mismatch.
    pub known: Option<Deviation>,
    /// Findings that do not fail.
    pub warnings: Vec<String>,
}

impl TestRun {
    /// The report of the mismatch, unless the mismatch is known.
    pub fn new_report(&self) -> Option<&Report> {
        self.report.as_ref().filter(|_| self.known.is_none())
    }

    /// True if there is a mismatch that is not known, or another unexpected result.
    pub fn failed(&self) -> bool {
        self.new_report().is_some() || !self.unexpected.is_empty()
    }
}

/// The JUnit report of some programs.
pub fn programs<'r>(programs: impl IntoIterator<Item = &'r TestRun>) -> String {
    suite("drra run", "drra.program", programs)
}

/// The JUnit report of programs that were checked for mistakes.
pub fn findings<'r>(programs: impl IntoIterator<Item = &'r TestRun>) -> String {
    suite("drra lint", "drra.findings", programs)
}

/// The JUnit report of waveforms that were checked.
pub fn recordings<'r>(recordings: impl IntoIterator<Item = &'r TestRun>) -> String {
    suite("drra check", "drra.recording", recordings)
}

fn suite<'r>(name: &str, class: &str, programs: impl IntoIterator<Item = &'r TestRun>) -> String {
    let mut suite = TestSuite::new(name);
    let mut all = Duration::ZERO;
    for p in programs {
        all += p.time;
        let status = match (&p.report, &p.refused) {
            (None, None) if p.unexpected.is_empty() => TestCaseStatus::success(),
            (None, None) => {
                let first = p.unexpected.first().and_then(|text| text.lines().next());
                let all = p.unexpected.join("\n");
                status(NonSuccessKind::Failure, "unexpected", first.unwrap_or_default(), Some(all))
            }
            (Some(report), _) => match &p.known {
                Some(known) => skipped(&report.signature, known),
                None => failure(report),
            },
            (None, Some(why)) if p.skipped => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(why.as_str());
                status
            }
            (None, Some(why)) => status(NonSuccessKind::Error, "not compared", why, None),
        };
        let mut case = test_case(&p.name, class, status);
        case.set_time(p.time);
        case.add_property(property("seed", p.seed));
        case.add_property(property("cycles", p.cycles));
        case.add_properties(p.warnings.iter().map(|warning| property("warning", warning)));
        case.add_properties(p.compared.iter().flat_map(compared));
        suite.add_test_case(case);
    }
    written(suite, name, all)
}

/// Comparison coverage, and what was not compared.
fn compared(compared: &ComparisonCoverage) -> impl Iterator<Item = Property> {
    let not_compared = compared.lines().into_iter().map(|line| property("not compared", line));
    [property("compared", compared.share())].into_iter().chain(not_compared)
}

/// The JUnit report of a campaign: a test case for each failure, or a single test case if there are no failures, and
/// another test case if cases are missing. Names are stable across runs.
pub fn campaign(summary: &Summary, entries: &[FailureEntry]) -> String {
    let name = format!("drra fuzz {}", summary.profile);
    let class = format!("drra.campaign.{}", summary.profile);
    let mut suite = TestSuite::new(name.as_str());
    suite.add_property(property("profile", summary.profile.as_str()));
    suite.add_property(property("seed", summary.seed));
    suite.add_property(property("cases", summary.cases));
    suite.add_property(property("cycles", summary.cycles));
    if summary.cycles < summary.planned {
        suite.add_property(property("planned cycles", summary.planned));
    }
    suite.add_properties(summary.ended_early().map(|warning| property("warning", warning)));
    for (name, value) in summary.identity.entries() {
        suite.add_property(property(&format!("identity.{name}"), value));
    }
    for other in &summary.mixed {
        suite.add_property(property("mixed with", other.text()));
    }
    let Timing { started, ended, seconds, .. } = &summary.timing;
    let time = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
    let times = [("started", started), ("ended", ended)];
    let times = times.into_iter().filter(|(_, at)| !at.is_empty());
    suite.add_properties(times.map(|(name, at)| property(name, at)));
    suite.add_properties(compared(&summary.compared));
    if entries.is_empty() {
        let mut case = test_case("campaign", &class, TestCaseStatus::success());
        case.set_time(time);
        case.add_property(property("seed", summary.seed));
        suite.add_test_case(case);
    }
    if !summary.missing.is_empty() {
        let lines = summary.missing_lines().collect::<Vec<_>>().join("\n");
        let status = status(NonSuccessKind::Error, "incomplete", "cases are missing", Some(lines));
        suite.add_test_case(test_case("all cases finished", "drra.campaign", status));
    }
    for e in entries {
        let status = match (&e.failure.known, &e.report) {
            (Some(known), _) => skipped(&e.failure.signature, known),
            (None, Some(report)) => failure(report),
            (None, None) => {
                let note = e.note.as_deref().unwrap_or("there is no report");
                status(NonSuccessKind::Failure, &e.failure.signature, note, None)
            }
        };
        let mut case = test_case(&e.failure.signature, &class, status);
        case.add_property(property("seed", e.failure.first_seed));
        case.add_property(property("case", e.failure.first_case));
        case.add_property(property("count", e.failure.count));
        if e.failure.behind {
            case.add_property(property("found", BEHIND.trim_start_matches(", ")));
        }
        for v in e.failure.shown_variants() {
            let text = format!("{}: {}, first in case {}", v.signature, v.count, v.first_case);
            case.add_property(property("variant", text));
        }
        suite.add_test_case(case);
    }
    written(suite, &name, time)
}

fn property(name: &str, value: impl ToString) -> Property {
    Property::new(name, value.to_string())
}

fn test_case(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

fn skipped(name: &str, known: &Deviation) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type(name).set_message(known.text());
    status
}

fn failure(report: &Report) -> TestCaseStatus {
    let (place, verb, cycle) = (report.place(), report.verb(), report.mismatch.cycle);
    let message = format!("{place} {verb} in cycle {cycle}; repeat with: {}", report.repeat);
    let text = report.text(Colouring::Plain);
    status(NonSuccessKind::Failure, &report.signature, &message, Some(text))
}

fn status(kind: NonSuccessKind, name: &str, message: &str, text: Option<String>) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name).set_message(message);
    text.map(|text| status.set_description(text));
    status
}

fn written(mut suite: TestSuite, name: &str, time: Duration) -> String {
    let mut junit = Junit::new(name);
    suite.set_time(time);
    junit.set_time(time);
    junit.add_test_suite(suite);
    // Writing fails only if the writer fails, and writing to a string never fails.
    junit.to_string().unwrap_or_default() + "\n"
}
