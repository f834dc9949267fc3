// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last changes of a unit.

use std::collections::BTreeMap;

use drra_diagnose::BEFORE;
use drra_isa::{
    Unit,
    fabric::{Field, Location, RegisterId},
};
use drra_lockstep::Value;

use super::recording::Recording;
use crate::data::{Reading, RegisterReading, UnitChanges};

/// Once one side has this many changes, earlier cycles are not listed.
const LISTED: usize = 16;
/// Counters are listed only where they differ between the sides.
const COUNTERS: [RegisterId; 2] = [RegisterId::DpuAccCnt, RegisterId::SeqWaitCount];

/// The last changes of a unit, as far as both sides are recorded.
pub(super) fn changes(r: &Recording<'_>, unit: Unit) -> Vec<UnitChanges> {
    let mut by_cycle: BTreeMap<u64, UnitChanges> = BTreeMap::new();
    let mut counts = [0; 2];
    let from = r.mismatch.saturating_sub(BEFORE).max(1);
    for cycle in (from..=r.mismatch).rev() {
        let Some(found) = changes_of(r, unit, cycle) else { break };
        if found.golden.is_empty() && found.rtl.is_empty() {
            continue;
        }
        for (count, side) in counts.iter_mut().zip([&found.golden, &found.rtl]) {
            *count += side.len();
        }
        by_cycle.insert(cycle, found);
        if counts.iter().any(|c| *c >= LISTED) {
            break;
        }
    }
    by_cycle.into_values().collect()
}

/// The changes at the clock edge before a cycle; `None` if the cycles are not recorded.
fn changes_of(r: &Recording<'_>, unit: Unit, cycle: u64) -> Option<UnitChanges> {
    let golden = [r.golden(cycle)?, r.golden(cycle - 1)?].map(|side| side.image(unit));
    let rtl = r.rtl(cycle).zip(r.rtl(cycle - 1));
    let rtl = rtl.map(|(new, old)| [new, old].map(|side| side.image(unit)));
    let differs = |register| {
        let mut differing = r.log.differing.iter();
        differing.any(|(at, spans)| *at == Location { unit, register } && spans.has(cycle))
    };
    let mut found = UnitChanges { cycle, golden: Vec::new(), rtl: Vec::new() };
    for variable in r.layout.variables_of(unit.kind()) {
        let golden = golden.each_ref().map(|image| variable.words(image));
        let rtl = rtl.as_ref().map(|sides| sides.each_ref().map(|image| variable.words(image)));
        if golden[0] == golden[1] && rtl.is_none_or(|[new, old]| new == old) {
            continue;
        }
        for field in &variable.fields {
            let lanes = r.golden(cycle).map_or(1, |now| now.lanes(unit, field.register));
            let [new, old] = golden.map(|words| field.value(words));
            let rtl = rtl.map(|sides| sides.map(|words| field.value(words)));
            if COUNTERS.contains(&field.register.id()) && !differs(field.register) {
                continue;
            }
            if new != old {
                found.golden.push(change(unit, field, new, lanes));
            }
            if let Some([new, old]) = rtl
                && new != old
            {
                found.rtl.push(change(unit, field, new, lanes));
            }
        }
    }
    Some(found)
}

fn change(unit: Unit, field: &Field, words: Vec<u64>, lanes: u32) -> RegisterReading {
    let location = Location { unit, register: field.register };
    let value = Value::new(words, field.width);
    let reading = Reading::of_register(field.register.id(), value).in_lanes(lanes);
    RegisterReading { location, reading }
}
