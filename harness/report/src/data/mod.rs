// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as data: numbers and identities. What they are called in sentences is the business of the
//! views.

mod instruction;
mod mismatch;
mod path;
mod reading;
mod rule;
mod surroundings;
mod timeline;

use drra_isa::{Geometry, SizeNumbers};
use drra_lockstep::Compared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    stored::{self, StoredError},
    summary::Common,
};

pub use instruction::*;
pub use mismatch::*;
pub use path::*;
pub use reading::*;
pub use rule::*;
pub use surroundings::*;
pub use timeline::*;

/// Version of the format that this build writes; it reads no other.
pub const VERSION: u32 = 2;

/// Everything that is known about a failure. The state of a cycle is the content of the registers
/// during it; identities stand in files as their names, registers as the canonical paths of chapter 5,
/// section 7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// Versions of the program and of Verilator that made the report.
    pub tool: Tool,
    /// Size of the fabric.
    #[serde(with = "SizeNumbers")]
    #[schemars(with = "SizeNumbers")]
    pub fabric: Geometry,
    /// What makes the failure distinct.
    pub signature: String,
    /// Where the case came from.
    pub case: CaseInfo,
    /// Command that shows the mismatch again.
    pub repeat: String,
    /// What the reduction did, for a reduced case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Reduced>,
    /// What the failing cases of the campaign have in common, what separates best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<Common>,
    /// How much of the state was compared, for a design that does not show everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// What differs first.
    pub mismatch: Mismatch,
    /// The rule that decides who is right, and what it looks at.
    pub rule: AppliedRule,
    /// Instruction that had set up the block in which the difference originated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<ResponsibleInstruction>,
    /// The last changes of the unit on both sides, oldest first.
    pub changes: Vec<UnitChanges>,
    /// What is around the unit, in the cycle of the mismatch.
    pub neighbours: Vec<Neighbour>,
    /// Where the value came from, nearest first. A step belongs to the last one before it with a
    /// smaller depth.
    pub path: Vec<PathStep>,
    /// Which units differ in the cycles from the mismatch on.
    pub spread: Vec<Spread>,
    /// Connections in use in the cycle before the mismatch, and those that the value took.
    pub links: Vec<Link>,
    /// What the units involved did around the mismatch.
    pub timeline: Timeline,
    /// Programs of the case.
    pub program: Vec<CellProgram>,
}

/// What wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Version of this package.
    pub version: String,
    /// Verilator that made the model.
    pub verilator: String,
}

/// The case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseInfo {
    /// Name for people: the file, or profile and seed.
    pub name: String,
    /// Seed of register bits without a reset value.
    pub seed: u64,
    /// Profile of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Its stimulus is given at the ports, cycle by cycle: there are no programs to write.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ports: bool,
    /// Seed of the generator for this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_seed: Option<u64>,
}

/// Sizes before and after the reduction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduced {
    /// Instructions of all programs: before, after.
    pub instructions: [usize; 2],
    /// Cells with a program: before, after.
    pub cells: [usize; 2],
    /// Cycles of the run: before, after.
    pub cycles: [u64; 2],
    /// Runs that were done.
    pub steps: u64,
    /// Nothing was left to take away.
    pub complete: bool,
}

impl Reduced {
    /// In one line.
    pub fn text(&self) -> String {
        let Self {
            instructions: [i, instructions], cells: [k, cells], cycles: [c, cycles], ..
        } = self;
        let stopped = if self.complete { "" } else { ", stopped at a limit" };
        format!(
            "reduced: instructions {i} to {instructions}, cells {k} to {cells}, cycles {c} to {cycles} ({} runs{stopped})",
            self.steps
        )
    }
}

impl Report {
    /// The text of `report.json`, which follows `report.schema.json`.
    ///
    /// # Panics
    /// Never: all of it is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is none, or of another version.
    pub fn parse(text: &str) -> Result<Self, StoredError> {
        stored::parse(text, VERSION)
    }
}

/// The schema of the file, `report.schema.json`.
///
/// # Panics
/// Never: a schema is plain data.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Report);
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}
