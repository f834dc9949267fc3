// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a single case, finds out whether and how it fails, and makes its report.

use std::borrow::Cow;

use drra_case::{Case, Divergence};
use drra_diagnose::signature;
use drra_golden::Fabric;
use drra_lockstep::{
    Design, KnownStop, Mismatch, MismatchKind, Observer, RunSetup, Stop, StoppingDesign,
};
use drra_report::{
    ReductionSizes, Report, ReportInput,
    data::{CommonSituation, FabricFailures, Variation},
};
use drra_results::WaveFiles;
use serde::{Deserialize, Serialize};

use crate::CampaignError;

/// A case to run, and how to run and report it.
#[derive(Clone, Copy, Debug)]
pub struct CaseRun<'a> {
    pub case: &'a Case,
    /// Number of cycles to run; `None`: as in the setup.
    pub cycles: Option<u64>,
    /// The point at which the design is known to crash or hang.
    pub crash: Option<&'a CrashPoint>,
    /// The report to make if the case fails.
    pub report: Option<&'a ReportRequest>,
    /// Find the first difference that shows only this failure, instead of the first one that counts in the case.
    pub behind: Option<&'a str>,
    pub crashes: CrashHandling,
}

/// The reaction to a design that ends its worker process or hangs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrashHandling {
    /// Run the case again to confirm the crash.
    #[default]
    Confirm,
    /// Accept the first crash, as a reduction does for its many candidates.
    Accept,
    /// Like [`CrashHandling::Accept`], but also report every cycle, so that the cycle of the crash is known at once.
    Trace,
}

impl<'a> CaseRun<'a> {
    /// A run of the whole case, without a report.
    pub fn of(case: &'a Case) -> Self {
        let crashes = CrashHandling::Confirm;
        Self { case, cycles: None, crash: None, report: None, behind: None, crashes }
    }
}

/// The point at which the design ended its worker process or hung, and the way it did so. A run that is given this
/// point stops just before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashPoint {
    /// The cycle whose clock edge did not complete; `None`: during reset, or unknown.
    pub cycle: Option<u64>,
    pub stop: Stop,
}

impl CrashPoint {
    /// Wraps a design so that it stops at this point, instead of ending the process or hanging.
    pub fn guard<'d>(&self, design: &'d dyn Design) -> StoppingDesign<'d> {
        let stop = KnownStop { cycle: self.cycle, failure: self.stop.clone().into() };
        StoppingDesign { design, stop }
    }
}

/// The report to make of a failing case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReportRequest {
    /// Command that reproduces the mismatch.
    pub repeat: String,
    /// True if the program knows a checkout of its version, whose chapters can be asked.
    pub checkout: bool,
    /// Sizes before and after the reduction, if the case was reduced.
    pub reduced: Option<ReductionSizes>,
    /// What decides whether the case fails, if it was varied.
    pub variation: Option<Variation>,
    /// Situations that the failing cases of a campaign have in common.
    pub common: Vec<CommonSituation>,
    /// Failing cases of a campaign by fabric size.
    pub fabrics: Vec<FabricFailures>,
    /// Also make the waves around the mismatch.
    pub waves: bool,
}

/// The result of running a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseResult {
    /// Length of the run in clock edges. The state after the last edge was also compared.
    pub cycles: u64,
    /// Number of instructions decoded by the golden model.
    pub instructions: u64,
    /// Number of state bits compared in each cycle.
    pub state_bits: u64,
    /// True if a sequencer or the load pipeline was not idle when the run ended.
    pub unfinished: bool,
    pub failure: Option<CaseFailure>,
    /// The report, if it was requested and the case fails.
    pub report: Option<Box<Report>>,
    /// The waves around the mismatch, if they were requested and the case fails.
    pub waves: Option<WaveFiles>,
    /// The output of the design, if it was collected.
    pub printed: String,
}

/// The failure of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseFailure {
    /// Identifies the failure and its variant.
    pub signature: String,
    /// The cycle and the place of the mismatch, as [`expect`] returns them.
    pub expect: Divergence,
    /// First cycle whose differences count in the case.
    #[serde(default)]
    pub compare_from: u64,
    /// The point at which the design crashed or hung, if it did so reproducibly.
    pub crash: Option<CrashPoint>,
    /// A note that the failure is not reproducible, if it is not.
    pub note: Option<String>,
}

