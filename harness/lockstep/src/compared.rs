// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison coverage: how much of the state is compared.

use std::cmp::Ordering;

use drra_fabric::{PortId, RegisterId};
use drra_isa::{Geometry, Unit, UnitKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of register patterns that are listed for a reason.
const MAX_NAMES: usize = 12;

/// The part of the state that was compared. A memory row of a tile is counted as a register.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonCoverage {
    /// Cycles in which the design was compared with the golden model.
    pub cycles: u64,
    /// Bits compared, summed over these cycles.
    pub bit_cycles: u64,
    /// True if the cases have several fabric sizes. The registers below are then the registers of all sizes together,
    /// but in any one cycle only the registers of one size are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several_sizes: bool,
    /// Output ports that are compared.
    pub ports: usize,
    /// By kind of unit: cells, columns, tiles, the fabric.
    pub units: Vec<UnitShare>,
    /// Compared registers that a lock-step run compares only while a condition of the map is met.
    #[serde(default, skip_serializing_if = "StateCount::is_zero")]
    pub conditional: StateCount,
    /// State that is not compared, by reason.
    pub not_compared: Vec<UncomparedRegisters>,
}

/// The part of one kind of unit that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitShare {
    /// Kind of unit.
    pub unit: UnitKind,
    /// All registers and bits.
    pub all: StateCount,
    /// Registers and bits compared in at least one cycle.
    pub compared: StateCount,
}

/// Registers and their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateCount {
    /// Registers.
    pub registers: u64,
    /// Bits of these registers.
    pub bits: u64,
}

/// Registers that are not compared, all for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UncomparedRegisters {
    /// The reason.
    pub why: UncomparedReason,
    /// Number of these registers and of their bits.
    pub count: StateCount,
    /// Kinds of registers, irrespective of units and keys.
    pub registers: Vec<RegisterId>,
}

/// Reasons why registers are not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum UncomparedReason {
    /// The design has no such signal.
    Lacking {
        /// Name of a signal that is missing.
        path: String,
        /// Existing names that are closest to it.
        nearest: Vec<String>,
    },
    /// The map excludes them.
    Excluded {
        /// The reason given in the map.
        reason: String,
    },
    /// The map does not mention them.
    Unmapped,
    /// The condition under which they are compared was never met, or their contents were never known.
    Never,
    /// The design lacks bits, as after synthesis. The registers count as compared; only the bits are counted here.
    Removed {
        /// The missing bits, `5 to 4, 1`.
        bits: String,
    },
}

impl StateCount {
    /// Counts one more register.
    pub fn add(&mut self, width_bits: u32) {
        *self = self.and(Self { registers: 1, bits: u64::from(width_bits) });
    }

    fn and(self, more: Self) -> Self {
        Self { registers: self.registers + more.registers, bits: self.bits + more.bits }
    }

    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl std::iter::Sum for StateCount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Self::and)
    }
}

impl ComparisonCoverage {
    /// A coverage in which nothing has been counted yet.
    pub fn nothing() -> Self {
        let none = StateCount::default();
        let units = UnitKind::ALL.map(|unit| UnitShare { unit, all: none, compared: none });
        Self { units: units.into(), ..Self::default() }
    }

    /// The coverage of designs of these sizes that show their whole state; no cycles have been counted yet.
    pub fn whole(sizes: &[Geometry]) -> Self {
        let mut whole = Self { ports: PortId::ALL.len(), ..Self::nothing() };
        for (geometry, unit) in sizes.iter().flat_map(|g| Unit::all(g).map(move |unit| (g, unit))) {
            for id in RegisterId::ALL.iter().filter(|id| id.info().unit == unit.kind()) {
                id.all(geometry).for_each(|r| whole.count(unit.kind(), r.width(geometry), true));
            }
        }
        whole
    }

    /// Counts one more register.
    pub fn count(&mut self, kind: UnitKind, width_bits: u32, compared: bool) {
        for share in self.units.iter_mut().filter(|share| share.unit == kind) {
            share.all.add(width_bits);
            if compared {
                share.compared.add(width_bits);
            }
        }
    }

    /// Adds registers that are not compared: to the last entry if it has the same reason, else as a new entry.
    pub fn leave_out(&mut self, register: RegisterId, count: StateCount, why: UncomparedReason) {
        match self.not_compared.last_mut() {
            Some(last) if last.why == why => {
                last.count = last.count.and(count);
                last.registers.push(register);
            }
            _ => self.not_compared.push(UncomparedRegisters {
                why,
                count,
                registers: vec![register],
            }),
        }
    }

