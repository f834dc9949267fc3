// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what is really compared while a waveform is compared.

use std::collections::BTreeSet;

use drra_golden::Fabric;

use crate::{
    map::MappedRegister,
    plan::{Plan, Planned, holds},
};

/// Messages that are kept.
const NOTES: usize = 8;

/// What was compared until now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Clock edges until the state that was counted last.
    pub(crate) cycles: u64,
    /// Bits compared, summed over the cycles before these edges.
    pub(crate) bit_cycles: u64,
    /// Bits compared in the last state; `None` before the first one.
    last: Option<u64>,
    /// Registers compared in some cycle, by their number in the plan.
    pub(crate) registers: Vec<bool>,
    /// What the map has no value for.
    pub(crate) notes: BTreeSet<String>,
    /// Registers that are compared now, those with a condition on the golden model if it holds.
    open: Vec<bool>,
    /// These are others than in the cycle that was counted last.
    changed: bool,
    /// Bits of those without such a condition.
    open_bits: u64,
}

impl Tally {
    pub(crate) fn new(plan: &Plan) -> Self {
        let none = vec![false; plan.registers.len()];
        Self { registers: none.clone(), open: none, ..Self::default() }
    }

    /// Remembers a message.
    pub(crate) fn note(&mut self, text: String) {
        if self.notes.len() < NOTES {
            self.notes.insert(text);
        }
    }

    /// A register is compared from now on, or not any more. False if that was so before.
    pub(crate) fn set(&mut self, register: usize, on: bool) -> bool {
        let changed = std::mem::replace(&mut self.open[register], on) != on;
        self.changed |= changed;
        changed
    }

    /// Counts the state of a cycle, at the first call for it.
    pub(crate) fn count(&mut self, plan: &Plan, golden: &Fabric, cycle: u64) {
        if self.last.is_some() && cycle <= self.cycles {
            return;
        }
        self.cycles = cycle;
        self.bit_cycles += self.last.unwrap_or(0);
        if std::mem::take(&mut self.changed) {
            self.open_bits = 0;
            for (n, Planned { mapped, .. }) in plan.registers.iter().enumerate() {
                if self.open[n] && mapped.while_golden.is_none() {
                    self.registers[n] = true;
                    self.open_bits += u64::from(mapped.width);
                }
            }
        }
        let mut bits = self.open_bits;
        for &n in plan.conditional.iter().filter(|n| self.open[**n]) {
            let MappedRegister { while_golden, width, .. } = &plan.registers[n].mapped;
            if holds(while_golden, golden) {
                self.registers[n] = true;
                bits += u64::from(*width);
            }
        }
        self.last = Some(bits);
    }
}
