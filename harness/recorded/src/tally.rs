// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what is really compared while a recording runs.

use std::collections::BTreeSet;

use drra_golden::Fabric;

use crate::plan::{Plan, holds};

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
    /// Bits of those without such a condition.
    open_bits: u64,
    /// Registers that were opened since the last cycle was counted.
    opened: Vec<usize>,
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
    pub(crate) fn set(&mut self, plan: &Plan, register: usize, on: bool) -> bool {
        if self.open[register] == on {
            return false;
        }
        self.open[register] = on;
        if plan.registers[register].while_golden.is_none() {
            let bits = u64::from(plan.registers[register].width);
            if on {
                self.open_bits += bits;
                self.opened.push(register);
            } else {
                self.open_bits -= bits;
            }
        }
        true
    }

    /// Counts the state of a cycle, at the first call for it.
    pub(crate) fn count(&mut self, plan: &Plan, golden: &Fabric, cycle: u64) {
        if self.last.is_some() && cycle <= self.cycles {
            return;
        }
        self.cycles = cycle;
        self.bit_cycles += self.last.unwrap_or(0);
        let mut bits = self.open_bits;
        for register in self.opened.drain(..) {
            self.registers[register] |= self.open[register];
        }
        for &n in plan.conditional.iter().filter(|n| self.open[**n]) {
            let register = &plan.registers[n];
            if holds(&register.while_golden, golden) {
                self.registers[n] = true;
                bits += u64::from(register.width);
            }
        }
        self.last = Some(bits);
    }
}
