// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answers of the input buffers. A waveform need not show the requests, so the golden model determines which answer
//! belongs to which address. The assignment is valid as long as the design behaves like the golden model.

use std::collections::BTreeMap;

use drra_case::Case;
use drra_fabric::ports::{Block, InputPort};
use drra_golden::Fabric;
use drra_isa::ColumnId;
use drra_lockstep::Value;

use super::block;

/// The blocks in the waveform that answer the requests of the golden model.
#[derive(Clone, Debug, Default)]
pub(crate) struct BufferAnswers {
    /// The blocks by column and address, each with the cycle of its first answer.
    pub(crate) first: BTreeMap<(ColumnId, u32), (u64, Block)>,
    /// The first answer that no buffer would return, with its cycle; later answers are not recorded.
    pub(crate) failed: Option<(u64, String)>,
}

impl BufferAnswers {
    /// The answers in this many cycles of a case. `shown` contains the values on the port of each column, each with its
    /// first cycle.
    pub(super) fn of(case: &Case, shown: &[(u64, ColumnId, Value)], cycles: u64) -> Self {
        let geometry = &case.geometry;
        let mut found = Self::default();
        if shown.is_empty() {
            return found;
        }
        let mut fabric = Fabric::new(*geometry, case.straps());
        let mut player = case.stimulus.player();
        let mut now = vec![Value::new([], 256); geometry.columns];
        let mut requests: Vec<(ColumnId, u32)> = Vec::new();
        let mut changes = shown.iter().peekable();
        for cycle in 0..cycles {
            while let Some((_, column, bits)) = changes.next_if(|(from, ..)| *from <= cycle) {
                now[column.index(geometry)] = bits.clone();
            }
            for (column, address) in requests.drain(..) {
                if let Err(e) = found.take(column, address, cycle, &now[column.index(geometry)]) {
                    found.failed = Some((cycle, e));
                    return found;
                }
            }
            requests.extend(fabric.buffer_reads().map(|read| (read.column, read.addr)));
            let data: Vec<Block> = now.iter().map(block).collect();
            fabric.step(&player.next(&data));
        }
        found
    }

    /// Records an answer. All answers for an address must be the same.
    fn take(
        &mut self,
        column: ColumnId,
        address: u32,
        cycle: u64,
        bits: &Value,
    ) -> Result<(), String> {
        if !bits.is_known() {
            let port = InputPort::IoInData.name();
            return Err(super::ports::unknown(port, cycle, bits));
        }
        let block = block(bits);
        let (_, known) = self.first.entry((column, address)).or_insert((cycle, block));
        if *known == block {
            return Ok(());
        }
        Err(format!(
            "block {address} of the input buffer of column {} returns different data in cycle {cycle} than before: \
             in the golden model, nothing writes these buffers",
            column.col()
        ))
    }

    /// Columns, addresses and contents of the blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (ColumnId, u32, Block)> + '_ {
        self.first.iter().map(|((column, address), (_, block))| (*column, *address, *block))
    }
}
