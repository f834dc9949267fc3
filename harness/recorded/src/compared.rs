// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison coverage of a waveform: every register counts as compared, missing from the waveform, excluded, unmapped,
//! or mapped but never compared.

use std::collections::BTreeMap;

use drra_fabric::{Location, RegisterId};
use drra_isa::Geometry;
use drra_lockstep::{ComparisonCoverage, StateCount, UncomparedReason, bit_list};

use crate::{
    map::{MappedRegister, RegisterMap, SignalMap},
    plan::EvaluationPlan,
    tally::ComparisonTally,
};

impl RegisterMap {
    /// The coverage of a design if every mapped register is compared in some cycle; `conditional` counts the registers
    /// restricted by `from` or `while` in the map. Cycles and ports are not counted here.
    pub fn compared(&self, geometry: &Geometry) -> ComparisonCoverage {
        let conditional = self.registers.iter().filter(|register| register.is_conditional());
        let mut amount = StateCount::default();
        conditional.for_each(|register| amount.add(register.compared_bits()));
        ComparisonCoverage { conditional: amount, ..self.count(geometry, |_| true) }
    }

    /// Counts the registers of a fabric; `compared` returns whether a mapped register was compared.
    fn count<'a>(
        &'a self,
        geometry: &Geometry,
        compared: impl Fn(Location) -> bool,
    ) -> ComparisonCoverage {
        let mut all = ComparisonCoverage::nothing();
        // By reason and kind of register: the number orders the reasons, and the text distinguishes exclusions.
        let mut groups: BTreeMap<(u8, String, RegisterId), (StateCount, UncomparedReason)> =
            BTreeMap::new();
        let mut count = |location: Location, why: Option<&'a UncomparedReason>| {
            let width = location.register.width(geometry);
            all.count(location.unit.kind(), width, why.is_none());
            let Some(why) = why else { return };
            let (order, text) = match why {
                UncomparedReason::Never => (0, ""),
                UncomparedReason::Lacking { .. } => (1, ""),
                UncomparedReason::Excluded { reason } => (2, reason.as_str()),
                UncomparedReason::Unmapped => (3, ""),
                UncomparedReason::Removed { bits } => (4, bits.as_str()),
            };
            let group = groups.entry((order, text.to_owned(), location.register.id()));
            group.or_insert_with(|| (StateCount::default(), why.clone())).0.add(width);
        };
        for MappedRegister { location, .. } in &self.registers {
            count(*location, (!compared(*location)).then_some(&UncomparedReason::Never));
        }
        self.left_out.iter().for_each(|(location, why)| count(*location, Some(why)));
        let in_part = |r: &&MappedRegister| !r.missing.is_empty() && compared(r.location);
        for MappedRegister { location, missing, .. } in self.registers.iter().filter(in_part) {
            let (bits, amount) = (bit_list(missing), missing.len() as u64);
            let group = groups.entry((4, bits.clone(), location.register.id()));
            let why = UncomparedReason::Removed { bits };
            group.or_insert_with(|| (StateCount::default(), why)).0.bits += amount;
            let unit = all.units.iter_mut().find(|unit| unit.unit == location.unit.kind());
            unit.into_iter().for_each(|unit| unit.compared.bits -= amount);
        }
        for ((_, _, register), (count, why)) in groups {
            all.leave_out(register, count, why);
        }
        all
    }
}

/// The comparison coverage of a run.
pub(crate) fn compared(
    map: &SignalMap,
    plan: &EvaluationPlan,
    tally: &ComparisonTally,
) -> ComparisonCoverage {
    let compared = |location: Location| tally.registers[plan.numbers[&location]];
    ComparisonCoverage {
        cycles: tally.cycles,
        bit_cycles: tally.bit_cycles,
        ports: map.ports.outputs.values().map(Vec::len).sum(),
        ..map.count(plan.layout.geometry(), compared)
    }
}
