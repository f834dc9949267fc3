// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens in one cycle, unit by unit.

use drra_golden::Arrival;
use drra_isa::{
    CellId, Lane, Opcode,
    fabric::{CrossbarSource, MessageKind},
    instructions::DpuMode,
    ports::Block,
};

/// Everything that is told of a cycle. The registers are those of the cycle, writes are those of the edge
/// that ends it.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) cycle: u64,
    /// Row-major.
    pub(super) cells: Vec<CellFacts>,
    pub(super) columns: Vec<ColumnFacts>,
    /// Row-major.
    pub(super) tiles: Vec<TileFacts>,
}

/// What a sequencer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequencing {
    Idle,
    /// It stores its program.
    Load,
    /// It decodes the instruction at this address; a WAIT does so in its first cycle.
    Decode(u8, Option<Opcode>),
    /// A WAIT at this address holds the program.
    Hold(u8),
}

/// A cell in a cycle.
#[derive(Debug)]
pub(super) struct CellFacts {
    pub(super) cell: CellId,
    pub(super) sequencing: Sequencing,
    /// What each input listens to.
    pub(super) sources: [Option<(CellId, Lane)>; 6],
    /// Words that its inputs take: those that a write port stores, and the operands of an operation.
    pub(super) taken: [Option<u16>; 6],
    /// Addresses that the AGUs emit, in the order of `AguId::ALL`.
    pub(super) addresses: [Option<u8>; 6],
    /// AGUs that are not idle and emit nothing.
    pub(super) delays: [bool; 6],
    pub(super) mode: DpuMode,
    /// The DPU works on operands that arrive in this cycle.
    pub(super) operates: bool,
    /// Words read by r0 and r1 that nothing takes.
    pub(super) unheard: u64,
    /// Block that it reads for its column.
    pub(super) block_read: Option<Block>,
    /// Block that it takes from its column.
    pub(super) block_taken: Option<Block>,
    pub(super) message: Option<MessageKind>,
    /// Block that a PERM moves.
    pub(super) permutes: Option<u8>,
    /// Words written, with their new value.
    pub(super) writes: Vec<(u8, u16)>,
}

/// A column in a cycle.
#[derive(Debug, Default)]
pub(super) struct ColumnFacts {
    /// Block on its way to the home tile or to the output buffer.
    pub(super) up: Option<Block>,
    /// Address asked for in the input buffer.
    pub(super) buffer_read: Option<u32>,
    /// Address and contents of a write to the output buffer.
    pub(super) buffer_write: Option<(u32, Block)>,
    /// Some generator of the I/O unit is not idle.
    pub(super) generates: bool,
}

/// A tile in a cycle.
#[derive(Debug)]
pub(super) struct TileFacts {
    /// What each crossbar output follows, in the order of `CrossbarPort::ALL`.
    pub(super) crossbar: [CrossbarSource; 5],
    /// Blocks that enter it, in the order of its crossbar outputs.
    pub(super) entering: [Option<Block>; 5],
    /// Row that its memory reads.
    pub(super) row_read: Option<u8>,
    /// Row that its memory stores, by a pattern or the initialisation port, with its new contents.
    pub(super) row_written: Option<(u8, Block)>,
    /// The row was written by a pattern.
    pub(super) by_pattern: bool,
    pub(super) arrivals: [Option<Arrival>; 4],
    /// A configuration came while its generator was not free.
    pub(super) lost: bool,
    /// Some generator is not idle.
    pub(super) generates: bool,
}

impl CellFacts {
    /// True if anything but its program load happens in it.
    pub(super) fn is_active(&self) -> bool {
        matches!(self.sequencing, Sequencing::Decode(..) | Sequencing::Hold(_))
            || self.addresses.iter().any(Option::is_some)
            || self.delays.contains(&true)
            || self.operates
            || self.permutes.is_some()
            || self.message.is_some()
    }
}

impl ColumnFacts {
    pub(super) fn is_active(&self) -> bool {
        self.up.is_some()
            || self.generates
            || self.buffer_read.is_some()
            || self.buffer_write.is_some()
    }
}

impl TileFacts {
    /// Where blocks enter, each once: one that goes to two outputs comes from one source.
    pub(super) fn entries(&self) -> Vec<(CrossbarSource, Block)> {
        let mut entries: Vec<(CrossbarSource, Block)> = Vec::new();
        for (source, block) in self.crossbar.into_iter().zip(self.entering) {
            let known = entries.iter().any(|(from, _)| *from == source);
            entries.extend(block.filter(|_| !known).map(|block| (source, block)));
        }
        entries
    }

    pub(super) fn is_active(&self) -> bool {
        self.generates
            || self.entering.iter().any(Option::is_some)
            || self.arrivals.iter().any(Option::is_some)
            || self.row_read.is_some()
            || self.row_written.is_some() && self.by_pattern
    }
}
