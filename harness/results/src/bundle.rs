// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a failure: its case, the output of the design, the waves around the mismatch, and the report as text,
//! data and page.
//!
//! A worker sends the report and the waves to the process that runs the command, and only that process writes files:
//! it continues when a worker crashes or hangs.

use std::{
    fs,
    io::{self, Cursor},
    path::{Path, PathBuf},
};

use drra_case::Case;
use drra_files::write_whole;
use drra_report::{
    Colouring, Report, ReportInput,
    data::RuleInputValue,
    waves::{self, WaveError},
};
use serde::{Deserialize, Serialize};

/// Path to the page of a campaign, from the folder of one of its failures.
pub const INDEX_PATH: &str = "../../index.html";

/// Name of the file with the output of the design.
pub const LOG_FILE: &str = "model.log";

/// The reason a file or folder of a failure cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct BundleError {
    pub path: PathBuf,
    /// The cause of the error.
    pub source: io::Error,
}

/// The waves around a mismatch, and the files that open them in viewers with the signals between blocks that the report
/// names and the inputs of the rule that it cites.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WaveFiles {
    fst: Vec<u8>,
    gtkw: String,
    sucl: String,
}

impl WaveFiles {
    /// The waves around the mismatch that this report describes.
    ///
    /// # Errors
    /// If the writer of waves has a bug.
    pub fn of(subject: &ReportInput<'_>, report: &Report) -> Result<Self, WaveError> {
        let log = &subject.around.log;
        let from = subject.failing.mismatch.cycle.saturating_sub(waves::BEFORE);
        let mut fst = Vec::new();
        let values = |signal, cycle| subject.around.signal(signal, cycle);
        let (signals, file) = (report.rule.compared_signals(), Cursor::new(&mut fst));
        let mut recorded = waves::write(log, subject.case, from, (&signals, &values), file)?;
        let registers = report.rule.inputs.iter().filter_map(|input| match input {
            RuleInputValue::Register(reading) => Some(reading.location),
            _ => None,
        });
        recorded.inputs = registers.map(|l| (l, l.register.width(log.geometry()))).collect();
        Ok(Self { fst, gtkw: recorded.gtkwave("wave.fst"), sucl: recorded.surfer() })
    }
}

/// The folder of a failure. Every file in it is complete or absent.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a>(&'a Path);

impl<'a> Bundle<'a> {
    /// The folder, which is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(folder: &'a Path) -> Result<Self, BundleError> {
        let of = |source| BundleError { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map(|()| Self(folder)).map_err(of)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(self, name: &str, contents: &[u8]) -> Result<(), BundleError> {
        let path = self.0.join(name);
        write_whole(&path, contents).map_err(|source| BundleError { path, source })
    }

    /// Writes the case.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_case(self, case: &Case) -> Result<(), BundleError> {
        self.write("case.json", drra_case::to_json(case).as_bytes())
    }

    /// Writes the output of the design, if there is any.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_log(self, printed: &str) -> Result<(), BundleError> {
        if printed.is_empty() { Ok(()) } else { self.write(LOG_FILE, printed.as_bytes()) }
    }

    /// Writes a failing case, the output of the design, the waves and the report.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_failure(
        self,
        case: &Case,
        printed: &str,
        waves: Option<&WaveFiles>,
        report: &Report,
    ) -> Result<(), BundleError> {
        self.write_case(case)?;
        self.write_log(printed)?;
        self.write_report(report, waves, None)
    }

    /// Writes the waves, if there are new ones, and the report as text, as JSON and as a page. The page links to the
    /// other files in the folder, and to sources if the folder is in a checkout; `index` is the page of the campaign.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_report(
        self,
        report: &Report,
        waves: Option<&WaveFiles>,
        index: Option<&str>,
    ) -> Result<(), BundleError> {
        if let Some(WaveFiles { fst, gtkw, sucl }) = waves {
            self.write("wave.fst", fst)?;
            self.write("wave.gtkw", gtkw.as_bytes())?;
            self.write("wave.sucl", sucl.as_bytes())?;
        }
        let text = format!("{}\n{}", report.heading(), report.text(Colouring::Plain));
        self.write("report.txt", text.as_bytes())?;
        self.write("report.json", report.to_json().as_bytes())?;
        let folder = self.0.canonicalize().unwrap_or_default();
        let link = |name: &str| {
            let up = folder.ancestors().position(|above| above.join(name).is_file())?;
            Some("../".repeat(up) + name)
        };
        self.write("report.html", report.page(index, &link).as_bytes())
    }
}
