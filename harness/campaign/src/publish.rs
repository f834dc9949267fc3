// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a campaign besides its journal: those of each distinct failure, then summary, page
//! and JUnit report of the whole.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Instant;

use drra_case::Case;
use drra_case::output::write_whole;
use drra_coverage::Coverage;
use drra_diagnose::signature;
use drra_lockstep::Setup;
use drra_report::Entry;
use drra_report::Report;
use drra_report::Subject;
use drra_report::summary::Failure;
use drra_report::summary::Summary;

use super::CampaignError;
use super::Progress;
use super::Settings;
use super::journal::Header;
use super::journal::Record;
use crate::shrink;

/// Reduces a failing case of a campaign and writes its files.
pub(super) fn store(
    settings: &Settings,
    setup: &Setup<'_>,
    failure: &Failure,
    full: &Case,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<Entry, CampaignError> {
    let folder = settings.folder.as_ref().map(|f| f.join(&failure.folder));
    let page = folder.is_some();
    let Some(failing) = signature::check(full, setup)? else {
        let note = Some("the failure does not repeat".to_owned());
        return Ok(Entry { failure: failure.clone(), report: None, note, page: false });
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let start = Instant::now();
    let permitted = |case: &Case| settings.profile.violated(case, setup.geometry).is_none();
    let shrunk = shrink::shrink(full, &failing, setup, settings.shrink, &stopped, &permitted)?;
    tell(Progress::Reduced {
        signature: &failing.signature,
        instructions: [shrunk.before.instructions, shrunk.after.instructions],
        time: start.elapsed(),
    });
    let start = Instant::now();
    let repeat = match &folder {
        Some(folder) => repeat_command(folder),
        None => generate_command(settings, failure.first_case),
    };
    let reduced = reduction(&shrunk);
    let subject = Subject {
        case: &shrunk.case,
        failing: &shrunk.failing,
        setup: *setup,
        repeat: &repeat,
        reduced: Some(&reduced),
    };
    let report = drra_report::build(&subject)?;
    if let Some(folder) = folder {
        let error = |path: &Path| {
            let path = path.to_owned();
            move |source| CampaignError::File { path, source }
        };
        fs::create_dir_all(&folder).map_err(error(&folder))?;
        let mut files = vec![
            ("case.full.json", drra_case::to_json(full, setup.geometry)),
            ("case.json", drra_case::to_json(&shrunk.case, setup.geometry)),
        ];
        if !shrunk.case.ports {
            files.push(("program.sasm", program_text(&shrunk.case)));
        }
        for (name, text) in files {
            let path = folder.join(name);
            write_whole(&path, text.as_bytes()).map_err(error(&path))?;
        }
        drra_report::write_waves(&folder, &subject)?;
        drra_report::write_report(&folder, &report, Some(drra_report::INDEX))?;
        tell(Progress::Reported { signature: &failing.signature, time: start.elapsed() });
    }
    Ok(Entry { failure: failure.clone(), report: Some(report), note: None, page })
}

/// Sizes of a reduced case.
pub fn reduction(shrunk: &shrink::Shrunk) -> drra_report::Reduced {
    let (before, after) = (shrunk.before, shrunk.after);
    drra_report::Reduced {
        instructions: [before.instructions, after.instructions],
        cells: [before.cells, after.cells],
        cycles: [before.cycles, after.cycles],
        steps: shrunk.steps,
        complete: shrunk.complete,
    }
}

/// Writes what belongs to a campaign as a whole: summary, page, JUnit report.
///
/// # Errors
/// If a file cannot be written.
pub fn publish(
    folder: &Path,
    header: &Header,
    records: &[Record],
    summary: &Summary,
    entries: &[Entry],
) -> Result<(), CampaignError> {
    let mut coverage = Coverage::default();
    for record in records {
        coverage.add(&record.bins);
    }
    let page = drra_report::Campaign { summary, shard: header.shard, coverage: &coverage, entries };
    for (name, text) in [
        ("summary.json", summary.to_json()),
        ("index.html", page.page()),
        ("junit.xml", drra_report::junit::campaign(summary, entries)),
    ] {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes())
            .map_err(|source| CampaignError::File { path, source })?;
    }
    Ok(())
}

/// Lets the report of a failure whose folder was copied tell how to repeat it from there.
///
/// # Errors
/// If the report cannot be read or written, or is of another version.
pub fn moved(folder: &Path) -> Result<(), CampaignError> {
    let Some(mut report) = stored_report(folder)? else { return Ok(()) };
    report.repeat = repeat_command(folder);
    drra_report::write_report(folder, &report, Some(drra_report::INDEX))?;
    Ok(())
}

/// The command that runs the stored case of a failure again.
pub fn repeat_command(folder: &Path) -> String {
    format!("drra replay {}", folder.join("case.json").display())
}

/// The command that makes a case of a campaign again and runs it.
pub fn generate_command(settings: &Settings, case: u64) -> String {
    let (profile, seed) = (&settings.profile.name, settings.seed);
    format!("drra replay --profile {profile} --seed {seed} --number {case}")
}

/// The stored reports of the failures of a campaign.
///
/// # Errors
/// If a report cannot be read, or is of another version.
pub fn stored_entries(folder: &Path, summary: &Summary) -> Result<Vec<Entry>, CampaignError> {
    let entry = |failure: &Failure| {
        let of_failure = folder.join(&failure.folder);
        let report = stored_report(&of_failure)?;
        let note = match &report {
            Some(_) => None,
            None => Some("the campaign was stopped before its case was stored".to_owned()),
        };
        let page = of_failure.join("report.html").is_file();
        Ok(Entry { failure: failure.clone(), report, note, page })
    };
    summary.failures.iter().map(entry).collect()
}

/// The stored report of a failure, if there is one.
///
/// # Errors
/// If it cannot be read, or is of another version.
pub fn stored_report(folder: &Path) -> Result<Option<Report>, CampaignError> {
    let path = folder.join("report.json");
    match fs::read_to_string(&path) {
        Ok(text) => match Report::parse(&text) {
            Ok(report) => Ok(Some(report)),
            Err(source) => Err(CampaignError::Report { path, source }),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CampaignError::File { path, source }),
    }
}

/// Programs of a case as assembly text.
fn program_text(case: &Case) -> String {
    let isa = drra_isa::Revision::R4.isa();
    let mut text = String::new();
    for &(row, col) in &case.io_cells {
        text += &format!(".IOCELL <{row},{col}>\n");
    }
    for ((row, col), words) in case.program.cells() {
        text += &format!("CELL <{row},{col}>\n");
        for line in drra_isa::disassemble(isa, words, case.io_cells.contains(&(row, col))) {
            text += &format!("        {}\n", line.text);
        }
    }
    text
}
