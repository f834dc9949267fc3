// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps of the provenance of a value.

use drra_diagnose::attribution::RfWriter;
use drra_fabric::{CrossbarPort, CrossbarSource, Register};

use super::{cell, input_name, joined, lane_name, state};
use crate::data::{PathStep, ProvenanceEvent, Reading};

impl ProvenanceEvent {
    /// The event.
    pub fn text(&self) -> String {
        match self {
            Self::Kept => "the golden model keeps the value; the design loads".to_owned(),
            Self::Loses { row } => format!("message dropped: row {row} has priority"),
            Self::WordKept { word, since } => kept("word", *word, *since),
            Self::WordWritten { word, writer } => {
                format!("word {word} is written by {}", writer_name(*writer))
            }
            Self::Unconnected { input } => {
                format!("{} is connected to no lane and reads 0", input_name(*input))
            }
            Self::Listens { input, cell: from, lane } => {
                format!(
                    "{} is connected to {} of {}",
                    input_name(*input),
                    lane_name(*lane),
                    cell(*from)
                )
            }
            Self::Reads { agu, word } => format!("read port {agu} reads word {word}"),
            Self::ReadsNothing { agu } => {
                format!("read port {agu} emits no address and reads 0")
            }
            Self::DpuResult { channel, mode } => format!("DPU out {channel}, mode {}", state(mode)),
            Self::Accumulates { location } => {
                format!("{} holds the result so far", location.register)
            }
            Self::Cleared { launch: true } => "a launch clears the accumulators".to_owned(),
            Self::Cleared { launch: false } => {
                "the accumulators are cleared: acc_clear operands have been counted".to_owned()
            }
            Self::Operand { location } => format!("{} is an operand", location.register),
            Self::RowOneDelay => {
                format!("{} delays the block for row 1 by one cycle", Register::ColumnBlkInRow1)
            }
            Self::BlockRead { block } => format!("a block read (rb) reads block {block}"),
            Self::NoBlockRead => "no register file reads a block, so the block is 0".to_owned(),
            Self::InputBuffer { address } => {
                format!("asks the input buffer for block {address:#x}")
            }
            Self::Crossbar { output, source } => {
                format!("{} follows {}", Register::TileXout(*output), source_name(*source))
            }
            Self::BeyondEdge => "beyond the edge of the array, where everything is 0".to_owned(),
            Self::MemoryIdle => "the memory is not read, so its output is 0".to_owned(),
            Self::MemoryReads { row } => format!("the memory reads row {row}"),
            Self::RowKept { row, since } => kept("row", *row, *since),
            Self::RowInitialised { row } => {
                format!("row {row} is written by the initialisation port")
            }
            Self::RowWritten { row } => {
                let from = Register::TileXout(CrossbarPort::Mem);
                format!("row {row} is written from {from}")
            }
            Self::MessageArrives { side } => format!("the message arrives at side {side}"),
            Self::Released { message, own_flag } => {
                let what = if *message { "message sent" } else { "launched" };
                let how = if *own_flag { "its own flag" } else { "the flag of a later word" };
                format!("{what}, released by {how}")
            }
            Self::Waiting => "still waiting for a flag".to_owned(),
            Self::Immediate => "executed in the cycle of its decode".to_owned(),
            Self::Decoded { address, instruction } => {
                format!("decoded at address {address}: {}", instruction.text())
            }
            Self::DynamicFields { .. } => "RACCU registers that its dynamic fields read".to_owned(),
            Self::Cycles { what, cycles } => format!("{what}: {}", cycles_text(cycles)),
        }
    }
}

fn cycles_text(cycles: &[u64]) -> String {
    match cycles {
        [] => "none".to_owned(),
        [one] => format!("cycle {one}"),
        [first, second] => format!("cycles {first} and {second}"),
        [first, .., last] => format!("{} in cycles {first} to {last}", cycles.len()),
    }
}

fn kept(what: &str, number: usize, since: Option<u64>) -> String {
    match since {
        None => format!("{what} {number} still has its initial value"),
        Some(since) => format!("{what} {number} is not written from cycle {since} on"),
    }
}

impl PathStep {
    /// The value of the step, or the values of its registers.
    pub fn value_text(&self) -> Option<String> {
        match (&self.step, &self.value) {
            (ProvenanceEvent::DynamicFields { registers }, _) => {
                let all = registers.iter().map(|(n, value)| format!("R{n}: {}", value.text()));
                Some(joined(all, ", ", "none"))
            }
            (
                ProvenanceEvent::Kept
                | ProvenanceEvent::Accumulates { .. }
                | ProvenanceEvent::Operand { .. },
                Some(value),
            ) => Some(value.text()),
            // Reports of drra 1.0 have no meaning here.
            (_, Some(word)) if word.decoded.is_some() => Some(word.text()),
            (_, value) => value.as_ref().map(Reading::digits),
        }
    }
}

fn writer_name(writer: RfWriter) -> &'static str {
    match writer {
        RfWriter::Init => "the initialisation port",
        RfWriter::Wb => "a block write (wb)",
        RfWriter::W0 => "write port w0",
        RfWriter::W1 => "write port w1",
        RfWriter::Perm => "PERM",
    }
}

fn source_name(source: Option<CrossbarSource>) -> &'static str {
    match source {
        Some(CrossbarSource::Mem) => "the memory",
        Some(CrossbarSource::None) | None => "nothing",
        Some(side) => side.name(),
    }
}
