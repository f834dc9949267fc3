// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a value came from.

use drra_diagnose::attribution::Writer;
use drra_isa::{
    CellId, CellInput, Lane, Unit,
    fabric::{AguId, CrossbarPort, CrossbarSource, Location, Side},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    instruction::{InstructionPlace, InstructionWords},
    reading::Reading,
};

/// A step of the way that data or a configuration took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// Steps between it and the diverging register; steps of equal depth under one step are
    /// alternatives or operands.
    pub depth: usize,
    /// Cycle.
    pub cycle: u64,
    /// Unit.
    pub unit: Unit,
    /// What happened.
    pub step: Step,
    /// Value in the golden model, which the RTL shares before the mismatch; of what the design alone took over
    /// that of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Reading>,
    /// Instruction that had set it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<InstructionPlace>,
}

/// What happened to a value, or to a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Nothing new arrives in the golden model; the design took something over.
    Kept,
    /// The message is dropped, because one of the other row came in the same cycle.
    Loses { row: usize },
    /// A word of a register file was never written.
    WordKept { word: usize },
    /// A word of a register file is written.
    WordWritten { word: usize, writer: Writer },
    /// An input of a cell is not connected and reads 0.
    Unconnected { input: CellInput },
    /// An input of a cell listens to a lane.
    Listens { input: CellInput, cell: CellId, lane: Lane },
    /// A read port reads a word.
    Reads { agu: AguId, word: usize },
    /// A read port emits no address and reads 0.
    ReadsNothing { agu: AguId },
    /// A DPU computes a result for an output, 0 or 1.
    DpuResult { channel: usize, mode: Reading },
    /// An accumulator adds what was summed up before.
    Accumulates { location: Location },
    /// The accumulators of a DPU are cleared by the launch of an instruction, or else because as many operands as it
    /// asks for have been counted.
    Cleared { launch: bool },
    /// A register is an operand.
    Operand { location: Location },
    /// The column hands the block of row 0 to row 1 a cycle later.
    RowOneDelay,
    /// A block read of a register file.
    BlockRead { block: usize },
    /// No register file reads a block.
    NoBlockRead,
    /// A block comes from the input buffer.
    InputBuffer { address: u64 },
    /// A crossbar output follows a source; none for a selection without a meaning.
    Crossbar { output: CrossbarPort, source: Option<CrossbarSource> },
    /// Beyond the edge of the array everything is 0.
    BeyondEdge,
    /// The memory of a tile is not read and shows 0.
    MemoryIdle,
    /// The memory of a tile reads a row.
    MemoryReads { row: usize },
    /// A row of a memory was never written.
    RowKept { row: usize },
    /// A row is written by the initialisation port.
    RowInitialised { row: usize },
    /// A row is written from the crossbar.
    RowWritten { row: usize },
    /// A message arrives at a tile.
    MessageArrives { side: Side },
    /// A flag, its own or that of a later word, hands an instruction to its unit, or its message to the NoC.
    Released { message: bool, own_flag: bool },
    /// An instruction still waits for a flag.
    Waiting,
    /// An instruction takes effect in the cycle of its decode.
    Immediate,
    /// An instruction is decoded.
    Decoded { address: u8, instruction: InstructionWords },
    /// Dynamic fields of an instruction are RACCU registers: their numbers, with their values.
    DynamicFields { registers: Vec<(usize, Reading)> },
}
