// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rule that decides between RTL and golden model, and its inputs.

use std::collections::BTreeSet;

use drra_fabric::{AguId, CellInput, Lane, RuleId, Side, SignalId};
use drra_isa::{CellId, Unit};
use drra_lockstep::SignalLocation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    instruction::InstructionWords,
    reading::{Reading, RegisterReading},
};

/// The rule that decides between RTL and golden model; the fabric description specifies the block that the rule is
/// about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppliedRule {
    /// The rule of the block, after which the failure is named.
    pub rule: RuleId,
    /// A more specific rule about the event in the block, if there is one; `inputs` are then the inputs of the more
    /// specific rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrower: Option<RuleId>,
    /// Unit to which the rule is applied; absent if no register or output port differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// The reason the difference is attributed to the block of the rule.
    pub why: AttributionReason,
    /// The inputs of the rule in the cycle before the mismatch, or, for an output port, in the cycle of the mismatch;
    /// both sides agree on the registers of that cycle.
    pub inputs: Vec<RuleInputValue>,
    /// The compared signals entering the block in that cycle, all of which agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entering: Vec<SignalLocation>,
    /// The other compared signals leaving the block in that cycle, all of which agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<SignalLocation>,
}

impl AppliedRule {
    /// The signals between blocks that the report names: the one that differs, and those that agree.
    pub fn compared_signals(&self) -> Vec<SignalLocation> {
        let cause = match self.why {
            AttributionReason::Signal { signal, .. } => Some(signal),
            _ => None,
        };
        cause.iter().chain(&self.entering).chain(&self.leaving).copied().collect()
    }
}

/// Reasons why a difference is attributed to a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AttributionReason {
    /// Registers differ in cycle 0.
    AfterReset,
    /// All registers, and all signals entering the block, agree in the previous cycle.
    InputsAgree,
    /// All compared registers agree in the previous cycle; the design shows no signals between its blocks, or only
    /// some, so the difference may have originated in an earlier block.
    SignalsUnknown {
        /// The kinds of signals between blocks that are compared.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        compared: BTreeSet<SignalId>,
    },
    /// The waveform ends.
    Ended,
    /// The design was not driven with the values of the case.
    Stimulus,
    /// All registers agree, but the output port differs.
    Port,
    /// The RTL violates its own assertion, or stops for another reason.
    Assertion,
    /// All registers agree in the previous cycle, but a signal differs.
    Signal { signal: SignalLocation, golden: Reading, rtl: Reading },
}

/// An input of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Input")]
pub enum RuleInputValue {
    /// A register.
    Register(RegisterReading),
    /// The registers or signals of an input of the rule, which are all 0.
    AllZero {
        /// The number of the input, starting at 0.
        input: usize,
        /// The number of the key, starting at 0, if all of the registers have the same key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<usize>,
        /// The name of the registers or signals; absent in reports of drra 1.0, in which `input` counts the inputs of
        /// that version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// All registers or signals of an input that are not listed before this entry are 0.
    OthersZero { of: Box<RuleInputValue> },
    /// The instruction at the program counter.
    Instruction { address: u8, instruction: InstructionWords, immediate: bool },
    /// The cell is not running, so no instruction applies.
    NotRunning,
    /// The load port of the cell is the program port of the fabric.
    ProgramPort,
    /// The stage of the load pipeline in front of the cell is 0.
    LoadStageZero { stage: usize },
    /// Addresses that the AGUs emit.
    Addresses { emitted: Vec<(AguId, u8)> },
    /// The value of a cell input, and the cell and lane to which the input is connected; if cell and lane are absent,
    /// the input reads 0.
    CellInput { input: CellInput, from: Option<(CellId, Lane)>, reading: Reading },
    /// The block that reaches the cell.
    WriteBlock { reading: Reading },
    /// The mask of the block: the words that are not written.
    WriteMask { reading: Reading },
    /// The block that the cell of a row reads; absent if it reads no block.
    RowBlock { row: usize, reading: Option<Reading> },
    /// The message that the cell of a row sends.
    RowMessage { row: usize, reading: Reading },
    /// A message that arrives at a tile.
    Message { side: Side, reading: Reading },
    /// The value of a lane of a cell, in reports of drra 1.0.
    Lane { lane: Lane, reading: Reading },
    /// The block that the cell reads, in reports of drra 1.0; absent if it reads no block.
    ReadBlock { reading: Option<Reading> },
    /// The block that the column passes up to its home tile, in reports of drra 1.0.
    ColumnBlock { reading: Reading },
    /// A signal between modules.
    Signal { signal: SignalLocation, reading: Reading },
    /// The tile receives the values at the initialisation port of the fabric.
    InitialisationPort,
    /// Cells that are not idle.
    BusyCells { cells: Vec<CellId> },
    /// Units with an AGU that is not in IDLE.
    ActiveUnits { units: Vec<Unit> },
}
