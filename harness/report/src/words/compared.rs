// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the state was compared, in words.

use drra_isa::fabric::RegisterId;

use super::joined;
use crate::data::{Amount, Compared, NotCompared, NotComparedWhy};

impl Compared {
    /// How much was compared, in a sentence; what is not compared as a whole has its share first.
    pub fn text(&self) -> String {
        format!("{} in {} cycles, {} output ports", self.share(), self.cycles, self.ports)
    }

    /// How much of the state was compared, in a sentence; what is not compared as a whole has its share first.
    pub fn share(&self) -> String {
        let (all, compared) = (self.all(), self.compared());
        let share = 100.0 * compared.bits as f64 / all.bits.max(1) as f64;
        let share =
            if compared.bits == all.bits { String::new() } else { format!("{share:.1} %: ") };
        let conditional = match self.conditional.registers {
            0 => String::new(),
            n => format!(", {n} of them while a condition of the map holds"),
        };
        format!(
            "{share}{} of {} registers ({} of {} bits){conditional}",
            compared.registers, all.registers, compared.bits, all.bits
        )
    }

    /// What was not compared, a line for each reason; all that the design lacks in one.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.in_part());
        let is_lacking = |n: &&NotCompared| matches!(n.why, NotComparedWhy::Lacking { .. });
        let lacking: Vec<&NotCompared> = self.not_compared.iter().filter(is_lacking).collect();
        for n in self.not_compared.iter().filter(|n| !is_lacking(n)) {
            lines.push(format!("{}: {}", n.text(), n.names()));
        }
        if let Some(first) = lacking.first() {
            let sum = |of: fn(&NotCompared) -> u64| lacking.iter().map(|n| of(n)).sum::<u64>();
            let all = NotCompared {
                why: first.why.clone(),
                count: Amount {
                    registers: sum(|n| n.count.registers),
                    bits: sum(|n| n.count.bits),
                },
                registers: lacking.iter().flat_map(|n| n.registers.clone()).collect(),
            };
            lines.push(format!("{}: {}", all.text(), all.names()));
        }
        lines
    }

    /// The share of what is compared in some of the cycles only.
    fn in_part(&self) -> Option<String> {
        if self.several_sizes {
            return None;
        }
        let all = self.compared().bits * self.cycles;
        let left_out = all.checked_sub(self.bit_cycles).filter(|bits| *bits > 0)?;
        let percent = 100.0 * left_out as f64 / all as f64;
        let share =
            if percent < 0.1 { "under 0.1 %".to_owned() } else { format!("{percent:.1} %") };
        Some(format!(
            "{share} of these bits, summed over the cycles: a condition of the map did not hold, or a content was not \
             known"
        ))
    }
}

impl NotCompared {
    /// How many for which reason.
    pub fn text(&self) -> String {
        let why = match &self.why {
            NotComparedWhy::Lacking { path, nearest } => {
                let near = joined(nearest.iter().cloned(), ", ", "nothing like it");
                format!("not in the design: {path} (nearest: {near})")
            }
            NotComparedWhy::Excluded { reason } => format!("excluded: {reason}"),
            NotComparedWhy::Unmapped => "not in the map".to_owned(),
            NotComparedWhy::Never => {
                "the condition never held, or the content was never known".to_owned()
            }
        };
        format!("{} registers ({} bits), {why}", self.count.registers, self.count.bits)
    }

    /// Which ones, as patterns.
    pub fn names(&self) -> String {
        joined(self.registers.iter().map(|r| pattern(**r)), " ", "")
    }
}

/// `cell.rf.agu[*].state`: the registers of one kind in all units.
fn pattern(register: RegisterId) -> String {
    format!("{}.{}", register.info().unit, register.info().path)
}
