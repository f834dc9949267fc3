// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of a value.

use drra_diagnose::attribution::RfWriter;
use drra_fabric::{AguId, CellInput, CrossbarPort, CrossbarSource, Lane, Location, Side};
use drra_isa::{CellId, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    instruction::{InstructionLocation, InstructionWords},
    reading::Reading,
};

/// A step in the provenance of data or of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// Number of steps between this step and the register or port that differs. Steps of equal depth under one step are
    /// alternatives or operands.
    pub depth: usize,
    /// Cycle of the event.
    pub cycle: u64,
    /// Unit of the event.
    pub unit: Unit,
    /// The event.
    pub step: ProvenanceEvent,
    /// Value in the golden model, which the RTL shares before the mismatch; for a value that only the design loaded,
    /// the design's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Reading>,
    /// Instruction that had set this step up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<InstructionLocation>,
}

/// An event in the provenance of a value or configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Step")]
pub enum ProvenanceEvent {
    /// The register keeps its value in the golden model, but loads a value in the design.
    Kept,
    /// A message is dropped because a message from row `row`, which has priority, arrived in the same cycle.
    Loses { row: usize },
    /// A word of a register file was not written in the recorded cycles, which start at `since` if not at cycle 0.
    WordKept {
        word: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<u64>,
    },
    /// A word of a register file is written.
    WordWritten { word: usize, writer: RfWriter },
    /// An input of a cell is not connected to a lane, or is connected beyond the edge, and therefore reads 0.
    Unconnected { input: CellInput },
    /// An input of a cell is connected to a lane.
    Listens { input: CellInput, cell: CellId, lane: Lane },
    /// A read port reads a word.
    Reads { agu: AguId, word: usize },
    /// A read port emits no address and reads 0.
    ReadsNothing { agu: AguId },
    /// A DPU computes a result for an output, 0 or 1.
    DpuResult { channel: usize, mode: Reading },
    /// An accumulator, which holds the result so far, is an operand.
    Accumulates { location: Location },
    /// The accumulators of a DPU are cleared: by the launch of an instruction if `launch` is true, otherwise because
    /// the number of operands given by acc_clear has been counted.
    Cleared { launch: bool },
    /// A register is an operand.
    Operand { location: Location },
    /// The column passes the block of row 0 on to row 1 one cycle later.
    RowOneDelay,
    /// A register file reads a block.
    BlockRead { block: usize },
    /// No register file reads a block.
    NoBlockRead,
    /// A block comes from the input buffer.
    InputBuffer { address: u64 },
    /// A crossbar output follows a source; there is no source if the selection has no meaning.
    Crossbar { output: CrossbarPort, source: Option<CrossbarSource> },
    /// The value comes from beyond the edge of the array, where everything is 0.
    BeyondEdge,
    /// The memory of a tile is not read and shows 0.
    MemoryIdle,
    /// The memory of a tile reads a row.
    MemoryReads { row: usize },
    /// A row of a memory was not written in the recorded cycles, which start at `since` if not at cycle 0.
    RowKept {
        row: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<u64>,
    },
    /// A row is written by the initialisation port.
    RowInitialised { row: usize },
    /// A row is written from the crossbar.
    RowWritten { row: usize },
    /// A message arrives at a tile.
    MessageArrives { side: Side },
    /// The flag of an instruction or of a later word releases the instruction to its unit, or sends its message.
    Released { message: bool, own_flag: bool },
    /// An instruction is still waiting for a flag.
    Waiting,
    /// An instruction takes effect in the cycle in which it is decoded.
    Immediate,
    /// An instruction is decoded.
    Decoded { address: u8, instruction: InstructionWords },
    /// The RACCU registers that the dynamic fields of an instruction read, with their numbers and values.
    DynamicFields { registers: Vec<(usize, Reading)> },
    /// Cycles in which something happens, in the provenance of an end state, which is never stored.
    #[serde(skip)]
    Cycles { what: String, cycles: Vec<u64> },
}
