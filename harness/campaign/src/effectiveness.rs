// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stimulus effectiveness: whether the expected transfers of a case take place. It is run on the golden model and
//! watched.

use std::collections::BTreeMap;

use drra_generate::{Generated, Transfer, TransferKind};
use drra_golden::{Block, Fabric};
use drra_isa::fabric::AguId;
use drra_lockstep::{EndRule, LockstepRun, Observer};
use drra_report::summary::Moved;

/// Words that a transfer has moved so far.
#[derive(Clone, Default)]
struct Seen {
    first: Option<u64>,
    non_zero: bool,
    varied: bool,
}

impl Seen {
    fn value(&mut self, value: u64) {
        self.non_zero |= value != 0;
        self.varied |= self.first.is_some_and(|f| f != value);
        self.first.get_or_insert(value);
    }

    fn block(&mut self, block: &Block) {
        for k in 0..16 {
            self.value(block[k / 4] >> (16 * (k % 4)) & 0xffff);
        }
    }
}

/// Watches the transfers that are expected of a case.
struct Watch<'a> {
    generated: &'a Generated,
    /// Transfers that begin in a cycle, by their numbers.
    by_cycle: BTreeMap<u64, Vec<usize>>,
    /// Transfers that may happen in the current cycle.
    open: Vec<usize>,
    seen: Vec<Seen>,
}

impl Observer for Watch<'_> {
    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        let Generated { expected, first_decode, .. } = self.generated;
        self.open.extend(self.by_cycle.remove(&cycle).unwrap_or_default());
        self.open.retain(|&i| first_decode + expected[i].end >= cycle);
        // What is on the lanes belongs to this cycle; what was written is read after the edge.
        for &i in &self.open {
            if let TransferKind::DpuResult { cell, port } = expected[i].kind {
                self.seen[i].value(golden.lanes_of(cell)[2 + port].into());
            }
        }
        let out = |i: &usize| matches!(expected[*i].kind, TransferKind::BufferOut { .. });
        if self.open.iter().any(out) {
            for write in golden.buffer_writes() {
                for &i in &self.open {
                    if expected[i].kind == (TransferKind::BufferOut { column: write.column }) {
                        self.seen[i].block(&write.data);
                    }
                }
            }
        }
    }

    fn post_edge(&mut self, golden: &Fabric, _cycle: u64) {
        for &i in &self.open {
            match self.generated.expected[i].kind {
                TransferKind::WriteBack { cell, port } => {
                    let agu = if port == 0 { AguId::W0 } else { AguId::W1 };
                    let rf = golden.register_file(cell);
                    if let Some(a) = rf.emitted(agu) {
                        self.seen[i].value(rf.word(a.into()).into());
                    }
                }
                TransferKind::BlockIn { cell } => {
                    let rf = golden.register_file(cell);
                    if let Some(b) = rf.emitted(AguId::Wb) {
                        self.seen[i].block(rf.block(b.into()));
                    }
                }
                TransferKind::TileIn { tile } => {
                    if let Some(row) = golden.written_row(tile) {
                        self.seen[i].block(&golden.sram(tile)[row]);
                    }
                }
                TransferKind::DpuResult { .. } | TransferKind::BufferOut { .. } => {}
            }
        }
    }
}

/// Runs a case and counts which transfers were expected, and which of them moved data that are not all 0 and not all
/// the same.
pub fn effectiveness(generated: &Generated) -> Moved {
    let mut by_cycle: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, transfer) in generated.expected.iter().enumerate() {
        by_cycle.entry(generated.first_decode + transfer.start).or_default().push(i);
    }
    let seen = vec![Seen::default(); generated.expected.len()];
    let mut watch = Watch { generated, by_cycle, open: Vec::new(), seen };
    let end = EndRule::at(generated.case.cycles.unwrap_or(0));
    LockstepRun::alone(&generated.case).run(end, &mut watch);
    let mut counts = Moved { cases: 1, ..Moved::default() };
    for (Transfer { kind, .. }, seen) in generated.expected.iter().zip(&watch.seen) {
        let count = match kind {
            TransferKind::DpuResult { .. } => &mut counts.results,
            TransferKind::WriteBack { .. } => &mut counts.write_backs,
            _ => &mut counts.transfers,
        };
        count[0] += 1;
        count[1] += u64::from(seen.non_zero && seen.varied);
    }
    counts
}
