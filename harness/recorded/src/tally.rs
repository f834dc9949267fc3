// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what is really compared while a recording runs.

use std::collections::BTreeSet;

use crate::plan::{Place, Plan};

/// Messages that are kept.
const NOTES: usize = 8;
/// Bits of a row of a memory.
const ROW_BITS: u64 = 256;

/// What was compared until now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Cycles counted.
    pub(crate) cycles: u64,
    /// Bits compared, summed over the cycles.
    pub(crate) bit_cycles: u64,
    /// Registers compared in some cycle, by their number in the plan.
    pub(crate) registers: Vec<bool>,
    /// Rows compared in some cycle, by tile and row.
    pub(crate) rows: Vec<Vec<bool>>,
    /// What the map has no value for.
    pub(crate) notes: BTreeSet<String>,
    widths: Vec<u64>,
    /// Bits of the registers that are compared now without a condition on the golden model.
    open_bits: u64,
    open: Vec<bool>,
    /// Registers that are compared now if the golden model agrees to it.
    conditional: BTreeSet<usize>,
}

impl Tally {
    pub(crate) fn new(plan: &Plan) -> Self {
        let width = |place: &Place| match place {
            Place::Image { width, .. } => u64::from(*width),
            // Rows are counted on their own.
            Place::Row { .. } => 0,
        };
        Self {
            registers: vec![false; plan.registers.len()],
            rows: plan.rows.iter().map(|rows| vec![false; rows.len()]).collect(),
            widths: plan.places.iter().map(width).collect(),
            open: vec![false; plan.registers.len()],
            ..Self::default()
        }
    }

    /// Remembers a message.
    pub(crate) fn note(&mut self, text: String) {
        if self.notes.len() < NOTES {
            self.notes.insert(text);
        }
    }

    /// A register is compared from now on, or not any more.
    pub(crate) fn set(&mut self, register: usize, on: bool, conditional: bool) {
        if conditional {
            if on {
                self.conditional.insert(register);
            } else {
                self.conditional.remove(&register);
            }
        } else if self.open[register] != on {
            self.open[register] = on;
            if on {
                self.open_bits += self.widths[register];
            } else {
                self.open_bits -= self.widths[register];
            }
        }
    }

    /// Begins to count a cycle; false if it was counted before.
    pub(crate) fn enter(&mut self, cycle: u64) -> bool {
        if cycle < self.cycles {
            return false;
        }
        self.cycles = cycle + 1;
        self.bit_cycles += self.open_bits;
        for (compared, open) in self.registers.iter_mut().zip(&self.open) {
            *compared |= open;
        }
        true
    }

    /// Registers that are compared if the golden model agrees to it.
    pub(crate) fn conditional(&self) -> Vec<usize> {
        self.conditional.iter().copied().collect()
    }

    /// One of them is compared in this cycle.
    pub(crate) fn compared(&mut self, register: usize) {
        self.registers[register] = true;
        self.bit_cycles += self.widths[register];
    }

    /// A row of a memory is compared in this cycle.
    pub(crate) fn row(&mut self, tile: usize, row: usize) {
        self.rows[tile][row] = true;
        self.bit_cycles += ROW_BITS;
    }
}
