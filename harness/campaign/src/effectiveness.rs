// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures stimulus effectiveness by observing on the golden model whether the expected transfers of a case carry
//! data.

use std::collections::BTreeMap;

use drra_fabric::AguId;
use drra_generate::{GeneratedCase, Transfer, TransferKind};
use drra_golden::{Block, Fabric};
use drra_lockstep::{EndRule, LockstepRun, Observer};
use drra_results::summary::Effectiveness;

/// The data that an expected transfer has carried so far.
#[derive(Clone, Default)]
struct TransferData {
    first: Option<u64>,
    varied: bool,
}

impl TransferData {
    fn add(&mut self, value: u64) {
        self.varied |= self.first.is_some_and(|f| f != value);
        self.first.get_or_insert(value);
    }

    fn add_block(&mut self, block: &Block) {
        for k in 0..16 {
            self.add(block[k / 4] >> (16 * (k % 4)) & 0xffff);
        }
    }
}

/// Observes the expected transfers of a case.
struct TransferObserver<'a> {
    generated: &'a GeneratedCase,
    /// The numbers of the transfers that begin in each cycle.
    by_cycle: BTreeMap<u64, Vec<usize>>,
    /// The transfers that are expected in the current cycle.
    active: Vec<usize>,
    data: Vec<TransferData>,
}

impl Observer for TransferObserver<'_> {
    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        let GeneratedCase { expected, first_decode, .. } = self.generated;
        self.active.extend(self.by_cycle.remove(&cycle).unwrap_or_default());
        self.active.retain(|&i| first_decode + expected[i].end >= cycle);
        // Lanes and writes to buffers are observed before the edge, and written memories after it.
        for &i in &self.active {
            if let TransferKind::DpuResult { cell, port } = expected[i].kind {
                self.data[i].add(golden.lanes_of(cell)[2 + port].into());
            }
        }
        let out = |i: &usize| matches!(expected[*i].kind, TransferKind::BufferOut { .. });
        if self.active.iter().any(out) {
            for write in golden.buffer_writes() {
                for &i in &self.active {
                    if expected[i].kind == (TransferKind::BufferOut { column: write.column }) {
                        self.data[i].add_block(&write.data);
                    }
                }
            }
        }
    }

    fn post_edge(&mut self, golden: &Fabric, _cycle: u64) {
        for &i in &self.active {
            match self.generated.expected[i].kind {
                TransferKind::WriteBack { cell, port } => {
                    let agu = if port == 0 { AguId::W0 } else { AguId::W1 };
                    let view = golden.view(cell);
                    if let Some(a) = view.emitted(agu) {
                        self.data[i].add(view.register_file().word(a.into()).into());
                    }
                }
                TransferKind::BlockIn { cell } => {
                    let view = golden.view(cell);
                    if let Some(b) = view.emitted(AguId::Wb) {
                        self.data[i].add_block(&view.register_file().block(b.into()));
                    }
                }
                TransferKind::TileIn { tile } => {
                    if let Some(row) = golden.written_row(tile) {
                        self.data[i].add_block(&golden.sram(tile)[row]);
                    }
                }
                TransferKind::DpuResult { .. } | TransferKind::BufferOut { .. } => {}
            }
        }
    }
}

/// Runs a case up to a cycle, and counts the transfers that are expected to end by then, and the effective ones, whose
/// data are not all the same.
pub fn measure_effectiveness(generated: &GeneratedCase, until: u64) -> Effectiveness {
    let mut by_cycle: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, transfer) in generated.expected.iter().enumerate() {
        by_cycle.entry(generated.first_decode + transfer.start).or_default().push(i);
    }
    let data = vec![TransferData::default(); generated.expected.len()];
    let mut transfers = TransferObserver { generated, by_cycle, active: Vec::new(), data };
    LockstepRun::alone(&generated.case).run(EndRule::at(until), &mut transfers);
    let mut counts = Effectiveness { cases: 1, ..Effectiveness::default() };
    let ended = |t: &Transfer| generated.first_decode + t.end < until;
    let all = generated.expected.iter().zip(&transfers.data);
    for (Transfer { kind, .. }, data) in all.filter(|(transfer, _)| ended(transfer)) {
        let count = match kind {
            TransferKind::DpuResult { .. } => &mut counts.results,
            TransferKind::WriteBack { .. } => &mut counts.write_backs,
            _ => &mut counts.transfers,
        };
        count[0] += 1;
        count[1] += u64::from(data.varied);
    }
    counts
}
