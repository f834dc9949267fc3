// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings, collected by kind and port.

use std::collections::BTreeMap;

use drra_isa::{CellId, Unit};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kind::Kind;

/// A probable mistake in a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Its kind.
    pub kind: Kind,
    /// The cell, column or tile.
    pub unit: Unit,
    /// The port, input or slot of the unit; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub port: String,
    /// Canonical path of the register to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// The instruction: the cell that decodes it, and the address of its first word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<(CellId, usize)>,
    /// Line of the instruction in the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// First cycle in which it happens; absent if the text alone shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// Number of times it happens.
    pub count: u64,
    /// What happens, for the first time.
    pub text: String,
    /// Chapter and section that define it.
    pub section: &'static str,
}

impl Finding {
    /// Unit and port, in words: `cell[0][1] w0`, `cell[0][0]`.
    pub fn place(&self) -> String {
        format!("{} {}", self.unit, self.port).trim_end().to_owned()
    }

    /// The finding in a line: place, cycle, what happens, how often, the section of the chapters, and what to do.
    pub fn sentence(&self) -> String {
        let cycle = self.cycle.map_or_else(String::new, |cycle| format!(" in cycle {cycle}"));
        let times = match self.count {
            1 => String::new(),
            count => format!(" (first of {count})"),
        };
        format!(
            "{}{cycle}{times}: {} ({}); {}",
            self.place(),
            self.text,
            self.section,
            self.kind.help()
        )
    }

    /// A finding in a unit, without port, instruction and cycle.
    pub(crate) fn new(kind: Kind, unit: impl Into<Unit>, text: impl Into<String>) -> Self {
        Self {
            kind,
            unit: unit.into(),
            port: String::new(),
            register: None,
            instruction: None,
            line: None,
            cycle: None,
            count: 1,
            text: text.into(),
            section: kind.section(),
        }
    }
}

/// Format version of a file with findings.
pub const VERSION: u32 = 1;

/// The findings of a program, as a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProgramFindings {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// The file, as it was named.
    pub program: String,
    /// Length of the run in cycles.
    pub cycles: u64,
    /// Number of findings that a comment in the file allows.
    pub allowed: usize,
    /// The findings.
    pub findings: Vec<Finding>,
}

impl ProgramFindings {
    /// The text of a file with the findings of some programs, which follows `findings.schema.json`.
    ///
    /// # Panics
    /// Never: findings are plain data.
    pub fn to_json(all: &[Self]) -> String {
        serde_json::to_string_pretty(all).expect("plain data")
            + "
"
    }
}

/// The findings of a program: one for each kind and port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings(BTreeMap<(Kind, Unit, String), Finding>);

impl Findings {
    /// Adds a finding, or counts it if there is one of its kind at this port.
    pub(crate) fn add(&mut self, finding: Finding) {
        let key = (finding.kind, finding.unit, finding.port.clone());
        let count = finding.count;
        self.0.entry(key).and_modify(|first| first.count += count).or_insert(finding);
    }

    /// The findings in the order of kinds and units.
    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.0.into_values().collect()
    }
}
