// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a register, or a row of a memory, is compared.

use drra_golden::Fabric;
use drra_recorded::map::{CompareFrom, Expression, GoldenTest, MappedRegister};

/// A cycle of a case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) cycle: u64,
    /// First cycle after the load.
    pub(super) load_end: u64,
}

/// When a register, or a row of a memory, is compared, as the map says.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    /// While this is 1.
    pub(super) only_while: Option<Expression>,
    /// While this holds for the golden model.
    while_golden: Option<GoldenTest>,
    /// From then on.
    from: CompareFrom,
}

impl Conditions {
    pub(super) fn of(register: &MappedRegister) -> Self {
        Self {
            only_while: register.while_dump.clone(),
            while_golden: register.while_golden,
            from: register.from,
        }
    }

    /// Whether they hold in a cycle; that of the design is known already.
    pub(super) fn hold(&self, only_while: bool, golden: &Fabric, now: Moment) -> bool {
        let begun = match self.from {
            CompareFrom::Reset => true,
            CompareFrom::LoadEnd => now.cycle >= now.load_end,
            CompareFrom::Cycle(first) => now.cycle >= first,
        };
        let golden_is = |test: &GoldenTest| {
            let words = golden.value(test.location);
            let low = words.and_then(|words| words.first().copied());
            low.is_some_and(|word| (word == test.value) == test.equals)
        };
        only_while && begun && self.while_golden.as_ref().is_none_or(golden_is)
    }
}
