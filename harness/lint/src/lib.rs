// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probable mistakes in programs: what a run on the golden model does that is rarely intended, such as storing a word
//! that does not arrive, and what the words of a program show without a run.
//!
//! ```
//! use std::path::Path;
//!
//! use drra_case::load::{load_as, ProgramInputs};
//! use drra_isa::{Geometry, TextFormat};
//! use drra_lint::{Kind, lint};
//!
//! // Nothing connects w0.
//! let text = "CELL <0,0>\nREFI port_no=w0, init_addr=3\nWAIT cycle=2\nHALT\n".to_owned();
//! let (path, size) = (Path::new("p.sasm"), Geometry::default());
//! let program = load_as(path, text, TextFormat::Source, &ProgramInputs::default(), &size).unwrap();
//! let found = lint(&program, None).unwrap().findings;
//! assert_eq!((found[0].kind, found[0].line), (Kind::StoreUnconnected, Some(2)));
//! ```

mod finding;
mod kind;
mod run;
mod silence;
mod text;

use drra_case::load::LoadedCase;
use drra_isa::{CellId, SourceLine, TextFormat};
use drra_lockstep::GoldenResult;

pub(crate) use finding::Findings;
pub use finding::{Finding, ProgramFindings, VERSION};
pub use kind::{Kind, Level};
pub use silence::CommentError;

/// The findings of a program.
#[derive(Clone, Debug)]
pub struct Lint {
    /// One finding for each kind and port, without those that a comment allows.
    pub findings: Vec<Finding>,
    /// Number of findings that a comment allows.
    pub allowed: usize,
    /// The end of the run.
    pub run: GoldenResult,
}

/// Runs a program or case on the golden model and finds its mistakes; `cycles` overrides the length of the run.
///
/// # Errors
/// If a comment that allows a finding cannot be read.
pub fn lint(program: &LoadedCase, cycles: Option<u64>) -> Result<Lint, CommentError> {
    let text = program.text.as_deref().unwrap_or_default();
    let allowed = silence::Allowed::read(text, &program.lines)?;
    let mut findings = Findings::default();
    text::check(&program.case, &program.raw_values, &mut findings);
    let run = run::check(program, cycles, &mut findings);
    let compiled = !matches!(program.form, TextFormat::Source | TextFormat::Manas);
    let mut findings = findings.into_vec();
    findings.retain(|finding| !(compiled && finding.kind.is_field()));
    for finding in &mut findings {
        finding.line = finding.instruction.and_then(|place| line_of(&program.lines, place));
    }
    let before = findings.len();
    findings.retain(|finding| !allowed.allows(finding));
    Ok(Lint { allowed: before - findings.len(), findings, run })
}

/// The line of the instruction at an address of a cell.
fn line_of(lines: &[SourceLine], (cell, address): (CellId, usize)) -> Option<usize> {
    lines.iter().find(|line| line.cell == cell && line.address == address).map(|line| line.line)
}
