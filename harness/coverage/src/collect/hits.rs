// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bins that a case has hit, as a set of bits.

use crate::group::firsts;
use crate::group::groups_for;
use crate::group::total;
use crate::groups::Table;
use crate::observed::Event;
use crate::observed::Observed;

/// The bins that a case has hit.
#[derive(Clone, Debug)]
pub(super) struct Hits {
    /// Bit b: bin b was hit.
    bits: Vec<u64>,
    firsts: [usize; Table::ALL.len()],
}

impl Hits {
    /// None.
    pub(super) fn new() -> Self {
        Self { bits: vec![0; total().div_ceil(64)], firsts: firsts() }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// All in ascending order.
    pub(super) fn bins(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().filter(|(_, bits)| **bits != 0).flat_map(|(w, &bits)| {
            (0..64).filter(move |b| bits >> b & 1 == 1).map(move |b| (64 * w + b) as u32)
        })
    }

    /// Notes a bin of a table.
    #[inline]
    pub(super) fn note(&mut self, table: Table, bin: usize) {
        let bin = self.firsts[table as usize] + bin;
        self.bits[bin / 64] |= 1 << (bin % 64);
    }

    /// Notes the bins that an observation hits.
    pub(super) fn observe(&mut self, seen: &Observed<'_>) {
        let bits = &mut self.bits;
        for group in groups_for(seen.source()) {
            group.hit(seen, &mut |bin| bits[bin / 64] |= 1 << (bin % 64));
        }
    }

    /// Notes an event.
    pub(super) fn event(&mut self, event: Event) {
        self.observe(&Observed::Event(event));
    }
}
