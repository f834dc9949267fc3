// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the state a map lets compare.

use std::collections::BTreeMap;

use drra_isa::Geometry;
use drra_isa::fabric::Location;
use drra_isa::fabric::PortId;
use drra_isa::fabric::RegisterId;
use drra_lockstep::Account;
use drra_lockstep::Count;
use drra_lockstep::NotCompared;
use drra_lockstep::WhyNot;
use drra_recorded::map::RegisterMap;

/// Counts every register. The cycles are those of a run and are not counted here.
pub(super) fn account(map: &RegisterMap, geometry: &Geometry) -> Account {
    let mut account = Account { ports: PortId::ALL.len(), ..Account::default() };
    for register in &map.registers {
        let kind = register.location.unit.kind() as usize;
        account.all[kind].add(register.width);
        account.compared[kind].add(register.width);
    }
    // By reason, then by register: a rank orders the reasons.
    let mut groups: BTreeMap<(u8, &str, RegisterId), NotCompared> = BTreeMap::new();
    let mut leave_out = |location: Location, rank, reason, why: &dyn Fn() -> WhyNot| {
        let width = location.register.width(geometry);
        account.all[location.unit.kind() as usize].add(width);
        let register = location.register.id();
        let group = groups.entry((rank, reason, register));
        let fresh = || NotCompared { register, count: Count::default(), why: why() };
        group.or_insert_with(fresh).count.add(width);
    };
    for l in &map.lacking {
        let why = || WhyNot::Lacking { path: l.path.clone(), nearest: l.nearest.clone() };
        leave_out(l.location, 0, "", &why);
    }
    for e in &map.excluded {
        let why = || WhyNot::Excluded { reason: e.reason.clone() };
        leave_out(e.location, 1, &e.reason, &why);
    }
    for location in &map.unmapped {
        leave_out(*location, 2, "", &|| WhyNot::Unmapped);
    }
    account.not_compared = groups.into_values().collect();
    account
}
