// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs first.

use drra_isa::{
    CellId, ColumnId, TileId, Unit,
    fabric::{Location, PortId},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{names::Named, reading::Reading};

/// The first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    /// First cycle whose state differs; of a violated assertion the cycle in which it was, of a recording that
    /// ends the last one recorded.
    pub cycle: u64,
    /// Where that cycle is in the recording of the design, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<String>,
    /// First cycle in which a program word was on the load port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_program_cycle: Option<u64>,
    /// What it is.
    pub what: Disagreement,
}

/// Kinds of differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Disagreement {
    /// Registers differ.
    State {
        /// Those that differ in that cycle, in table order; at most 64 of them.
        differences: Vec<Difference>,
        /// How many differ.
        total: usize,
    },
    /// No known bit of a register differs, but the design does not know some.
    Unknown {
        /// The registers, in table order; at most 64 of them.
        differences: Vec<Difference>,
        /// How many there are.
        total: usize,
    },
    /// The recording of the design ends before the case does.
    Ended {
        /// Last cycle of the case on the golden model.
        goes_on_to: u64,
        /// Cells that are still running.
        running: Vec<Named<CellId>>,
        /// What the file is in the middle of, if it is cut.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<String>,
    },
    /// The design was driven with something else than the case says.
    Stimulus {
        /// What it is.
        driven: Driven,
        /// Value in the case; none if the case has nothing there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        case: Option<Reading>,
        /// Value that was driven; none if nothing was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recorded: Option<Reading>,
    },
    /// All registers agree, output ports differ.
    Ports {
        /// The ports.
        ports: Vec<PortDifference>,
    },
    /// All registers agree, no known bit of an output port differs, but some are unknown.
    UnknownPorts {
        /// The ports.
        ports: Vec<PortDifference>,
    },
    /// The design violates one of its assertions.
    Assertion(Assertion),
}

/// One register that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The register.
    pub location: Named<Location>,
    /// Name that the design has for it, if it has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Value of both sides in the cycle before; none in cycle 0, and for a row of a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Reading>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
    /// Bits that differ, highest first.
    pub bits: Vec<u32>,
}

/// An output port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortDifference {
    /// The port.
    pub port: Named<PortId>,
    /// Its column, if every column has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Unit that drives it; none if that is the fabric as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Named<Unit>>,
    /// Value of the golden model.
    pub golden: Reading,
    /// Value of the RTL.
    pub rtl: Reading,
    /// Bits that differ, highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bits: Vec<u32>,
}

/// Something that drives a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Driven {
    /// A word of the program of a cell.
    Word {
        /// The cell.
        cell: Named<CellId>,
        /// Its number in the order of the load, from 0.
        number: usize,
    },
    /// The immediate flag of a word.
    Flag {
        /// The cell.
        cell: Named<CellId>,
        /// Number of the word in the order of the load, from 0.
        number: usize,
    },
    /// A row of a tile's memory that is initialised.
    Row {
        /// The tile.
        tile: Named<TileId>,
        /// The row.
        row: usize,
    },
    /// A block of a register file that is initialised.
    Block {
        /// The cell.
        cell: Named<CellId>,
        /// The block.
        block: usize,
    },
    /// Whether a cell is an I/O cell.
    IoCell {
        /// The cell.
        cell: Named<CellId>,
    },
    /// A block of an input buffer.
    Buffer {
        /// The column.
        column: usize,
        /// Its address.
        address: u32,
    },
}

/// A violated assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// What it is.
    #[serde(default, skip_serializing_if = "StopKind::is_assertion")]
    pub stop: StopKind,
    /// File of the RTL, without its folder.
    pub file: String,
    /// Line.
    pub line: u32,
    /// The instances that violate it.
    pub instances: Vec<AssertionInstance>,
}

/// What ends the simulation of a design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StopKind {
    /// A violated assertion.
    #[default]
    Assertion,
    /// The design ends it itself, with `$finish`.
    Finish,
    /// The simulator gives up.
    Fatal {
        /// Its words.
        message: String,
    },
    /// The design prints without end.
    Flood,
    /// The process that simulates it ends.
    Crash {
        /// The signal or the exit code, in words.
        cause: String,
        /// The last line that was printed, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        printed: Option<String>,
    },
    /// A clock cycle does not come to its end.
    Hang,
}

impl StopKind {
    fn is_assertion(&self) -> bool {
        *self == Self::Assertion
    }
}

/// An instance of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionInstance {
    /// Unit that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Named<Unit>>,
    /// Name of the assertion; empty if only its place is known.
    pub name: String,
    /// Scope in the RTL.
    pub scope: String,
    /// What it prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl From<drra_lockstep::Driven> for Driven {
    fn from(driven: drra_lockstep::Driven) -> Self {
        use drra_lockstep::Driven as Theirs;
        match driven {
            Theirs::Word(cell, number) => Self::Word { cell: cell.into(), number },
            Theirs::Flag(cell, number) => Self::Flag { cell: cell.into(), number },
            Theirs::Row(tile, row) => Self::Row { tile: tile.into(), row },
            Theirs::Block(cell, block) => Self::Block { cell: cell.into(), block },
            Theirs::IoCell(cell) => Self::IoCell { cell: cell.into() },
            Theirs::Buffer(column, address) => Self::Buffer { column: column.col(), address },
        }
    }
}

impl Difference {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.golden.value.width()
    }
}

impl PortDifference {
    /// The column as an identity.
    pub fn column(&self) -> Option<ColumnId> {
        self.column.and_then(ColumnId::new)
    }
}

impl Mismatch {
    /// Registers that differ or are unknown.
    pub fn differences(&self) -> &[Difference] {
        match &self.what {
            Disagreement::State { differences, .. } | Disagreement::Unknown { differences, .. } => {
                differences
            }
            Disagreement::Ports { .. }
            | Disagreement::UnknownPorts { .. }
            | Disagreement::Assertion(_)
            | Disagreement::Ended { .. }
            | Disagreement::Stimulus { .. } => &[],
        }
    }

    /// Output ports that differ or are unknown.
    pub fn ports(&self) -> &[PortDifference] {
        match &self.what {
            Disagreement::Ports { ports } | Disagreement::UnknownPorts { ports } => ports,
            Disagreement::State { .. }
            | Disagreement::Unknown { .. }
            | Disagreement::Assertion(_)
            | Disagreement::Ended { .. }
            | Disagreement::Stimulus { .. } => &[],
        }
    }

    /// The unit that differs first, or that drives the port that does.
    pub fn unit(&self) -> Option<Unit> {
        let register = self.differences().first().map(|d| d.location.unit);
        register.or_else(|| self.ports().first()?.unit.map(|unit| *unit))
    }

    /// The cycle whose registers lead to the difference: both sides agree on them. A register takes over what
    /// was in the cycle before, a port shows what is in its own.
    pub fn leading_cycle(&self) -> u64 {
        if self.ports().is_empty() { self.cycle.saturating_sub(1) } else { self.cycle }
    }
}
