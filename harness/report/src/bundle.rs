// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a failure: text, data, page and waves.

use std::path::{Path, PathBuf};

use drra_case::output::write_whole;

use crate::{
    build::Subject,
    data::{Input, Report},
    html::FILES,
    terminal::Paint,
    waves::{self, WaveError},
};

/// Path to the page of a campaign, from the folder of one of its failures.
pub const INDEX: &str = "../../index.html";

/// The reason a bundle could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct BundleError {
    pub path: PathBuf,
    /// The cause of the error.
    pub source: WaveError,
}

fn write(path: PathBuf, text: &str) -> Result<(), BundleError> {
    write_whole(&path, text.as_bytes())
        .map_err(|e| BundleError { path, source: WaveError::File(e) })
}

/// Writes the waves around the mismatch of a case, and the files that open them in viewers with the inputs of the
/// rule that the report cites.
///
/// # Errors
/// If a file cannot be written.
pub fn write_waves(
    folder: &Path,
    subject: &Subject<'_>,
    report: &Report,
) -> Result<(), BundleError> {
    let path = folder.join("wave.fst");
    let log = &subject.around.log;
    let from = subject.failing.mismatch.cycle.saturating_sub(waves::BEFORE);
    let mut recorded = waves::write(log, subject.case, from, &path)
        .map_err(|source| BundleError { path, source })?;
    let registers = report.rule.inputs.iter().filter_map(|input| match input {
        Input::Register(reading) => Some(reading.location),
        _ => None,
    });
    recorded.inputs = registers.map(|l| (l, l.register.width(log.geometry()))).collect();
    write(folder.join("wave.gtkw"), &recorded.gtkwave("wave.fst"))?;
    write(folder.join("wave.sucl"), &recorded.surfer())
}

/// Writes a report as text, as JSON and as a page. The page links to the other files in the folder; `index` is the page
/// of the campaign.
///
/// # Errors
/// If a file cannot be written.
pub fn write_report(
    folder: &Path,
    report: &Report,
    index: Option<&str>,
) -> Result<(), BundleError> {
    let text = format!("{}\n{}", report.heading(), report.text(Paint::Plain));
    write(folder.join("report.txt"), &text)?;
    write(folder.join("report.json"), &report.to_json())?;
    let files: Vec<&str> =
        FILES.iter().map(|(f, _)| *f).filter(|f| folder.join(f).is_file()).collect();
    write(folder.join("report.html"), &report.page(index, &files))
}
