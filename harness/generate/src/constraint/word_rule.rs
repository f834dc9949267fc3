// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that are excluded by their words, and the way in which they are changed.

use drra_isa::{Opcode, PlacedField};

use super::values::ValueSet;
use crate::instruction::Instruction;

/// Condition on a field: its value is in a set.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) placed: PlacedField,
    /// True if the field determines how many words the instruction has.
    pub(super) is_chunk: bool,
    pub(super) values: ValueSet,
}

/// Instructions that are excluded: those that meet all conditions.
#[derive(Clone, Debug)]
pub(super) struct WordRule {
    pub(super) constraint: usize,
    pub(super) immediate: Option<bool>,
    pub(super) conditions: Vec<Condition>,
}

impl WordRule {
    /// True if an instruction of the right kind meets all conditions.
    pub(super) fn excludes(&self, instruction: &Instruction) -> bool {
        self.immediate.is_none_or(|flag| flag == instruction.immediate)
            && self.conditions.iter().all(|c| c.values.has(instruction.decoded(&c.placed)))
    }

    /// Changes the instruction so that it no longer meets one of the conditions: a field gets one of the remaining
    /// values, chosen by the bits of the instruction and `salt`. Only words that are `free` change, and the number of
    /// words and the flag change only as a last resort. Returns false if no change is possible.
    pub(super) fn escape(
        &self,
        instruction: &mut Instruction,
        free: [bool; Opcode::MAX_WORDS],
        flags: [bool; 2],
        salt: u64,
    ) -> bool {
        let ways: Vec<(&Condition, ValueSet)> = self
            .conditions
            .iter()
            .filter(|c| {
                let place = c.placed.place;
                let first = place.word() - usize::from(place.crosses());
                place.word() < instruction.len && free[first..=place.word()].iter().all(|f| *f)
            })
            .map(|c| (c, c.values.others()))
            .filter(|(_, others)| others.count() > 0)
            .collect();
        let plain: Vec<_> = ways.iter().filter(|(c, _)| !c.is_chunk).collect();
        let chosen = instruction.mixed(salt);
        let picked = match (plain.len(), &ways[..]) {
            (0, [(condition, others), ..]) => Some((condition, others)),
            (0, []) => None,
            (n, _) => {
                let (condition, others) = plain[(chosen % n as u64) as usize];
                Some((condition, others))
            }
        };
        if let Some((condition, others)) = picked {
            condition.placed.place.set(&mut instruction.words, others.at(chosen >> 8));
            instruction.len = instruction.opcode.map_or(1, |o| o.words(instruction.words[0]));
            return true;
        }
        match self.immediate {
            Some(flag) if free[0] && flags[usize::from(!flag)] => {
                instruction.immediate = !flag;
                true
            }
            _ => false,
        }
    }
}