/// Runs a case in this process.
///
/// # Errors
/// If the design does not fit its maps or the fabric size, or the waves cannot be made.
pub fn run_case(run: &CaseRun<'_>, setup: &RunSetup<'_>) -> Result<CaseResult, CampaignError> {
    run_case_reporting(run, setup, None)
}

/// Like [`run_case`], but also calls `on_cycle` before each clock edge.
pub(crate) fn run_case_reporting(
    run: &CaseRun<'_>,
    setup: &RunSetup<'_>,
    on_cycle: Option<&mut dyn FnMut(u64)>,
) -> Result<CaseResult, CampaignError> {
    let guarded;
    let mut setup = RunSetup { cycles: run.cycles.or(setup.cycles), ..*setup };
    if let Some(crash) = run.crash {
        guarded = crash.guard(setup.design);
        setup.design = &guarded;
    }
    let mut case = Cow::Borrowed(run.case);
    if let Some(failure) = run.behind {
        let later = drra_diagnose::later_differences(&case, &setup, Some(failure), 1, &mut ())?;
        // Without such a difference, no difference counts.
        case.to_mut().compare_from = later.cycles.first().copied().unwrap_or(u64::MAX);
    }
    let case = &*case;
    let mut outcome = match on_cycle {
        Some(on_cycle) => drra_lockstep::find(case, &setup, &mut CycleReporter(on_cycle))?,
        None => drra_lockstep::find(case, &setup, &mut ())?,
    };
    let (mut report, mut waves) = (None, None);
    let failing = match run.report {
        None => signature::failing(case, &setup, &mut outcome)?,
        Some(request) => match signature::recorded(case, &setup, &mut outcome)? {
            None => None,
            Some((failing, around)) => {
                let ReportRequest { repeat, checkout, reduced, variation, common, fabrics, .. } =
                    request;
                let reduced = reduced.as_ref();
                let subject = ReportInput {
                    case,
                    failing: &failing,
                    around: &around,
                    setup,
                    repeat,
                    reduced,
                };
                let mut made = Report {
                    variation: variation.clone(),
                    common: common.clone(),
                    fabrics: fabrics.clone(),
                    ..drra_report::build(&subject)
                };
                made.set_chapters(*checkout);
                waves = request.waves.then(|| WaveFiles::of(&subject, &made)).transpose()?;
                report = Some(Box::new(made));
                Some(failing)
            }
        },
    };
    Ok(CaseResult {
        cycles: outcome.cycles,
        instructions: outcome.instructions,
        state_bits: outcome.state_bits,
        unfinished: outcome.unfinished,
        failure: failing.map(|failing| CaseFailure {
            expect: expect(&failing.mismatch),
            signature: failing.signature,
            compare_from: case.compare_from,
            crash: run.crash.cloned(),
            note: None,
        }),
        report,
        waves,
        printed: String::new(),
    })
}

/// The mismatch as a case stores it: the cycle, and the first register, port or input that differs, the source line at
/// which the design stopped (`the model` if it is unknown), or `end of the recording`.
pub fn expect(mismatch: &Mismatch) -> Divergence {
    let path = match &mismatch.kind {
        MismatchKind::State(d) | MismatchKind::Unknown(d) => {
            d.first().map_or_else(String::new, |d| d.location.to_string())
        }
        MismatchKind::Port(p) | MismatchKind::UnknownPort(p) => {
            p.first().map_or_else(String::new, |p| p.to_string())
        }
        MismatchKind::Assertion(failure) => failure.to_string(),
        MismatchKind::Stimulus(difference) => difference.driven.to_string(),
        MismatchKind::Ended(_) => "end of the recording".to_owned(),
    };
    Divergence { cycle: mismatch.cycle, path }
}

/// Reports each cycle before its clock edge.
struct CycleReporter<'a>(&'a mut dyn FnMut(u64));

impl Observer for CycleReporter<'_> {
    fn pre_edge(&mut self, _golden: &Fabric, cycle: u64) {
        (self.0)(cycle);
    }
}
