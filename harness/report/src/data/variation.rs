// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reduced case needs to fail, found by varying it.

use drra_isa::{CellId, Opcode, SizeText, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::InstructionLocation;

/// The result of varying a reduced case: one factor at a time was given other values, and each variation was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// The factors, the most decisive ones first.
    pub factors: Vec<Factor>,
    /// Number of variations run.
    pub runs: u64,
    /// Number of other failing cases that were reduced and varied in the same way, to see whether they have the same
    /// conditions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
    /// True if words that are 0 had other values while fields were varied, because the case then also fails alike.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub filled: bool,
    /// Other failing cases that share none of the conditions, with their own ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<CaseGroup>,
    /// The limit that ended the variation before all values were tried; absent if it was complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<VariationLimit>,
}

/// A failing case with other conditions than the first one; perhaps, another fault violates the same rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseGroup {
    /// Number of the case in the campaign.
    pub case: u64,
    /// Its own conditions.
    pub variation: Variation,
}

/// The limit that ended a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VariationLimit {
    /// The number of runs.
    Runs,
    /// The time, or an interruption. With more time, or on a faster machine, the result may contain more.
    Time,
}

/// A property of a case that was varied while everything else stayed the same. Values are raw: the bits of a field,
/// register or word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// What was varied.
    pub subject: FactorSubject,
    /// Its part in the failure.
    pub role: FactorRole,
    /// Number of bits of a value.
    pub width: u32,
    /// True if a value is a number in two's complement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// The value in the reduced case.
    pub value: u64,
    /// The values with which the case fails with the same signature, ascending; `value` is one of them.
    pub failing: Vec<u64>,
    /// The values with which both sides agree, ascending.
    pub agreeing: Vec<u64>,
    /// The values with which the case fails with another signature, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<u64>,
    /// Number of other cases in which a factor of this kind decides too, and no value contradicts; the lists contain
    /// the values of these cases as well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
}

pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A property of a case that can be varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FactorSubject {
    /// A field of an instruction, or `flag`, its immediate flag.
    Field {
        /// The instruction.
        instruction: InstructionLocation,
        /// Name of the field.
        field: String,
        /// The number of the RACCU register from which the field is read, if this register was varied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register: Option<u64>,
    },
    /// The number of cycles of a WAIT, 0 or 1, between an instruction and the one before it.
    Gap {
        /// The instruction.
        instruction: InstructionLocation,
    },
    /// The instruction at a place of which no field matters; the values are positions in the list of opcodes and numbers
    /// of words.
    Kind {
        /// The instruction.
        instruction: InstructionLocation,
        /// The kinds of instructions.
        kinds: Vec<(Option<Opcode>, u64)>,
    },
    /// Two instructions of different cells take effect in a certain distance (value 1), or not (0).
    Meeting {
        /// The instructions.
        instructions: Vec<InstructionLocation>,
    },
    /// The initial value of a word of a register file or tile.
    Word {
        /// The cell or tile.
        unit: Unit,
        /// Number of the word in the memory.
        word: usize,
    },
    /// All initial words of register files and tiles that are not factors of their own: unchanged (value 0), all 0 (1),
    /// all 0xffff (2), each with the bits of 0x5a5a inverted (3).
    Data,
    /// An input of a DPU that is not connected, and therefore 0; for other values it was connected to a port that reads a
    /// word with this value in every cycle.
    DpuInput {
        /// The cell.
        cell: CellId,
        /// Number of the input, 0 or 1.
        input: u64,
    },
    /// The fabric size; the values are positions in the list.
    Fabric {
        /// The sizes.
        sizes: Vec<SizeText>,
    },
    /// The seed of register bits without a reset value; the values are added to it.
    Seed,
}

/// The part of a factor in a failure.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactorRole {
    /// With some values, both sides agree.
    Decides,
    /// A duration that matters only relative to the others with this role: if all of them grow by the same number, the
    /// case still fails with the same signature.
    Relative,
    /// With some values, both sides agree, but probably because the data no longer arrive where the failure shows: the
    /// factor is a connection, a port, an address or a duration.
    Carries,
    /// The case fails with the same signature with all values tried, which include the smallest and the largest.
    NoEffect,
    /// None of these: values fail with another signature, or too few values could be tried.
    Unclear,
}

impl FactorSubject {
    /// True if both are the same property of two cases: the same field of the same kind of instruction, whether it is read
    /// from a register or not, a word of the
    /// same kind of memory, or the same property of the whole case.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Field { instruction: a, field, .. },
                Self::Field { instruction: b, field: other, .. },
            ) => a.opcode == b.opcode && field == other,
            (Self::Kind { .. }, Self::Kind { .. }) => true,
            (Self::Meeting { instructions: a }, Self::Meeting { instructions: b }) => {
                a.iter().map(|at| at.opcode).eq(b.iter().map(|at| at.opcode))
            }
            (Self::Gap { instruction: a }, Self::Gap { instruction: b }) => a.opcode == b.opcode,
            (Self::DpuInput { input: a, .. }, Self::DpuInput { input: b, .. }) => a == b,
            (Self::Word { unit: a, .. }, Self::Word { unit: b, .. }) => {
                matches!(a, Unit::Cell(_)) == matches!(b, Unit::Cell(_))
            }
            _ => self == other,
        }
    }
}

