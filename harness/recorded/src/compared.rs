// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a fabric a recording let compare: every register is compared, lacking, excluded, unmapped, or was
//! never compared.

use std::collections::BTreeMap;

use drra_isa::{
    Geometry,
    fabric::{Location, RegisterId},
};
use drra_lockstep::{Amount, Compared, WhyNot};

use crate::{
    map::{RegisterMap, SignalMap},
    plan::{Place, Plan, RowSource},
    tally::Tally,
};

/// Counts in groups by reason and kind of register.
struct Groups<'a> {
    geometry: &'a Geometry,
    all: Compared,
    groups: BTreeMap<(u8, String, RegisterId), (Amount, WhyNot)>,
}

impl<'a> Groups<'a> {
    fn new(geometry: &'a Geometry) -> Self {
        Self { geometry, all: Compared::nothing(), groups: BTreeMap::new() }
    }

    /// What was counted, cycles and ports apart.
    fn finish(mut self) -> Compared {
        for ((_, _, register), (count, why)) in self.groups {
            self.all.leave_out(register, count, why);
        }
        self.all
    }

    /// What a map does not let compare.
    fn left_out(&mut self, left_out: &[(Location, WhyNot)]) {
        left_out.iter().for_each(|(location, why)| self.not_compared(*location, why));
    }

    fn compared(&mut self, location: Location) {
        let width = location.register.width(self.geometry);
        self.all.count(location.unit.kind(), width, true);
    }

    fn not_compared(&mut self, location: Location, why: &WhyNot) {
        let (rank, key) = match why {
            WhyNot::Never => (0, ""),
            WhyNot::Lacking { .. } => (1, ""),
            WhyNot::Excluded { reason } => (2, reason.as_str()),
            WhyNot::Unmapped => (3, ""),
        };
        let width = location.register.width(self.geometry);
        self.all.count(location.unit.kind(), width, false);
        let register = location.register.id();
        let group = self.groups.entry((rank, key.to_owned(), register));
        group.or_insert_with(|| (Amount::default(), why.clone())).0.add(width);
    }
}

impl RegisterMap {
    /// What a design shows all of whose mapped registers are compared in every cycle; cycles and ports are not
    /// counted here.
    pub fn compared(&self, geometry: &Geometry) -> Compared {
        let mut groups = Groups::new(geometry);
        for register in &self.registers {
            groups.compared(register.location);
            if register.is_conditional() {
                groups.all.conditional.add(register.width);
            }
        }
        self.memories.iter().flat_map(|m| &m.blocks).for_each(|block| groups.compared(*block));
        groups.left_out(&self.left_out);
        groups.finish()
    }
}

/// What a run compared.
pub(crate) fn compared(map: &SignalMap, plan: &Plan, tally: &Tally) -> Compared {
    let geometry = plan.layout.geometry();
    let mut groups = Groups::new(geometry);
    let mut mapped = |location: Location, compared: bool| {
        if compared {
            groups.compared(location);
        } else {
            groups.not_compared(location, &WhyNot::Never);
        }
    };
    for (n, place) in plan.places.iter().enumerate() {
        let compared = match place {
            Place::Image { .. } => tally.registers[n],
            Place::Row { tile, row } => tally.rows[*tile][*row],
        };
        mapped(plan.registers[n].location, compared);
    }
    for memory in &plan.memories {
        let tile = memory.tile.index(geometry);
        for block in &memory.blocks {
            let row = block.register.key().index();
            if matches!(plan.rows[tile][row], Some(RowSource::Memory(_))) {
                mapped(*block, tally.rows[tile][row]);
            }
        }
    }
    groups.left_out(&map.left_out);
    Compared {
        cycles: tally.cycles,
        bit_cycles: tally.bit_cycles,
        ports: plan.ports.len(),
        ..groups.finish()
    }
}
