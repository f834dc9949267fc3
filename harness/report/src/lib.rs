// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a mismatch: what differs first, where, since when, who is responsible, how it
//! spreads, how to repeat it.
//!
//! A [`Report`] is plain data and holds everything that any form of it shows: [`text`](Report::text)
//! for a terminal, a page, `report.json` (`report.schema.json`). So a stored report can be shown
//! again by a later build, even when the case does not fail any more.
//!
//! The crate finds nothing out that is not in the run: who is responsible is the business of
//! `drra-diagnose`, and it starts no campaign.
//!
//! ```
//! use drra_diagnose::signature;
//! use drra_golden::Layout;
//! use drra_isa::Geometry;
//! use drra_lockstep::{Fault, Faulty, Flip, GoldenDesign, Setup};
//! use drra_report::{Paint, Subject, build};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let unit = Layout::new(&geometry).units()[0];
//! let flip = Flip { cycle: 30, unit, register: "rf.mem[40]".into(), bit: 3 };
//! let design = Faulty::new(GoldenDesign, Fault::Flip(flip));
//! let setup = Setup { geometry: &geometry, design: &design, cycles: None };
//! let failing = signature::check(&case, &setup).unwrap().unwrap();
//! let repeat = "drra replay case.json";
//! let subject = Subject { case: &case, failing: &failing, setup, repeat, reduced: None };
//! let text = build(&subject).unwrap().text(Paint::Plain);
//! assert!(text.contains("MISMATCH in cycle 30: cell[0][0].rf.mem[40] differs"));
//! ```

mod build;
mod bundle;
mod data_path;
pub mod github;
mod html;
pub mod junit;
mod recording;
mod registers;
pub mod summary;
mod text;
mod timeline;
mod verdict;
pub mod waves;

use serde::Deserialize;
use serde::Serialize;

pub use build::Subject;
pub use build::build;
pub use bundle::BundleError;
pub use bundle::INDEX;
pub use bundle::write_report;
pub use bundle::write_waves;
pub use html::Campaign;
pub use html::Entry;
pub use text::Paint;

/// Version of the format that this build writes; it reads no other.
pub const VERSION: u32 = 1;

/// Everything that is known about a failure. Paths are the canonical ones of chapter 5, section 7;
/// values are hexadecimal text; the state of a cycle is the content of the registers during it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Version of the format.
    pub version: u32,
    /// What wrote it.
    pub tool: Tool,
    /// Size of the fabric.
    pub fabric: Fabric,
    /// What makes the failure distinct.
    pub signature: String,
    /// The case.
    pub case: CaseInfo,
    /// Command that shows the mismatch again.
    pub repeat: String,
    /// What the reduction did, for a reduced case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Reduced>,
    /// What differs first.
    pub mismatch: Mismatch,
    /// The rule that decides who is right, and what it looks at.
    pub verdict: Verdict,
    /// Instruction that had set up the block in which the difference arose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Instruction>,
    /// The last changes of the unit on both sides.
    pub events: Vec<Event>,
    /// What is around the unit, in the cycle of the mismatch.
    pub neighbours: Vec<Neighbour>,
    /// Where the value came from, nearest first.
    pub path: Vec<PathStep>,
    /// Which units differ in the cycles from the mismatch on.
    pub spread: Vec<Spread>,
    /// Connections in use in the cycle before the mismatch.
    pub links: Vec<Link>,
    /// What the units involved did around the mismatch.
    pub timeline: Timeline,
    /// Programs of the case.
    pub program: Vec<CellProgram>,
}

/// What wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Version of this package.
    pub version: String,
    /// Verilator that made the model.
    pub verilator: String,
}

/// Size of a fabric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Columns of cells and tiles.
    pub columns: usize,
    /// Rows of tiles.
    pub tile_rows: usize,
    /// Words of a register file.
    pub rf_words: usize,
    /// Blocks of a tile's memory.
    pub sram_blocks: usize,
}

/// The case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseInfo {
    /// Its name.
    pub name: String,
    /// Seed of register bits without a reset value.
    pub seed: u64,
    /// Profile of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Seed of the generator for this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_seed: Option<u64>,
}

/// Sizes before and after the reduction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduced {
    /// Instructions.
    pub instructions: [usize; 2],
    /// Cells with a program.
    pub cells: [usize; 2],
    /// Cycles.
    pub cycles: [u64; 2],
    /// Runs that were done.
    pub steps: u64,
    /// Nothing was left to take away.
    pub complete: bool,
}

/// The first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    /// First cycle whose state differs; of a violated assertion the cycle in which it was.
    pub cycle: u64,
    /// First cycle in which a program word was on the load port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_program_cycle: Option<u64>,
    /// Registers that differ in that cycle, in table order; at most 64 of them.
    pub differences: Vec<Difference>,
    /// How many differ.
    pub total: usize,
    /// The output port that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<Port>,
    /// The assertion of the RTL that was violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertion: Option<Assertion>,
}

/// One register that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Unit, empty for the load pipeline.
    pub unit: String,
    /// Canonical path.
    pub path: String,
    /// Bits.
    pub width: u32,
    /// Value of both sides in the cycle before; `None` in cycle 0, and for a row of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Value of the golden model.
    pub golden: String,
    /// Value of the RTL.
    pub rtl: String,
    /// Bits that differ, highest first.
    pub bits: Vec<u32>,
}

