// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction set description files (chapter 1, section 6): data model and loader.

mod build;
mod finding;
mod model;
mod modes;
mod schema;
mod semantics;

use serde_json::Value;

use crate::json::LocatedValue;
use finding::Check;
pub use finding::Finding;
pub use model::{Field, Instruction, Isa, ModeEntry};

/// Result of the loader.
#[derive(Clone, Debug)]
pub struct LoadResult {
    /// Errors and warnings in the order of the checks.
    pub findings: Vec<Finding>,
    /// The description, if there is no error.
    pub isa: Option<Isa>,
}

impl LoadResult {
    /// Only the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.is_error())
    }
}

/// Reads a description and runs every check of chapter 1, 6.2. ISA-E01 and ISA-E02 end the checks;
/// after any other error, the checks continue.
pub fn load(text: &str) -> LoadResult {
    let mut check = Check::default();
    let json: Value = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(e) => {
            check.add("ISA-E01", "", format!("not JSON: {e}"));
            return LoadResult { findings: check.findings, isa: None };
        }
    };
    let root = LocatedValue::root(&json);
    check.schema(&root);
    if check.findings.iter().any(Finding::is_error) {
        return LoadResult { findings: check.findings, isa: None };
    }
    let isa = build::build(&root);
    check.semantics(&root, &isa);
    let failed = check.findings.iter().any(Finding::is_error);
    LoadResult { findings: check.findings, isa: (!failed).then_some(isa) }
}
