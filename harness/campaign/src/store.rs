// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stores a distinct failure of a campaign: reduces its first case and writes it into a folder, with its report.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::RunSetup;
use drra_report::data::{CaseGroup, Variation};
use drra_results::{Bundle, BundleError, FailureEntry, summary::Failure};

use crate::{
    CampaignError, CampaignSettings, ProgressEvent,
    case_run::{CaseFailure, CaseResult, CaseRun, CrashHandling, ReportRequest},
    error::of_file,
    executor::Executor,
    process::NOT_REPRODUCIBLE,
    publish::{generate_command, repeat_command},
    shrink::{self, Reduction},
};

/// Note on a failure without a report.
const STOPPED: &str = "the campaign was stopped before its case was stored";

/// The data needed to store a failure of a campaign.
#[derive(Clone, Copy)]
pub(super) struct FailureWriter<'a> {
    pub(super) settings: &'a CampaignSettings,
    pub(super) setup: &'a RunSetup<'a>,
    pub(super) executor: &'a dyn Executor,
    pub(super) failure: &'a Failure,
    /// The first case of the failure.
    pub(super) full: &'a Case,
    /// Further cases of the failure, with their numbers.
    pub(super) others: &'a [(u64, Case)],
    pub(super) stop: &'a AtomicBool,
}

impl FailureWriter<'_> {
    /// Reduces the case, and writes its files if there is a folder for them.
    pub(super) fn store(
        &self,
        folder: Option<&Path>,
        on_progress: &mut dyn FnMut(ProgressEvent<'_>),
    ) -> Result<FailureEntry, CampaignError> {
        if let Some(link) = folder.filter(|folder| folder.is_symlink()) {
            fs::remove_file(link).map_err(of_file(link))?; // it leads out of the campaign
        }
        let bundle = folder.map(Bundle::create).transpose()?;
        let result = match self.executor.run_case(&CaseRun::of(self.full), self.setup) {
            Err(CampaignError::Stopped) => return self.without_report(bundle, STOPPED),
            result => result?,
        };
        let Some(failure) = result.failure else {
            return self.without_report(bundle, NOT_REPRODUCIBLE);
        };
        if let Some(note) = &failure.note {
            return self.without_report(bundle, note);
        }
        let start = Instant::now();
        let mut shrunk = self.shrink(self.full, &failure)?;
        self.count_from_the_start(&mut shrunk)?;
        shrunk.case.name = self.name();
        on_progress(ProgressEvent::Reduced {
            signature: &failure.signature,
            instructions: [shrunk.before.instructions, shrunk.after.instructions],
            time: start.elapsed(),
        });
        let variation = self.vary_all(&mut shrunk)?;
        let start = Instant::now();
        if let Some(bundle) = bundle {
            self.write_cases(bundle, Some(&shrunk.case), &result.printed)?;
        }
        let request = ReportRequest {
            repeat: self.repeat(folder),
            checkout: self.settings.checkout,
            reduced: Some(reduction(&shrunk)),
            variation,
            common: self.failure.common.clone(),
            fabrics: self.failure.fabrics.clone(),
            waves: bundle.is_some(),
        };
        let run = CaseRun {
            crash: shrunk.failing.crash.as_ref(),
            report: Some(&request),
            ..CaseRun::of(&shrunk.case)
        };
        let CaseResult { report, waves, .. } = match self.executor.run_case(&run, self.setup) {
            Err(CampaignError::Stopped) => return self.without_report(bundle, STOPPED),
            result => result?,
        };
        if let Some(bundle) = bundle {
            if let Some(report) = &report {
                bundle.write_report(report, waves.as_ref(), Some(drra_results::INDEX_PATH))?;
            }
            on_progress(ProgressEvent::Reported {
                signature: &failure.signature,
                time: start.elapsed(),
            });
        }
        let note = report.is_none().then(|| "the reduced case no longer fails".to_owned());
        let page = bundle.is_some() && report.is_some();
        Ok(FailureEntry { failure: self.failure.clone(), report: report.map(|r| *r), note, page })
    }

    /// Lets all differences of a reduced case count, if its failure is now the first one.
    fn count_from_the_start(&self, shrunk: &mut Reduction) -> Result<(), CampaignError> {
        let case = Case { compare_from: 0, ..shrunk.case.clone() };
        if shrunk.case.compare_from == 0 || self.settings.profile.violated(&case).is_some() {
            return Ok(());
        }
        let found = match self.executor.run_case(&CaseRun::of(&case), self.setup) {
            Err(CampaignError::Stopped) => None,
            result => result?.failure,
        };
        if let Some(found) = found.filter(|f| f.signature == shrunk.failing.signature) {
            shrunk.case = Case { expect: Some(found.expect.clone()), ..case };
            shrunk.failing = found;
        }
        Ok(())
    }

    fn shrink(&self, case: &Case, failure: &CaseFailure) -> Result<Reduction, CampaignError> {
        let stopped = || self.stop.load(Ordering::Relaxed);
        let profile = &self.settings.profile;
        let permitted = |case: &Case| profile.violated(case).is_none();
        let check = shrink_check(self.executor, self.setup, failure);
        shrink::shrink(case, failure, &check, self.settings.shrink, &stopped, &permitted)
    }

    /// Varies the reduced case. If there are conditions, the other cases are reduced and varied as well, to see whether
    /// they have the same ones.
    fn vary_all(&self, shrunk: &mut Reduction) -> Result<Option<Variation>, CampaignError> {
        let mut all = self.vary(shrunk, None)?;
        let Some(joined) = all.as_mut().filter(|v| v.decisive().is_some()) else { return Ok(all) };
        let first = joined.clone();
        for (number, case) in self.others {
            let failure = match self.executor.run_case(&CaseRun::of(case), self.setup) {
                Err(CampaignError::Stopped) => break,
                result => result?.failure.filter(|failure| failure.note.is_none()),
            };
            let Some(failure) = failure else { continue };
            let mut other = self.shrink(case, &failure)?;
            let Some(like) = self.vary(&mut other, Some(&first))? else { continue };
            // Another variant may have the same conditions, but in other instructions.
            let is_variant = failure.signature != shrunk.failing.signature;
            let joins = if is_variant { &mut first.clone() } else { &mut *joined };
            if joins.join(&like) == 0
                && let Some(own) = self.vary(&mut other, None)?.filter(|v| v.decisive().is_some())
            {
                joined.runs += own.runs;
                let known = |group: &CaseGroup| group.variation.decisive() == own.decisive();
                if !joined.groups.iter().any(known) {
                    joined.groups.push(CaseGroup { case: *number, variation: own });
                }
            }
        }
        Ok(all)
    }

    fn vary(
        &self,
        shrunk: &mut Reduction,
        like: Option<&Variation>,
    ) -> Result<Option<Variation>, CampaignError> {
        let Self { settings, executor, setup, .. } = *self;
        find_carriers(shrunk, executor, setup)?;
        let stopped = || self.stop.load(Ordering::Relaxed);
        let profile = &settings.profile;
        let permitted = |case: &Case| profile.violated(case).is_none();
        let check = shrink_check(executor, setup, &shrunk.failing);
        let sizes = profile.fabrics.sizes();
        shrink::vary(shrunk, &sizes, &check, settings.vary, &stopped, &permitted, like)
    }

    /// Writes the files of the case, and the output of the design from the run of the full case.
    fn write_cases(
        &self,
        bundle: Bundle<'_>,
        reduced: Option<&Case>,
        printed: &str,
    ) -> Result<(), BundleError> {
        let small = reduced.unwrap_or(self.full).clone();
        bundle.write("case.full.json", drra_case::to_json(self.full).as_bytes())?;
        bundle.write_case(&Case { name: self.name(), ..small })?;
        if let Some(case) = reduced.filter(|case| !case.ports && case.is_assembly()) {
            bundle.write("program.sasm", case.program_text().as_bytes())?;
        }
        bundle.write_log(printed)
    }

    /// Stores a failure without a report, and its case without reduction.
    fn without_report(
        &self,
        bundle: Option<Bundle<'_>>,
        note: &str,
    ) -> Result<FailureEntry, CampaignError> {
        if let Some(bundle) = bundle {
            self.write_cases(bundle, None, "")?;
        }
        let note = Some(note.to_owned());
        Ok(FailureEntry { failure: self.failure.clone(), report: None, note, page: false })
    }

    /// The name of the case in `case.json`, which distinguishes it from the cases of other failures.
    fn name(&self) -> String {
        format!("{}, case {}", self.failure.signature, self.failure.first_case)
    }

    fn repeat(&self, folder: Option<&Path>) -> String {
        match folder {
            Some(folder) => repeat_command(folder),
            None => {
                generate_command(self.settings, self.failure.first_case, self.full.compare_from)
            }
        }
    }
}