    /// Number of all registers and of their bits.
    pub fn all(&self) -> StateCount {
        self.units.iter().map(|u| u.all).sum()
    }

    /// Number of registers and bits compared in at least one cycle.
    pub fn compared(&self) -> StateCount {
        self.units.iter().map(|u| u.compared).sum()
    }

    /// Compared bits as a percentage of all bits.
    pub fn percent(&self) -> f64 {
        100.0 * self.compared().bits as f64 / self.all().bits.max(1) as f64
    }

    /// Orders by the percentage of compared bits.
    pub fn by_percent(&self, other: &Self) -> Ordering {
        self.percent().total_cmp(&other.percent())
    }

    /// The percentage of compared bits as text, which is 100 % only if all bits are compared.
    pub fn percent_text(&self) -> String {
        let most = if self.compared().bits == self.all().bits { 100.0 } else { 99.9 };
        format!("{:.1} %", self.percent().min(most))
    }

    /// True if every register is compared unconditionally.
    pub fn is_whole(&self) -> bool {
        self.compared() == self.all() && self.conditional.is_zero()
    }

    /// The coverage of runs with this total number of cycles, for a design that compares the same registers in every
    /// cycle.
    pub fn in_cycles(self, cycles: u64) -> Self {
        Self { cycles, bit_cycles: cycles * self.compared().bits, ..self }
    }

    /// The amount compared, as text, which begins with the percentage if this is not 100 %.
    pub fn text(&self) -> String {
        format!("{} in {} cycles, {} output ports", self.share(), self.cycles, self.ports)
    }

    /// The share of the state that was compared, as text, which begins with the percentage if this is not 100 %.
    pub fn share(&self) -> String {
        let (all, compared) = (self.all(), self.compared());
        let share = match compared.bits == all.bits {
            true => String::new(),
            false => format!("{}: ", self.percent_text()),
        };
        let conditional = match self.conditional.registers {
            0 => String::new(),
            n => format!(", {n} of them while a condition of the map holds"),
        };
        format!(
            "{share}{} of {} registers ({} of {} bits){conditional}",
            compared.registers, all.registers, compared.bits, all.bits
        )
    }

    /// State that was not compared in some or all cycles, one line per reason; all signals missing from the design
    /// share a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.in_part());
        let is_lacking =
            |n: &&UncomparedRegisters| matches!(n.why, UncomparedReason::Lacking { .. });
        let lacking: Vec<&UncomparedRegisters> =
            self.not_compared.iter().filter(is_lacking).collect();
        for n in self.not_compared.iter().filter(|n| !is_lacking(n)) {
            lines.push(format!("{}: {}", n.text(), n.names()));
        }
        if let Some(first) = lacking.first() {
            let all = UncomparedRegisters {
                why: first.why.clone(),
                count: lacking.iter().map(|n| n.count).sum(),
                registers: lacking.iter().flat_map(|n| n.registers.clone()).collect(),
            };
            lines.push(format!("{}: {}", all.text(), all.names()));
        }
        lines
    }

    /// The share of the compared bits that was left out, summed over the cycles; `None` if nothing was left out, or
    /// for cases of several sizes.
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
            "{share} of these bits, summed over the cycles: a condition in the map did not hold, or contents were not \
             known"
        ))
    }
}

impl UncomparedRegisters {
    /// The number of registers and the reason.
    pub fn text(&self) -> String {
        let why = match &self.why {
            UncomparedReason::Lacking { path, nearest } => {
                let near = match &*nearest.join(", ") {
                    "" => "nothing like it".to_owned(),
                    names => names.to_owned(),
                };
                format!("not in the design: {path} (nearest: {near})")
            }
            UncomparedReason::Excluded { reason } => format!("excluded: {reason}"),
            UncomparedReason::Unmapped => "not in the map".to_owned(),
            UncomparedReason::Never => {
                "the condition never held or the value was never known".to_owned()
            }
            UncomparedReason::Removed { bits } => {
                let count = self.count.bits;
                return format!(
                    "{count} bits of registers compared in part, bits {bits} not in the design"
                );
            }
        };
        format!("{} registers ({} bits), {why}", self.count.registers, self.count.bits)
    }

    /// The registers, as patterns, at most `MAX_NAMES`.
    pub fn names(&self) -> String {
        let mut names: Vec<String> = self.registers.iter().copied().map(pattern).collect();
        let others = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        names.extend((others > 0).then(|| format!("and {others} others")));
        names.join(" ")
    }
}

/// The registers of one kind in all units, `cell.rf.agu[{agu}].state`.
fn pattern(register: RegisterId) -> String {
    format!("{}.{}", register.info().unit, register.info().path)
}
