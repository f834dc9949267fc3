// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of comparing a design by its waveform or in a running simulation: the verdict in words, and the report.

use std::{fmt::Display, path::Path};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::{ComparisonCoverage, DutError, Outcome, RunSetup};
use drra_report::{Report, ReportInput, waves::WaveError};

use crate::{Bundle, BundleError, WaveFiles};

/// The reason there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The mismatch cannot be reproduced.
    #[error(transparent)]
    Dut(#[from] DutError),
    #[error(transparent)]
    Waves(#[from] WaveError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// Explains the mismatch of a run, if there is one, and writes its files into a folder. `repeat` is the command that
/// reproduces it; `checkout` is true if the chapters can be asked.
///
/// # Errors
/// If the mismatch cannot be reproduced, or a file cannot be written.
pub fn explain(
    case: &Case,
    setup: RunSetup<'_>,
    outcome: &Outcome,
    repeat: &str,
    checkout: bool,
    folder: Option<&Path>,
) -> Result<Option<Report>, ExplainError> {
    let recorded = signature::recorded(case, &setup, &mut outcome.clone())?;
    let Some((failing, around)) = recorded else { return Ok(None) };
    let subject =
        ReportInput { case, failing: &failing, around: &around, setup, repeat, reduced: None };
    let mut report = drra_report::build(&subject);
    report.set_chapters(checkout);
    if let Some(folder) = folder {
        let waves = WaveFiles::of(&subject, &report)?;
        Bundle::create(folder)?.write_failure(case, "", Some(&waves), &report)?;
    }
    Ok(Some(report))
}

/// The text for a design that agrees, with the state that was not compared, one line per reason. `busy` names the units
/// that are still busy at the end.
pub fn agreement(
    name: &str,
    design: &str,
    compared: &ComparisonCoverage,
    busy: Option<&dyn Display>,
) -> String {
    let end = busy.map_or_else(String::new, |busy| {
        format!(
            "; the fabric is still busy in the last of these cycles ({busy}), so later differences are possible"
        )
    });
    let mut text = format!("{name}: golden model and {design} agree in {}{end}", compared.text());
    for line in compared.lines() {
        text += &format!("\n  not compared: {line}");
    }
    text
}

/// The reason why an agreement counts for nothing: nothing, or less than `least` percent of the state, was compared.
pub fn too_little(compared: &ComparisonCoverage, least: Option<f64>) -> Option<String> {
    if compared.compared().bits == 0 {
        return Some("none of the state was compared".to_owned());
    }
    let least = least.filter(|least| compared.percent() < *least)?;
    let text = compared.percent_text();
    Some(format!("only {text} of the state was compared; {least} % is required"))
}
