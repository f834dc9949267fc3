// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as data: numbers and identities. Only the views turn the data into sentences.

mod common;
mod instruction;
mod mismatch;
mod path;
mod reading;
mod rule;
mod surroundings;
mod timeline;
mod variation;

use drra_diagnose::signature;
use drra_isa::{Geometry, SizeNumbers};
use drra_lockstep::ComparisonCoverage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stored::{self, StoredError};

pub use common::*;
pub use instruction::*;
pub use mismatch::*;
pub use path::*;
pub use reading::*;
pub use rule::*;
pub use surroundings::*;
pub use timeline::*;
pub use variation::*;

/// Format version that this build writes, and the only version that it reads.
pub const VERSION: u32 = 2;

/// Everything known about a failure. The state of a cycle is the contents of the registers during that cycle. In files,
/// identities are stored as their names, and registers as the canonical paths of chapter 5, section 7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// Versions of `drra`, which made the report, and of the design's simulator.
    pub tool: ToolVersions,
    /// Size of the fabric.
    #[serde(with = "SizeNumbers")]
    #[schemars(with = "SizeNumbers")]
    pub fabric: Geometry,
    /// Identifies the failure.
    #[serde(deserialize_with = "signature::deserialize")]
    pub signature: String,
    /// The origin of the case.
    pub case: CaseInfo,
    /// Command that reproduces the mismatch.
    pub repeat: String,
    /// Command that compares both sides with the code of the chapters, to see which of the three is alone; missing if
    /// the program knew no checkout of its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapters: Option<String>,
    /// The result of shrinking, for a reduced case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReductionSizes>,
    /// What decides whether the reduced case fails; absent if it was not varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
    /// Situations that the failing cases of the campaign have in common; the situations that best separate failing from
    /// agreeing cases come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<CommonSituation>,
    /// Failing cases of the campaign by fabric size; empty if the campaign has fewer than two sizes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fabrics: Vec<FabricFailures>,
    /// Comparison coverage, for a design with a signal map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<ComparisonCoverage>,
    /// The first difference.
    pub mismatch: ReportedMismatch,
    /// The rule that decides which side is right, and its inputs.
    pub rule: AppliedRule,
    /// Instruction that had set up the block in which the difference originated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<ResponsibleInstruction>,
    /// The last changes of the unit of the mismatch on both sides, oldest first.
    pub changes: Vec<UnitChanges>,
    /// The unit of the mismatch and its neighbours in the cycle of the mismatch.
    pub neighbours: Vec<Neighbour>,
    /// The steps by which the value arrived, nearest first. A step belongs to the nearest preceding step with a smaller
    /// depth.
    pub path: Vec<PathStep>,
    /// The units that differ in each cycle, starting with the cycle of the mismatch.
    pub spread: Vec<DifferenceSpread>,
    /// Connections in use in the cycle before the mismatch, and connections along the provenance of the value.
    pub links: Vec<Link>,
    /// Activities of the units involved, around the mismatch.
    pub timeline: Timeline,
    /// Programs of the case.
    pub program: Vec<CellProgram>,
}

/// The tools with which a report was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool")]
pub struct ToolVersions {
    /// Version of `drra`.
    pub version: String,
    /// Name and version of the design's simulator, usually Verilator.
    pub verilator: String,
}

/// The case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseInfo {
    /// Name for readers: the file, or the profile and seed.
    pub name: String,
    /// Seed of register bits without a reset value and of random bits on ports.
    pub seed: u64,
    /// Profile of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// True if the stimulus is given at the ports, cycle by cycle, instead of by programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ports: bool,
    /// First cycle whose differences count; in earlier cycles in which the design differs, it takes over the state of the
    /// golden model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub compare_from: u64,
    /// Seed of the generator for this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_seed: Option<u64>,
}

/// Sizes before and after shrinking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReductionSizes {
    /// Number of instructions in all programs: before and after.
    pub instructions: [usize; 2],
    /// Number of cells with a program: before and after.
    pub cells: [usize; 2],
    /// Number of cycles of the run: before and after.
    pub cycles: [u64; 2],
    /// Number of smaller cases that shrinking tried.
    pub steps: u64,
    /// True if nothing more could be removed.
    pub complete: bool,
}

impl ReductionSizes {
    /// The sizes in one line.
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
    /// Sets the command that asks the chapters, if the program knows a checkout of its version: the command that
    /// reproduces the mismatch, with an option.
    pub fn set_chapters(&mut self, checkout: bool) {
        self.chapters = checkout.then(|| format!("{} --chapters", self.repeat));
    }

    /// The text of `report.json`, which follows `report.schema.json`.
    ///
    /// # Panics
    /// Never: all of it is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Reads the text of a report file.
    ///
    /// # Errors
    /// If the file is not a report, or has another version.
    pub fn parse(text: &str) -> Result<Self, StoredError> {
        stored::parse(text, VERSION)
    }
}
