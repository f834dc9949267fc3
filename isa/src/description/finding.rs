// SPDX-License-Identifier: MIT OR Apache-2.0
//! The findings of the loader.

use std::fmt;

/// One error or warning of the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `ISA-E01` .. `ISA-E18`, `ISA-W01` .. `ISA-W03`.
    pub code: &'static str,
    /// JSON pointer of the offending element.
    pub pointer: String,
    /// The problem.
    pub message: String,
}

impl Finding {
    /// True for errors, false for warnings.
    pub fn is_error(&self) -> bool {
        self.code.starts_with("ISA-E")
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.pointer, self.message)
    }
}

#[derive(Default)]
pub(super) struct Check {
    pub(super) findings: Vec<Finding>,
}

impl Check {
    pub(super) fn add(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding { code, pointer: pointer.into(), message: message.into() });
    }
}
