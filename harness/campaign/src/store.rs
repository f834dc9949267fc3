// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stores a distinct failure of a campaign: reduces its first case and writes it into a folder, with its report.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use drra_case::Case;
use drra_isa::Geometry;
use drra_lockstep::RunSetup;
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
        let mut shrunk = self.shrink(&failure)?;
        shrunk.case.name = self.name();
        on_progress(ProgressEvent::Reduced {
            signature: &failure.signature,
            instructions: [shrunk.before.instructions, shrunk.after.instructions],
            time: start.elapsed(),
        });
        let start = Instant::now();
        if let Some(bundle) = bundle {
            self.write_cases(bundle, Some(&shrunk.case), &result.printed)?;
        }
        let request = ReportRequest {
            repeat: self.repeat(folder),
            reduced: Some(reduction(&shrunk)),
            common: self.failure.common.clone(),
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

    fn shrink(&self, failure: &CaseFailure) -> Result<Reduction, CampaignError> {
        let stopped = || self.stop.load(Ordering::Relaxed);
        let profile = &self.settings.profile;
        let permitted = |case: &Case| profile.violated(case).is_none();
        let check = shrink_check(self.executor, self.setup, failure);
        shrink::shrink(self.full, failure, &check, self.settings.shrink, &stopped, &permitted)
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
        // Assembly text must not have more words than the hardware executes.
        let is_text = |case: &&Case| {
            let mut programs = case.program.cells();
            !case.ports && programs.all(|(_, words)| words.len() <= Geometry::PROGRAM_WORDS)
        };
        if let Some(case) = reduced.filter(is_text) {
            bundle.write("program.sasm", program_text(case).as_bytes())?;
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
            None => generate_command(self.settings, self.failure.first_case),
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
    move |case| match executor.run_case(&CaseRun { crashes, ..CaseRun::of(case) }, setup) {
        Err(CampaignError::Stopped) => Ok(None),
        result => Ok(result?.failure),
    }
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

/// Programs of a case as assembly text.
fn program_text(case: &Case) -> String {
    let isa = drra_isa::Revision::R4.isa();
    let mut text = match case.geometry {
        size if size == Geometry::default() => String::new(),
        size => format!("# For fabric {size}: drra run --fabric {size}\n"),
    };
    for cell in &case.io_cells {
        let (row, col) = (cell.row(), cell.col());
        text += &format!(".IOCELL <{row},{col}>\n");
    }
    for (cell, words) in case.program.cells() {
        let (row, col) = (cell.row(), cell.col());
        text += &format!("CELL <{row},{col}>\n");
        for line in drra_isa::disassemble(isa, words, case.io_cells.contains(&cell)) {
            text += &format!("        {}\n", line.text);
        }
    }
    text
}
