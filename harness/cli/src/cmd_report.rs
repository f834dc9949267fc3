// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report`: rebuilds the reports of a campaign from its stored cases.

use std::sync::atomic::AtomicBool;

use drra_campaign::{
    CampaignError, CaseRun, Executor, ReportRequest, Tally, journal, process::Limits,
    timestamps::TimeRange,
};
use drra_case::Case;
use drra_lockstep::{Compared, Setup};
use drra_report::{
    Entry, Report,
    known::Known,
    summary::{Environment, Summary, Timing},
};

use super::{args::ReportArgs, cmd_fuzz, program, suggest, worker};
use crate::command_prelude::*;

/// The stored case in the folder of a failure.
const CASE: &str = "case.json";

pub(super) fn run(a: &ReportArgs, setup: &Setup<'_>, build: &Build) -> Result<Exit, CommandError> {
    let Some(folder) = &a.folder else {
        return Err(usage("no folder", "give the folder of a campaign or of one failure"));
    };
    let known = a.known.read()?;
    if !folder.join(journal::FILE_NAME).exists() {
        return failure_folder(folder, &known, setup, build);
    }
    let (outline, tally) = Tally::read(folder)?;
    let timing = stored_timing(folder, outline.range(), setup.design.simulator())?;
    let header = outline.header;
    let mut summary = tally.summarize(&header, timing);
    summary.mark(&known);
    for failure in &mut summary.failures {
        failure.folder = drra_campaign::stored_folder(folder, failure);
    }
    let mut entries = Vec::new();
    for failure in &summary.failures {
        let of_failure = folder.join(&failure.folder);
        let (report, note) = if of_failure.join(CASE).is_file() {
            let case = program::read_to_run(&of_failure.join(CASE), setup, build)?;
            rebuild(&of_failure, &case, Some(drra_report::INDEX), setup)?
        } else {
            (None, Some("the campaign was stopped before its case was stored".to_owned()))
        };
        if let Some(note) = &note {
            say!("{}: {note}", failure.signature)?;
        }
        let page = of_failure.join("report.html").is_file();
        entries.push(Entry { failure: failure.clone(), report, note, page });
    }
    drra_campaign::publish(folder, &header, tally.coverage(), &summary, &entries)?;
    cmd_fuzz::annotate_failures(&summary, &entries)?;
    print_compared(&summary.compared)?;
    // The bits per cycle depend on the size of the case.
    let Compared { cycles, bit_cycles, several_sizes, .. } = summary.compared;
    let now = setup.compared(&header.profile.fabrics.sizes());
    let now = Compared { cycles, bit_cycles, several_sizes, ..now };
    if now != summary.compared {
        note!(
            "warning: this build does not compare the same registers as the campaign: {}",
            now.share()
        );
    }
    let (count, new) = (entries.len(), summary.new_failures().count());
    let what = if count == 1 { "failure" } else { "failures" };
    let known = if new == count { String::new() } else { format!(" ({} known)", count - new) };
    summary.unmatched.iter().for_each(|line| note!("warning: {line}"));
    say!("{count} {what}{known}, reports in {}", folder.join("index.html").display())?;
    match new {
        0 if count > 0 && summary.cycles == 0 => Err(only_known()),
        0 => Ok(Exit::Agreed),
        _ => Ok(Exit::Mismatch),
    }
}

/// Rebuilds the report in the folder of one failure.
fn failure_folder(
    folder: &Path,
    known: &Known,
    setup: &Setup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    if !folder.join(CASE).is_file() {
        let what = format!("this folder contains neither {} nor {CASE}", journal::FILE_NAME);
        return Err(file(
            folder,
            what,
            suggest::campaigns(folder, ", or the folder of one failure"),
        ));
    }
    let index = Path::new(drra_report::INDEX);
    let index = folder.join(index).is_file().then_some(drra_report::INDEX);
    let case = program::read_to_run(&folder.join(CASE), setup, build)?;
    let (report, note) = rebuild(folder, &case, index, setup)?;
    if let Some(note) = &note {
        say!("{note}")?;
    }
    print_comparison_coverage(setup, &case.geometry)?;
    let Some(report) = report else { return Ok(Exit::Agreed) };
    let known = known.of(&report.signature);
    let why = known.map_or_else(String::new, |known| format!(" ({})", known.text()));
    say!("{}{why}: {}", report.signature, folder.join("report.html").display())?;
    Ok(if note.is_none() && known.is_none() { Exit::Mismatch } else { Exit::Agreed })
}

/// Runs the stored case of a failure again and writes its report. If the case no longer fails, the stored report is
/// kept and written again in the current format. Also returns a note if the failure has changed.
fn rebuild(
    folder: &Path,
    case: &Case,
    index: Option<&str>,
    setup: &Setup<'_>,
) -> Result<(Option<Report>, Option<String>), CommandError> {
    let stored = drra_campaign::stored_report(folder)?;
    let request = ReportRequest {
        repeat: drra_campaign::repeat_command(folder),
        reduced: stored.as_ref().and_then(|s| s.reduced.clone()),
        common: stored.as_ref().map_or_else(Vec::new, |s| s.common.clone()),
        folder: Some(folder.to_owned()),
        index: index.map(str::to_owned),
        case: false,
    };
    let never = AtomicBool::new(false);
    let executor = worker::worker_pool(&never, Limits::default());
    let run = CaseRun { report: Some(&request), ..CaseRun::of(case) };
    let Some(report) = executor.run_case(&run, setup)?.report else {
        let note = "the stored case does not fail with this build".to_owned();
        if let Some(report) = &stored {
            drra_report::write_report(folder, report, index).map_err(CampaignError::Bundle)?;
        }
        return Ok((stored, Some(note)));
    };
    let note = stored
        .filter(|s| s.signature != report.signature)
        .map(|_| format!("the stored case now fails as {}", report.signature));
    Ok((Some(*report), note))
}

/// The timing and machine of a campaign from its summary or, without a summary, the time range from its journal.
fn stored_timing(folder: &Path, range: TimeRange, simulator: &str) -> Result<Timing, CommandError> {
    let path = folder.join("summary.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        let TimeRange { started, ended } = range;
        let environment = Environment::here(simulator);
        return Ok(Timing { environment, started, ended, ..Timing::default() });
    };
    Summary::parse(&text)
        .map(|s| s.timing)
        .map_err(|e| file(&path, e, "delete the file; it will be written again from the journal"))
}
