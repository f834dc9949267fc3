// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the state was compared.

use drra_isa::{UnitKind, fabric::RegisterId};
use drra_lockstep::{Account, Count, WhyNot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::Named;

/// How much of the state was compared, for a design that does not show everything. A row of a tile's memory
/// counts as a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Cycles in which both sides were compared.
    pub cycles: u64,
    /// Bits compared, summed over these cycles.
    pub bit_cycles: u64,
    /// Cases are of several sizes of the fabric: the registers below are those of all sizes together, and in a cycle
    /// those of one are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several_sizes: bool,
    /// Output ports that are compared.
    pub ports: usize,
    /// By kind of unit: cells, columns, tiles, the fabric.
    pub units: Vec<UnitShare>,
    /// Those among the compared ones that are compared only while a condition of the map holds, in lock-step.
    #[serde(default, skip_serializing_if = "Amount::is_zero")]
    pub conditional: Amount,
    /// What is not compared, by reason.
    pub not_compared: Vec<NotCompared>,
}

/// How much of one kind of unit was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitShare {
    /// Kind of unit.
    pub unit: String,
    /// All registers and bits.
    pub all: Amount,
    /// Those compared in at least one cycle.
    pub compared: Amount,
}

/// Registers and their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    /// Registers.
    pub registers: u64,
    /// Bits of them.
    pub bits: u64,
}

/// Registers that are not compared for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotCompared {
    /// The reason.
    pub why: NotComparedWhy,
    /// How many.
    pub count: Amount,
    /// Which ones; their units and keys differ.
    pub registers: Vec<Named<RegisterId>>,
}

/// Why registers are not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum NotComparedWhy {
    /// The design has no such signal.
    Lacking {
        /// Name of one that is missing.
        path: String,
        /// Names that exist and are nearest to it.
        nearest: Vec<String>,
    },
    /// The map leaves them out.
    Excluded {
        /// The reason that it gives.
        reason: String,
    },
    /// The map does not mention them.
    Unmapped,
    /// The condition under which they are compared never held, or their content was never known.
    Never,
}

impl Amount {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Count> for Amount {
    fn from(count: Count) -> Self {
        Self { registers: count.registers, bits: count.bits }
    }
}

impl From<&Account> for Compared {
    fn from(account: &Account) -> Self {
        let share = |kind: UnitKind| UnitShare {
            unit: kind.to_string(),
            all: account.all[kind as usize].into(),
            compared: account.compared[kind as usize].into(),
        };
        let mut not_compared: Vec<NotCompared> = Vec::new();
        for n in &account.not_compared {
            let why = NotComparedWhy::from(&n.why);
            let count = n.count;
            match not_compared.last_mut() {
                Some(last) if last.why == why => {
                    last.count.registers += count.registers;
                    last.count.bits += count.bits;
                    last.registers.push(n.register.into());
                }
                _ => not_compared.push(NotCompared {
                    why,
                    count: count.into(),
                    registers: vec![n.register.into()],
                }),
            }
        }
        Self {
            cycles: account.cycles,
            bit_cycles: account.bit_cycles,
            several_sizes: false,
            ports: account.ports,
            units: UnitKind::ALL.into_iter().map(share).collect(),
            conditional: account.conditional.into(),
            not_compared,
        }
    }
}

impl From<&WhyNot> for NotComparedWhy {
    fn from(why: &WhyNot) -> Self {
        match why {
            WhyNot::Lacking { path, nearest } => {
                Self::Lacking { path: path.clone(), nearest: nearest.clone() }
            }
            WhyNot::Excluded { reason } => Self::Excluded { reason: reason.clone() },
            WhyNot::Unmapped => Self::Unmapped,
            WhyNot::Never => Self::Never,
        }
    }
}

impl Compared {
    /// True if every register is compared, without a condition.
    pub fn is_whole(&self) -> bool {
        self.compared() == self.all() && self.conditional.is_zero()
    }

    /// All registers.
    pub fn all(&self) -> Amount {
        sum(self.units.iter().map(|u| u.all))
    }

    /// As that of runs with so many cycles together, for a design that compares the same registers in every cycle.
    pub fn in_cycles(self, cycles: u64) -> Self {
        Self { cycles, bit_cycles: cycles * self.compared().bits, ..self }
    }

    /// Those compared in at least one cycle.
    pub fn compared(&self) -> Amount {
        sum(self.units.iter().map(|u| u.compared))
    }
}

fn sum(amounts: impl Iterator<Item = Amount>) -> Amount {
    amounts.fold(Amount::default(), |sum, a| Amount {
        registers: sum.registers + a.registers,
        bits: sum.bits + a.bits,
    })
}