/// Returns a function that runs a candidate of a reduction on an executor. A candidate whose run is abandoned because
/// the program was told to stop (Ctrl-C, SIGTERM) is not considered failing.
pub fn shrink_check<'a>(
    executor: &'a dyn Executor,
    setup: &'a RunSetup<'a>,
    failure: &CaseFailure,
) -> impl Fn(&Case) -> Result<Option<CaseFailure>, CampaignError> + 'a {
    let crashes =
        if failure.crash.is_some() { CrashHandling::Trace } else { CrashHandling::Accept };
    // The differences before the failure are in other cycles of a candidate.
    let name = (failure.compare_from > 0).then(|| signature::failure(&failure.signature));
    move |case| {
        let behind = name.as_deref();
        match executor.run_case(&CaseRun { crashes, behind, ..CaseRun::of(case) }, setup) {
            Err(CampaignError::Stopped) => Ok(None),
            result => Ok(result?.failure),
        }
    }
}

/// Finds the instructions that had set up the path of the value that differs in a reduced case, for its variation.
///
/// # Errors
/// If the case cannot be run.
pub fn find_carriers(
    shrunk: &mut Reduction,
    executor: &dyn Executor,
    setup: &RunSetup<'_>,
) -> Result<(), CampaignError> {
    let (crash, request) = (shrunk.failing.crash.as_ref(), ReportRequest::default());
    let run = CaseRun { crash, report: Some(&request), ..CaseRun::of(&shrunk.case) };
    let report = match executor.run_case(&run, setup) {
        Err(CampaignError::Stopped) => None,
        result => result?.report,
    };
    let path = report.iter().flat_map(|report| &report.path);
    shrunk.carriers = path.filter_map(|step| step.by).map(|by| (by.cell, by.address)).collect();
    Ok(())
}

/// The sizes of a case before and after its reduction, for the report.
pub fn reduction(shrunk: &shrink::Reduction) -> drra_report::ReductionSizes {
    let (before, after) = (shrunk.before, shrunk.after);
    drra_report::ReductionSizes {
        instructions: [before.instructions, after.instructions],
        cells: [before.cells, after.cells],
        cycles: [before.cycles, after.cycles],
        steps: shrunk.steps,
        complete: shrunk.complete,
    }
}
