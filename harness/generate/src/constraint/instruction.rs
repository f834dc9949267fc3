// SPDX-License-Identifier: MIT OR Apache-2.0
//! One instruction as the sequencer finds it, and its way out of what is excluded.

use drra_isa::InstructionField;
use drra_isa::Opcode;
use drra_isa::PlacedField;

use super::values::ValueSet;

/// An instruction with the words that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// `None`: no instruction begins with its first word.
    pub(crate) opcode: Option<Opcode>,
    /// As many words as the longest instruction has.
    pub(crate) words: [u64; Opcode::MOST_WORDS],
    /// Number of words.
    pub(crate) len: usize,
    /// Immediate flag of the first word.
    pub(crate) immediate: bool,
}

impl Instruction {
    /// The instruction that begins with the first of these words.
    pub(crate) fn new(words: [u64; Opcode::MOST_WORDS], immediate: bool, io_cell: bool) -> Self {
        let opcode = Opcode::of(words[0], io_cell);
        let len = opcode.map_or(1, |o| o.words(words[0]));
        Self { opcode, words, len, immediate }
    }

    /// True for an instruction of that kind.
    pub(crate) fn is(&self, opcode: Opcode) -> bool {
        self.opcode == Some(opcode)
    }

    /// Raw value of a field that every instruction of this kind has.
    pub(crate) fn value(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// Raw value of a field; its default if its word is not there.
    pub(crate) fn decoded(&self, placed: &PlacedField) -> u64 {
        if placed.place.word() < self.len { self.value(placed.place) } else { placed.field.default }
    }

    /// Value of a field that counts as 0 if its word is not there.
    pub(crate) fn present(&self, field: InstructionField) -> u64 {
        if field.word() < self.len { self.value(field) } else { 0 }
    }

    /// Instruction address that a JUMP, BRANCH or LOOP names.
    pub(crate) fn target(&self) -> Option<usize> {
        let field = self.opcode.and_then(Opcode::target_field)?;
        Some(self.value(field) as usize)
    }

    /// A number that depends on all bits, for choices that shall differ between words.
    pub(super) fn mixed(&self, salt: u64) -> u64 {
        // The finaliser of SplitMix64, over one word after the other.
        let mix = |mut z: u64| {
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        self.words[..self.len]
            .iter()
            .fold(salt, |z, word| mix(z.wrapping_add(*word).wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }
}

/// Condition on a field: its value is in a set.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) placed: PlacedField,
    /// The field says how many words the instruction has.
    pub(super) is_chunk: bool,
    pub(super) values: ValueSet,
}

/// Instructions that are excluded: those that meet all conditions.
#[derive(Clone, Debug)]
pub(super) struct WordRule {
    /// Its constraint.
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

    /// Changes the instruction so that it does not meet one of the conditions: a field gets one of
    /// the values that are left; `salt` chooses. Only words that are `free` change, the number of
    /// words and the flag only where nothing else can. False if nothing can.
    pub(super) fn escape(
        &self,
        instruction: &mut Instruction,
        free: [bool; Opcode::MOST_WORDS],
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