impl Variation {
    /// The first factor that decides and is a property like this one.
    pub fn deciding(&self, subject: &FactorSubject) -> Option<&Factor> {
        let decides = |f: &&Factor| f.role == FactorRole::Decides && f.subject.is_like(subject);
        self.factors.iter().find(decides)
    }

    /// Adds the result of another failing case: the values of a factor that decides in both cases are joined, unless a
    /// value fails in one case and does not fail alike in the other. Returns the number of these factors.
    pub fn join(&mut self, other: &Self) -> usize {
        self.others += 1;
        self.runs += other.runs;
        self.stopped = self.stopped.or(other.stopped);
        let mut shared = 0;
        for factor in self.factors.iter_mut().filter(|f| f.role == FactorRole::Decides) {
            let Some(theirs) = other.deciding(&factor.subject) else { continue };
            let contradicts = |one: &Factor, other: &Factor| {
                let mut not_alike = one.agreeing.iter().chain(&one.otherwise);
                not_alike.any(|value| other.failing.contains(value))
            };
            if !contradicts(factor, theirs) && !contradicts(theirs, factor) {
                factor.others += 1;
                shared += 1;
                // A register can be wider than a field.
                let end = 1 << factor.bits();
                add_to(&mut factor.failing, &theirs.failing, end);
                add_to(&mut factor.agreeing, &theirs.agreeing, end);
                add_to(&mut factor.otherwise, &theirs.otherwise, end);
                factor.agreeing.retain(|value| !factor.otherwise.contains(value));
            }
        }
        shared
    }
}

/// Adds values below `end` to an ascending list.
fn add_to(values: &mut Vec<u64>, more: &[u64], end: u64) {
    values.extend(more.iter().filter(|value| **value < end));
    values.sort_unstable();
    values.dedup();
}

impl Factor {
    /// Number of bits of a value, at most 32 also in a damaged file.
    pub fn bits(&self) -> u32 {
        self.width.clamp(1, u32::BITS)
    }

    /// The same factor of a case with another value.
    #[must_use]
    pub fn with_value(&self, value: u64) -> Self {
        Self { value, ..self.clone() }
    }

    /// The values tried.
    pub fn values(&self) -> impl Iterator<Item = u64> {
        self.failing.iter().chain(&self.agreeing).chain(&self.otherwise).copied()
    }

    /// Number of values tried.
    pub fn tried(&self) -> usize {
        self.values().count()
    }

    /// The bits whose inversion alone makes both sides agree, if all failing values have the same values of these bits;
    /// else 0.
    pub fn deciding_bits(&self) -> u64 {
        let bits = (0..self.bits()).map(|bit| 1 << bit);
        let mask = bits.filter(|bit| self.agreeing.contains(&(self.value ^ bit))).sum();
        if self.failing.iter().all(|value| (value ^ self.value) & mask == 0) { mask } else { 0 }
    }

    /// The places of the values tried that have the bits of the case's value where `mask` is 1, in ascending order,
    /// each with true if the case fails alike. A place is the number formed by the other bits.
    pub fn order(&self, mask: u64) -> Vec<(u64, bool)> {
        let other = self.agreeing.iter().chain(&self.otherwise).map(|value| (*value, false));
        let all = self.failing.iter().map(|value| (*value, true)).chain(other);
        let fitting = all.filter(|(value, _)| (value ^ self.value) & mask == 0);
        let mut order: Vec<_> = fitting
            .map(|(value, alike)| {
                let free = (0..self.bits()).filter(|bit| mask >> bit & 1 == 0).enumerate();
                let bits = free.map(|(k, bit)| ((value ^ self.sign()) >> bit & 1) << k);
                (bits.sum(), alike)
            })
            .collect();
        order.sort_unstable();
        order
    }

    /// The value at a place of [`Self::order`].
    pub fn value_at(&self, place: u64, mask: u64) -> u64 {
        let free = (0..self.bits()).filter(|bit| mask >> bit & 1 == 0).enumerate();
        let bits: u64 = free.map(|(k, bit)| (place >> k & 1) << bit).sum();
        (bits ^ self.sign()) & !mask | self.value & mask
    }

    /// The bit whose inversion brings raw values into ascending order.
    fn sign(&self) -> u64 {
        u64::from(self.signed) << (self.bits() - 1)
    }
}
