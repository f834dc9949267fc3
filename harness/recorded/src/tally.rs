// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts the bits that are actually compared in a run over a waveform.

use std::collections::BTreeSet;

use drra_golden::Fabric;

use crate::plan::{EvaluationPlan, PlannedRegister, holds};

/// Maximum number of messages kept.
const MAX_NOTES: usize = 8;

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparisonTally {
    /// Number of clock edges from the state of cycle 0 to the last counted state.
    pub(crate) cycles: u64,
    /// Compared bits, added up over the cycles that these edges end.
    pub(crate) bit_cycles: u64,
    /// Compared bits in the last counted state; `None` before the first one.
    last: Option<u64>,
    /// For each register in the plan, true if it was compared in some cycle.
    pub(crate) registers: Vec<bool>,
    /// Messages about values that the map does not cover.
    pub(crate) notes: BTreeSet<String>,
    /// For each register, true if it is compared now, provided that its condition on the golden model, if any, is met.
    open: Vec<bool>,
    /// True if `open` has changed since the last counted cycle.
    changed: bool,
    /// Number of compared bits of registers without a condition on the golden model.
    open_bits: u64,
}

impl ComparisonTally {
    pub(crate) fn new(plan: &EvaluationPlan) -> Self {
        let none = vec![false; plan.registers.len()];
        Self { registers: none.clone(), open: none, ..Self::default() }
    }

    /// Records a message, unless [`MAX_NOTES`] messages have been recorded.
    pub(crate) fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.insert(text);
        }
    }

    /// Starts or stops comparing a register. Returns false if nothing changed.
    pub(crate) fn set(&mut self, register: usize, on: bool) -> bool {
        let changed = std::mem::replace(&mut self.open[register], on) != on;
        self.changed |= changed;
        changed
    }

    /// Counts the state of a cycle, once per cycle.
    pub(crate) fn count(&mut self, plan: &EvaluationPlan, golden: &Fabric, cycle: u64) {
        if self.last.is_some() && cycle <= self.cycles {
            return;
        }
        self.cycles = cycle;
        self.bit_cycles += self.last.unwrap_or(0);
        if std::mem::take(&mut self.changed) {
            self.open_bits = 0;
            for (n, PlannedRegister { mapped, .. }) in plan.registers.iter().enumerate() {
                if self.open[n] && mapped.while_golden.is_none() {
                    self.registers[n] = true;
                    self.open_bits += u64::from(mapped.compared_bits());
                }
            }
        }
        let mut bits = self.open_bits;
        for &n in plan.conditional.iter().filter(|n| self.open[**n]) {
            let mapped = &plan.registers[n].mapped;
            if holds(&mapped.while_golden, golden) {
                self.registers[n] = true;
                bits += u64::from(mapped.compared_bits());
            }
        }
        self.last = Some(bits);
    }
}