/// An output port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Port and index.
    pub name: String,
    /// Value of the golden model.
    pub golden: String,
    /// Value of the RTL.
    pub rtl: String,
}

/// A violated assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// File and line.
    pub place: String,
    /// Name and scope of the instances.
    pub instances: Vec<[String; 2]>,
}

/// The rule that decides between RTL and golden model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Block in which the difference arose.
    pub block: String,
    /// Why that block, in a sentence.
    pub why: String,
    /// Chapter.
    pub chapter: String,
    /// Section of the chapter.
    pub section: String,
    /// The rule in a sentence.
    pub rule: String,
    /// Files of the RTL to look at.
    pub rtl: Vec<String>,
    /// File of the golden model.
    pub golden: String,
    /// What the golden model did.
    pub expected: String,
    /// What the RTL did.
    pub observed: String,
    /// What the rule looks at, in the cycle before the mismatch: both sides agree on the registers.
    pub inputs: Vec<Input>,
}

/// Something that a rule looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Register or signal.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// An instruction that a cell decoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// Row and column of the cell.
    pub cell: [usize; 2],
    /// Address of the first word.
    pub address: u8,
    /// Assembly text.
    pub text: String,
    /// Its immediate flag.
    pub immediate: bool,
    /// Cycle of the decode.
    pub decoded: u64,
    /// Cycle in which the flag, its own or that of a later instruction, handed it to its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<u64>,
}

/// Changes of the unit in one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The first cycle with the new values.
    pub cycle: u64,
    /// Changes of the golden model, `path = value`.
    pub golden: Vec<String>,
    /// Changes of the RTL.
    pub rtl: Vec<String>,
}

/// A unit near that of the mismatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// Its name.
    pub unit: String,
    /// Where it is from the unit of the mismatch.
    pub place: String,
    /// What it does, in the golden model.
    pub state: String,
    /// Registers of it that differ.
    pub differing: usize,
}

/// A step of the way that data or a configuration took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// Steps between it and the diverging register; steps of equal depth under one step are
    /// alternatives or operands.
    pub depth: usize,
    /// Cycle.
    pub cycle: u64,
    /// Unit.
    pub unit: String,
    /// What happened.
    pub text: String,
    /// Value in the golden model, which the RTL shares before the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Instruction that had set it up: `cell (r,c) @address NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Units that differ in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Cycle.
    pub cycle: u64,
    /// Unit and number of its registers that differ.
    pub units: Vec<(String, usize)>,
}

/// A connection between two units.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Unit that gives.
    pub from: String,
    /// Unit that takes.
    pub to: String,
    /// What it is.
    pub kind: LinkKind,
    /// The diverging value came this way.
    pub data_path: bool,
}

/// Kinds of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// An input that listens to a lane of another cell.
    Switchbox,
    /// A crossbar connection between tiles, or between a tile and its column.
    Noc,
}

/// What units did, both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// Its rows.
    pub rows: Vec<TimelineRow>,
}

/// What one block did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimelineRow {
    /// Unit and block.
    pub name: String,
    /// In the golden model.
    pub golden: Vec<Span>,
    /// In the RTL.
    pub rtl: Vec<Span>,
}

/// Something that lasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// What it was.
    pub label: String,
}

/// Program of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellProgram {
    /// Row and column.
    pub cell: [usize; 2],
    /// It is an I/O cell.
    pub io: bool,
    /// Its lines.
    pub lines: Vec<ProgramLine>,
}

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramLine {
    /// Address of the first word.
    pub address: usize,
    /// Assembly text.
    pub text: String,
    /// It is the responsible one.
    pub owner: bool,
    /// Cycles of its decodes near the mismatch.
    pub decoded: Vec<u64>,
}

/// Why a stored report cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// It was written by another version.
    #[error("report version {0} is unknown, this program reads version {VERSION}")]
    Version(u64),
    /// It is not a report.
    #[error("{path}: {message}")]
    Content {
        /// JSON path.
        path: String,
        /// What is wrong.
        message: String,
    },
}

impl Report {
    /// As a file, `report.schema.json`.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is none, or of another version.
    pub fn parse(text: &str) -> Result<Self, ReportError> {
        let content = |path: String, message: String| ReportError::Content { path, message };
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| content(".".into(), e.to_string()))?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(v) if v == u64::from(VERSION) => {}
            Some(v) => return Err(ReportError::Version(v)),
            None => return Err(content(".".into(), "this is no report: it has no version".into())),
        }
        serde_path_to_error::deserialize(value)
            .map_err(|e| content(e.path().to_string(), e.inner().to_string()))
    }

    /// The first difference in a few words: path, port or assertion.
    pub fn place(&self) -> String {
        match (&self.mismatch.differences.first(), &self.mismatch.port, &self.mismatch.assertion) {
            (Some(d), _, _) => d.path.clone(),
            (_, Some(port), _) => format!("output port {}", port.name),
            (_, _, Some(assertion)) => format!("assertion at {}", assertion.place),
            _ => "state".to_owned(),
        }
    }
}
