// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a campaign other than its journal: summary, page, JUnit report, RTL coverage, and the folders of its
//! failures.

use std::{fs, io, path::Path};

use drra_coverage::rtl::{self, RtlCoverageError};
use drra_diagnose::signature::{self, folder_name};
use drra_files::{shell, write_partial, write_whole};
use drra_lockstep::CoverageCounter;
use drra_report::Report;
use drra_results::{
    Bundle, FailureEntry,
    summary::{Failure, Summary, profile_argument},
};

use crate::{
    CampaignError, CampaignSettings, Tally,
    error::{of_file, unusable},
    journal::{self, JournalHeader},
};

/// Name of the file with the RTL coverage, in builds that collect it.
pub const RTL_COVERAGE: &str = "rtl_coverage.dat";

/// Writes summary, page, JUnit report and hit bins of a campaign.
///
/// # Errors
/// If a file cannot be written.
pub fn publish(
    folder: &Path,
    header: &JournalHeader,
    tally: &Tally,
    summary: &Summary,
    entries: &[FailureEntry],
) -> Result<(), CampaignError> {
    let coverage = tally.coverage();
    let page = drra_results::CampaignPage { summary, shard: header.shard, coverage, entries };
    for (name, text) in [
        ("summary.json", summary.to_json()),
        ("index.html", page.page()),
        ("junit.xml", drra_results::junit::campaign(summary, entries)),
    ] {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(of_file(&path))?;
    }
    journal::write_hits(folder, header, tally)
}

/// Writes the RTL coverage that a design collected; a resumed campaign adds it to the coverage of its earlier parts.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn publish_counts(
    folder: &Path,
    resumed: bool,
    counts: &dyn CoverageCounter,
) -> Result<(), CampaignError> {
    let path = folder.join(RTL_COVERAGE);
    let add = |partial: &Path| -> Result<(), CampaignError> {
        counts.write(partial)?;
        if resumed && path.is_file() {
            let sums = rtl::sums(&[&path, partial]).map_err(of_counts)?;
            fs::write(partial, sums).map_err(of_file(&path))?;
        }
        Ok(())
    };
    let mut failed = None;
    let written = write_partial(&path, |partial| {
        add(partial).map_err(|e| {
            failed = Some(e);
            io::Error::other("not written")
        })
    });
    written.map_err(|e| failed.unwrap_or_else(|| of_file(&path)(e)))
}

/// The error for a file with RTL coverage that cannot be read.
fn of_counts(error: RtlCoverageError) -> CampaignError {
    match error {
        RtlCoverageError::Read { path, source } => CampaignError::File { path, source },
        RtlCoverageError::NoPoint { path, line } => {
            let what = format!("line {line} is not a coverage point");
            let source = io::Error::new(io::ErrorKind::InvalidData, what);
            CampaignError::File { path, source }
        }
    }
}

/// Updates the report of a failure whose folder was copied into a merged campaign: its commands then name the copy, and
/// the common situations and sizes are those of the merged campaign.
///
/// # Errors
/// If the report cannot be read or written, or has another version.
pub fn update_report(folder: &Path, failure: &Failure) -> Result<(), CampaignError> {
    let Some(mut report) = stored_report(folder)? else { return Ok(()) };
    report.repeat = repeat_command(folder);
    report.set_chapters(report.chapters.is_some());
    report.common.clone_from(&failure.common);
    report.fabrics.clone_from(&failure.fabrics);
    Ok(Bundle::create(folder)?.write_report(&report, None, Some(drra_results::INDEX_PATH))?)
}

/// The command that runs the stored case of a failure again.
pub fn repeat_command(folder: &Path) -> String {
    format!("drra replay {}", shell::path(&folder.join("case.json")))
}

/// The command that regenerates a case of a campaign and runs it.
pub fn generate_command(settings: &CampaignSettings, case: u64, compare_from: u64) -> String {
    let profile = profile_argument(&settings.profile.name, settings.profile_file.as_deref());
    let seed = settings.seed;
    let fabric = match &settings.profile.fabrics.sizes()[..] {
        [one] if !settings.profile.fabrics.is_empty() => format!(" --fabric {one}"),
        _ => String::new(),
    };
    let from = match compare_from {
        0 => String::new(),
        from => format!(" --compare-from {from}"),
    };
    format!("drra replay --profile {profile}{fabric} --seed {seed} --number {case}{from}")
}

/// The folder of a failure, relative to the folder of its campaign. Earlier versions wrote one folder for each variant,
/// or used other names; for such campaigns, the folder of the first variant is returned.
pub fn stored_folder(folder: &Path, failure: &Failure) -> String {
    let names = failure.variants.iter().map(|v| v.signature.clone());
    let names = names.chain(signature::earlier(&failure.signature));
    let stored = names.map(|name| format!("failures/{}", folder_name(&name)));
    let mut all = std::iter::once(failure.folder.clone()).chain(stored);
    all.find(|name| folder.join(name).is_dir()).unwrap_or_else(|| failure.folder.clone())
}

/// The stored reports of the failures of a campaign.
///
/// # Errors
/// If a report cannot be read, or has another version.
pub fn stored_entries(
    folder: &Path,
    summary: &Summary,
) -> Result<Vec<FailureEntry>, CampaignError> {
    let entry = |failure: &Failure| {
        let of_failure = folder.join(&failure.folder);
        let report = stored_report(&of_failure)?;
        let note = match &report {
            Some(_) => None,
            None => Some("the campaign was stopped before its case was stored".to_owned()),
        };
        let page = of_failure.join("report.html").is_file();
        Ok(FailureEntry { failure: failure.clone(), report, note, page })
    };
    summary.failures.iter().map(entry).collect()
}

/// The stored report of a failure, if there is one.
///
/// # Errors
/// If the report cannot be read, or has another version.
pub fn stored_report(folder: &Path) -> Result<Option<Report>, CampaignError> {
    let path = folder.join("report.json");
    match fs::read_to_string(&path) {
        Ok(text) => match Report::parse(text.trim_start_matches('\u{feff}')) {
            Ok(report) => Ok(Some(report)),
            Err(e) => Err(unusable(
                format!("{}: {e}", path.display()),
                "delete the file, and write it again with drra report",
            )),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CampaignError::File { path, source }),
    }
}
