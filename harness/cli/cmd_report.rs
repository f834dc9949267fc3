// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra report`: the reports of a campaign again, from its stored cases.

use std::io::Write;
use std::io::stdout;
use std::path::Path;

use super::Exit;
use super::args::ReportArgs;
use super::cmd_fuzz;
use super::cmd_fuzz::failure;
use crate::GEOMETRY;
use crate::campaign;
use crate::campaign::CampaignError;
use crate::campaign::Environment;
use crate::campaign::Summary;
use crate::campaign::Timing;
use crate::campaign::journal;
use crate::diagnostic::Failure;
use crate::diagnostic::file;
use crate::load::Extras;
use crate::load::load;
use crate::lockstep::Options;
use crate::report;
use crate::report::Entry;
use crate::report::Report;
use crate::report::Subject;
use crate::signature;

pub(super) fn run(a: &ReportArgs) -> Result<Exit, Failure> {
    let folder = &a.folder;
    if !folder.join(journal::FILE_NAME).exists() {
        return failure_folder(folder);
    }
    let (header, records) =
        journal::read(folder).map_err(|e| failure(CampaignError::Journal(e)))?;
    let summary = Summary::new(&header, &records, stored_timing(folder)?);
    let mut entries = Vec::new();
    for found in &summary.failures {
        let of_failure = folder.join(&found.folder);
        let (report, note) = if of_failure.join("case.json").is_file() {
            again(&of_failure, Some(report::INDEX))?
        } else {
            (None, Some("the campaign was stopped before its case was stored".to_owned()))
        };
        if let Some(note) = &note {
            writeln!(stdout(), "{}: {note}", found.signature)?;
        }
        let page = of_failure.join("report.html").is_file();
        entries.push(Entry { failure: found.clone(), report, note, page });
    }
    campaign::publish(folder, &header, &records, &summary, &entries).map_err(failure)?;
    cmd_fuzz::announce(&summary, &entries)?;
    let count = entries.len();
    let what = if count == 1 { "failure" } else { "failures" };
    writeln!(stdout(), "{count} {what}, reports in {}", folder.join("index.html").display())?;
    Ok(if count == 0 { Exit::Agreed } else { Exit::Mismatch })
}

/// The folder of one failure.
fn failure_folder(folder: &Path) -> Result<Exit, Failure> {
    if !folder.join("case.json").is_file() {
        let what = format!("there is neither {} nor case.json in this folder", journal::FILE_NAME);
        return Err(file(folder, what, "name the folder of a campaign, or of one failure"));
    }
    let index = Path::new(report::INDEX);
    let index = folder.join(index).is_file().then_some(report::INDEX);
    let (report, note) = again(folder, index)?;
    if let Some(note) = &note {
        writeln!(stdout(), "{note}")?;
    }
    let Some(report) = report else { return Ok(Exit::Agreed) };
    writeln!(stdout(), "{}: {}", report.signature, folder.join("report.html").display())?;
    Ok(if note.is_none() { Exit::Mismatch } else { Exit::Agreed })
}

/// Runs the stored case of a failure again and writes its report. A case that does not fail any more
/// keeps what its report says, in the form of this version.
fn again(folder: &Path, index: Option<&str>) -> Result<(Option<Report>, Option<String>), Failure> {
    let stored = campaign::stored_report(folder).map_err(failure)?;
    let path = folder.join("case.json");
    let case = load(&path, &Extras::default())?.case;
    let options = Options::default();
    let failing = signature::check(&case, &GEOMETRY, &options).map_err(Failure::Tool)?;
    let Some(failing) = failing else {
        let note = "the stored case does not fail with this build".to_owned();
        if let Some(report) = &stored {
            report::write_report(folder, report, index)
                .map_err(|e| failure(CampaignError::Bundle(e)))?;
        }
        return Ok((stored, Some(note)));
    };
    let note = stored
        .as_ref()
        .filter(|s| s.signature != failing.signature)
        .map(|_| format!("the stored case now fails as {}", failing.signature));
    let repeat = format!("drra replay {}", path.display());
    let reduced = stored.and_then(|s| s.reduced);
    let subject = Subject {
        case: &case,
        failing: &failing,
        options: &options,
        repeat: &repeat,
        reduced: reduced.as_ref(),
    };
    let report = report::build(&subject, &GEOMETRY).map_err(Failure::Tool)?;
    report::write_waves(folder, &subject, &GEOMETRY)
        .and_then(|()| report::write_report(folder, &report, index))
        .map_err(|e| failure(CampaignError::Bundle(e)))?;
    Ok((Some(report), note))
}

/// Time and machine of a campaign, which only its summary knows.
fn stored_timing(folder: &Path) -> Result<Timing, Failure> {
    let path = folder.join("summary.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(Timing { environment: Environment::here(), ..Timing::default() });
    };
    Summary::parse(&text)
        .map(|s| s.timing)
        .map_err(|e| file(&path, e, "delete the file; it is written again from the journal"))
}
