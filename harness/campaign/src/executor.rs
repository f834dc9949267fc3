// SPDX-License-Identifier: MIT OR Apache-2.0
//! Executors: they run cases in this process, or in worker processes, where a crash affects only one case.

use std::{ops::Deref, sync::OnceLock};

use drra_case::Case;
use drra_coverage::{Collector, Coverage};
use drra_diagnose::signature::{self, DiagnosedFailure};
use drra_isa::SizeText;
use drra_lockstep::{GoldenDesign, RunSetup};
use drra_results::summary::Effectiveness;

use crate::{
    CampaignCases, CampaignError, CampaignSettings,
    case_run::{self, CaseResult, CaseRun, CrashPoint},
    effectiveness::measure_effectiveness,
    sums::CaseRecord,
};

/// Stimulus effectiveness is measured in cases whose numbers are multiples of this constant, by one more run of the
/// golden model.
const EFFECTIVENESS_PERIOD: u64 = 16;

/// Maximum number of failures behind the first difference of a case.
const MAX_BEHIND: usize = 3;

/// Runs cases. All workers of a campaign share one executor.
pub trait Executor: Sync {
    /// Runs cases of a campaign as one of its workers, until no cases are left.
    ///
    /// # Errors
    /// If the design cannot be run. A design that fails, crashes or hangs in a case is not an error.
    fn run_worker(&self, context: &WorkerContext<'_>) -> Result<(), CampaignError>;

    /// Runs one case.
    ///
    /// # Errors
    /// As for [`Executor::run_worker`].
    fn run_case(
        &self,
        run: &CaseRun<'_>,
        setup: &RunSetup<'_>,
    ) -> Result<CaseResult, CampaignError>;
}

/// The context of a worker of a campaign.
#[derive(Clone, Copy)]
pub struct WorkerContext<'a> {
    pub(crate) settings: &'a CampaignSettings,
    pub(crate) setup: RunSetup<'a>,
    /// The first line that the campaign sends to each worker process; made when it is first needed.
    pub(crate) first_line: &'a OnceLock<String>,
    /// The cases of the campaign. They are prepared on first use, which runs the golden model a few hundred times.
    pub(crate) cases: &'a (dyn Deref<Target = CampaignCases> + Sync),
    /// Number of the next case, if there is one.
    pub(crate) next: &'a (dyn Fn() -> Option<u64> + Sync),
    /// Receives a finished case; returns false if the campaign has ended.
    pub(crate) done: &'a dyn Fn(CaseRecord) -> bool,
}

impl WorkerContext<'_> {
    /// The number of the next case to run; `None` if the campaign starts no further case.
    pub fn next(&self) -> Option<u64> {
        (self.next)()
    }

    /// Hands over a finished case; returns false if the campaign has ended.
    pub fn done(&self, record: CaseRecord) -> bool {
        (self.done)(record)
    }
}

/// Runs cases in this process. A design that ends the process also ends the campaign.
#[derive(Clone, Copy, Debug)]
pub struct InProcessExecutor;

impl Executor for InProcessExecutor {
    fn run_worker(&self, context: &WorkerContext<'_>) -> Result<(), CampaignError> {
        let mut runner = Runner::new(context.setup, context.cases);
        while let Some(case) = context.next() {
            if !context.done(runner.run(case, None, context.settings.first_only)?) {
                break;
            }
        }
        Ok(())
    }

    fn run_case(
        &self,
        run: &CaseRun<'_>,
        setup: &RunSetup<'_>,
    ) -> Result<CaseResult, CampaignError> {
        case_run::run_case(run, setup)
    }
}

/// Generates the cases of a campaign, runs them and collects their coverage.
pub(crate) struct Runner<'a> {
    setup: RunSetup<'a>,
    cases: &'a CampaignCases,
    collector: Collector,
    known: Coverage,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(setup: RunSetup<'a>, cases: &'a CampaignCases) -> Self {
        Self { setup, cases, collector: Collector::new(), known: Coverage::default() }
    }

    /// Runs a case. If the design is known to crash at `crash`, the golden model replaces it up to that point. Unless
    /// `first_only`, a case that fails goes on behind its first difference, if the whole state is compared.
    pub(crate) fn run(
        &mut self,
        case: u64,
        crash: Option<&CrashPoint>,
        first_only: bool,
    ) -> Result<CaseRecord, CampaignError> {
        let replacement = crash.map(|crash| crash.guard(&GoldenDesign));
        let mut setup = self.setup;
        if let Some(replacement) = &replacement {
            setup.design = replacement;
        }
        let generated = self.cases.generate(case);
        self.collector.start(&generated.case);
        // What other runs printed does not count.
        self.setup.design.take_warnings();
        let mut outcome = drra_lockstep::find(&generated.case, &setup, &mut self.collector)?;
        let warnings = self.setup.design.take_warnings();
        let failing = signature::failing(&generated.case, &setup, &mut outcome)?;
        let mut behind = Vec::new();
        let is_whole = || setup.compared(&[generated.case.geometry]).is_whole();
        if let Some(first) = failing.as_ref().filter(|_| !first_only && is_whole()) {
            self.collector.start(&generated.case);
            let (case, most) = (&generated.case, MAX_BEHIND);
            let later =
                drra_diagnose::later_differences(case, &setup, None, most, &mut self.collector)?;
            outcome.cycles = outcome.cycles.max(later.until);
            for compare_from in later.cycles {
                let later = Case { compare_from, ..case.clone() };
                let own = |f: &DiagnosedFailure| {
                    let failures = [f, first].map(|f| signature::failure(&f.signature));
                    f.mismatch.cycle == compare_from && failures[0] != failures[1]
                };
                let found = signature::check(&later, &setup)?.filter(own);
                behind.extend(found.map(|f| (f.signature, compare_from)));
            }
        }
        let planned = generated.case.cycles.unwrap_or(outcome.cycles);
        let moved = case.is_multiple_of(EFFECTIVENESS_PERIOD).then(|| {
            let Effectiveness { transfers, results, write_backs, .. } =
                measure_effectiveness(&generated, outcome.cycles);
            [transfers, results, write_backs]
        });
        Ok(CaseRecord {
            case,
            fabric: self.cases.names_sizes().then_some(SizeText(generated.case.geometry)),
            cycles: outcome.cycles,
            planned,
            instructions: outcome.instructions,
            kinds: generated.kinds,
            replaced: generated.replaced,
            moved,
            bins: self.collector.rare_bins(&mut self.known),
            warnings: if failing.is_none() { warnings } else { Vec::new() },
            failure: failing.map(|f| (f.signature, f.mismatch.cycle)),
            behind,
        })
    }
}
