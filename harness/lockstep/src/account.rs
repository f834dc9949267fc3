// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the state was compared, for a design that does not show everything.

use drra_isa::{
    Geometry, Unit, UnitKind,
    fabric::{PortId, RegisterId},
};

/// Registers and their bits; a row of a tile's memory counts as a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Registers.
    pub registers: u64,
    /// Bits of them.
    pub bits: u64,
}

impl Count {
    /// Counts one more register.
    pub fn add(&mut self, width_bits: u32) {
        self.registers += 1;
        self.bits += u64::from(width_bits);
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, count| Self {
            registers: sum.registers + count.registers,
            bits: sum.bits + count.bits,
        })
    }
}

/// Registers of one kind that are not compared for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCompared {
    /// Which register; its units and keys differ.
    pub register: RegisterId,
    /// How many.
    pub count: Count,
    /// Why.
    pub why: WhyNot,
}

/// Why registers are not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyNot {
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

/// How much of the state was compared. Every register is either compared or in [`Account::not_compared`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Cycles in which both sides were compared.
    pub cycles: u64,
    /// All registers of the fabric, by kind of unit.
    pub all: [Count; UnitKind::ALL.len()],
    /// Those compared in at least one cycle, by kind of unit.
    pub compared: [Count; UnitKind::ALL.len()],
    /// Those among them that a design in lock-step lets compare only while a condition of its map holds. They count
    /// as compared, whether it ever held or not.
    pub conditional: Count,
    /// Bits compared, summed over all cycles.
    pub bit_cycles: u64,
    /// The others, by reason, then in table order.
    pub not_compared: Vec<NotCompared>,
    /// Output ports that are compared.
    pub ports: usize,
}

impl Account {
    /// That of designs of these sizes that show everything; cycles are not counted yet.
    pub fn whole(sizes: &[Geometry]) -> Self {
        let mut account = Self { ports: PortId::ALL.len(), ..Self::default() };
        let units = |geometry| Unit::all(geometry).map(move |unit| (geometry, unit));
        for (geometry, unit) in sizes.iter().flat_map(units) {
            let kind = unit.kind();
            for id in RegisterId::ALL.iter().filter(|id| id.info().unit == kind) {
                let all = &mut account.all[kind as usize];
                id.all(geometry).for_each(|register| all.add(register.width(geometry)));
            }
        }
        account.compared = account.all;
        account
    }

    /// All registers of the fabric.
    pub fn total(&self) -> Count {
        self.all.iter().copied().sum()
    }

    /// Registers compared in at least one cycle.
    pub fn total_compared(&self) -> Count {
        self.compared.iter().copied().sum()
    }

    /// As the account of a run that ended after so many cycles, for a design that compares the same registers in
    /// every cycle.
    pub fn in_cycles(self, cycles: u64) -> Self {
        Self { cycles, bit_cycles: cycles * self.total_compared().bits, ..self }
    }

    /// True if some unit kind is not compared as a whole.
    pub fn is_partial(&self) -> bool {
        self.all != self.compared
    }
}
