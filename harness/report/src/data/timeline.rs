// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of the blocks of some units, cycle by cycle.

use drra_fabric::{AguId, CrossbarPort, Generator, MessageKind, Side};
use drra_isa::Unit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{reading::Reading, surroundings::SequencerActivity};

/// Activities of units, on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// Its rows.
    pub rows: Vec<TimelineRow>,
}

/// Activity of one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimelineRow {
    /// Unit.
    pub unit: Unit,
    /// Part of the unit.
    pub part: UnitPart,
    /// The activity in the golden model.
    pub golden: Vec<ActivitySpan>,
    /// The activity in the RTL.
    pub rtl: Vec<ActivitySpan>,
}

/// A part of a unit whose activity is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum UnitPart {
    /// Sequencer of a cell.
    Sequencer,
    /// AGU of a register file.
    Agu { agu: AguId },
    /// DPU of a cell.
    Dpu,
    /// Messages that a cell sends.
    Messages,
    /// I/O AGU of a column.
    IoAgu { generator: Generator },
    /// Side of a tile.
    Side { side: Side },
    /// SRAM AGU of a tile.
    SramAgu { generator: Generator },
    /// Data at a crossbar output of a tile.
    Data { output: CrossbarPort },
}

/// An activity over some cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Span")]
pub struct ActivitySpan {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// The activity.
    pub activity: Activity,
}

/// Activity of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Activity {
    /// A sequencer was not idle.
    Sequencer { activity: SequencerActivity },
    /// A generator or DPU was in a state or mode.
    State { reading: Reading },
    /// A message was about to leave a cell, or was waiting for a flag.
    Message { message: MessageKind, waits: bool },
    /// A side received the configuration in an SRAM instruction.
    SramTaken,
    /// A path through a side was open.
    PathOpen,
    /// A ROUTE was passed on.
    RoutePassed,
    /// An SRAM was passed on.
    SramPassed,
    /// A block was at an output; `word` is its word 0.
    Data { word: u16 },
}
