// SPDX-License-Identifier: MIT OR Apache-2.0
//! The neighbourhood of the mismatch, how the difference spreads, and which connections are in use.

use drra_fabric::{AguId, Generator, Side};
use drra_isa::{Opcode, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reading::{Reading, RegisterReading};

/// Changes of the unit of the mismatch at one clock edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitChanges {
    /// The first cycle with the new values.
    pub cycle: u64,
    /// Changes of the golden model.
    pub golden: Vec<RegisterReading>,
    /// Changes of the RTL.
    pub rtl: Vec<RegisterReading>,
}

/// The unit of the mismatch, or a unit near it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// The unit.
    pub unit: Unit,
    /// Position relative to the unit of the mismatch.
    pub direction: Direction,
    /// Activity in the golden model.
    pub state: UnitState,
    /// Number of differing registers of the unit.
    pub differing: usize,
}

/// Position of a unit relative to another unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The unit itself.
    Itself,
    /// One row up.
    North,
    /// One row down.
    South,
    /// One column right.
    East,
    /// One column left.
    West,
    /// The cell of the same column in the other row.
    OtherRow,
    /// The cell in row 0 of a column.
    Row0,
    /// The cell in row 1 of a column.
    Row1,
    /// The column of a cell or of a home tile.
    Column,
    /// The tile on top of a column.
    HomeTile,
}

/// Activity of a unit in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum UnitState {
    /// A cell.
    Cell {
        sequencer: SequencerActivity,
        /// Mode of the DPU, if it is not idle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dpu: Option<Reading>,
        /// AGUs that are not idle, with state and address.
        agus: Vec<GeneratorState<AguId>>,
    },
    /// A column: the I/O AGUs that are not idle.
    Column { generators: Vec<GeneratorState<Generator>> },
    /// A tile: the sides at which paths enter, and the SRAM AGUs that are not idle.
    Tile { paths: Vec<Side>, generators: Vec<GeneratorState<Generator>> },
}

/// Activity of a sequencer in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SequencerActivity {
    /// The sequencer is neither storing nor executing a program.
    Idle,
    /// The sequencer is storing a program.
    Load,
    /// The sequencer is executing an instruction.
    Run {
        address: u8,
        /// The opcode; absent if the code is not an instruction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opcode: Option<Opcode>,
    },
}

/// An address generator that is not idle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratorState<T> {
    /// Its identity.
    pub generator: T,
    /// Its state.
    pub state: Reading,
    /// Current address, which has no meaning in INIT_WAIT.
    pub address: u64,
}

/// Units that differ in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spread")]
pub struct DifferenceSpread {
    /// The cycle.
    pub cycle: u64,
    /// Each unit with the number of its differing registers and output ports.
    pub units: Vec<(Unit, usize)>,
}

/// A connection between two units.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Source unit.
    pub from: Unit,
    /// Destination unit.
    pub to: Unit,
    /// Its kind.
    pub kind: LinkKind,
    /// True if the connection is part of the provenance of the diverging value.
    pub data_path: bool,
}

/// Kinds of connections.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// An input connected to a lane of another cell.
    Switchbox,
    /// A connection for blocks between tiles, between a tile and its column, or between a column and a cell.
    Noc,
}
