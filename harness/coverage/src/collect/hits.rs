// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bins that a case has hit, as a set of bits, and the rate at which repeated situations are sampled.

use std::iter::successors;

use drra_isa::Opcode;

use crate::{
    covergroups::{
        events::{Event, Events},
        fields,
        settings::{
            DpuConfigurations, IoPatterns, Loops, NocPaths, PermDistances, Raccu, SramPatterns,
            Switchbox,
        },
    },
    decode::Decode,
    table::{CROSSES, TableCross, firsts, groups, total},
};

/// The bins that a case has hit.
#[derive(Clone, Debug)]
pub(super) struct Hits {
    /// Bit b: bin b was hit.
    bits: Vec<u64>,
    firsts: [usize; CROSSES],
}

impl Default for Hits {
    /// An empty set.
    fn default() -> Self {
        Self { bits: vec![0; total().div_ceil(64)], firsts: firsts() }
    }
}

impl Hits {
    /// Clears the set.
    pub(super) fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Numbers of the bins that were hit, in ascending order.
    pub(super) fn bins(&self) -> impl Iterator<Item = u32> + '_ {
        let nonzero = |bits: u64| (bits != 0).then_some(bits);
        self.bits.iter().enumerate().flat_map(move |(w, &bits)| {
            // Each step removes the lowest bit.
            let left = successors(nonzero(bits), move |bits| nonzero(bits & (bits - 1)));
            left.map(move |bits| 64 * w as u32 + bits.trailing_zeros())
        })
    }

    /// Records a bin of a cross; returns true if it had not been hit before.
    pub(super) fn note<C: TableCross>(&mut self, bin: C) -> bool {
        self.set(self.firsts[C::POSITION] + bin.bin())
    }

    /// Records bins of a cross; returns true if any of them had not been hit before.
    pub(super) fn note_all<C: TableCross>(&mut self, bins: impl IntoIterator<Item = C>) -> bool {
        bins.into_iter().fold(false, |new, bin| new | self.note(bin))
    }

    fn set(&mut self, bin: usize) -> bool {
        let (word, bit) = (&mut self.bits[bin / 64], 1 << (bin % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Records the bins that a decode hits by the fields of the instruction.
    pub(super) fn decode(&mut self, decode: &Decode) {
        let first = groups()[decode.opcode.index()].first;
        for bin in fields::bins(decode) {
            self.set(first + bin);
        }
        match decode.opcode {
            Opcode::Dpu => self.note(DpuConfigurations::new(decode)),
            Opcode::Swb => self.note_all(Switchbox::new(decode)),
            Opcode::Loop => self.note(Loops::new(decode)),
            Opcode::Raccu => self.note_all(Raccu::new(decode)),
            Opcode::Route => self.note_all(NocPaths::new(decode)),
            Opcode::Sram => self.note(SramPatterns::new(decode)),
            Opcode::Io => self.note_all(IoPatterns::new(decode)),
            Opcode::Perm => self.note_all(PermDistances::new(decode)),
            _ => false,
        };
    }

    /// Records an event.
    pub(super) fn event(&mut self, event: Event) {
        self.note(Events { event });
    }
}

/// Samples repeated situations less often: after many samples without a new bin, only every few cycles until one hits a
/// new bin. The choice depends only on the case.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SamplingThrottle {
    dull: u8,
    skipped: u8,
}

impl SamplingThrottle {
    /// Number of samples without a new bin after which samples are skipped.
    const PATIENCE: u8 = 64;
    /// Once samples are skipped, one in this many is taken.
    const PERIOD: u8 = 8;

    /// True if this cycle should be sampled.
    pub(super) fn looks(&mut self) -> bool {
        if self.dull < Self::PATIENCE {
            return true;
        }
        self.skipped = (self.skipped + 1) % Self::PERIOD;
        self.skipped == 0
    }

    /// Takes note of a sample; `new` is true if it hit a new bin.
    pub(super) fn saw(&mut self, new: bool) {
        self.dull = if new { 0 } else { self.dull.saturating_add(1).min(Self::PATIENCE) };
    }
}
