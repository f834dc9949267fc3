// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations with flag 0 that no flag releases, and registers of the RACCU that are read before anything sets
//! them, or set where they do not last (chapter 2, sections 7 and 8).

use drra_isa::Opcode;

use super::{Add, CellProgram, Instruction, Kind};

/// The lowest register that belongs to a loop slot.
const FIRST_ITERATOR: usize = 12;

pub(super) fn check(program: &CellProgram<'_>, add: &mut Add<'_>) {
    for i in program.instructions.values() {
        waiting(program, i, add);
        for (field, register) in i.dynamic_operands() {
            let name = format!("R{register}");
            let setters = program.last_before(i, &|s| s.register() == Some(register));
            if setters == [i] {
                let text = format!("{name} counts from 0, because nothing else sets it before");
                add(Kind::CounterUnset, i, &name, Some(text));
            } else if setters.is_empty() {
                let reason = match register {
                    FIRST_ITERATOR.. => format!("LOOP with loopid={} comes", 15 - register),
                    _ => "RACCU sets it".to_owned(),
                };
                let text = format!("{field} is {name}, which is 0, because no {reason} before");
                add(Kind::RaccuUnset, i, &name, Some(text));
            }
        }
        let result = i.register().filter(|_| i.is(Opcode::Raccu));
        if let Some(register @ FIRST_ITERATOR..) = result {
            // Between the LOOP and the end of its body, the slot can be active.
            let mut loops = program.loops().filter(|l| l.register() == Some(register));
            let active =
                loops.any(|l| program.reached(Some(l), &|i| i.address == l.body().1).contains(&i));
            let (name, slot) = (format!("R{register}"), 15 - register);
            let text = format!("slot {slot} of {name} is not active: the value lasts one cycle");
            add(Kind::RaccuInactive, i, &name, (!active).then_some(text));
        }
    }
}

/// Checks if a configuration with flag 0 is released.
fn waiting(program: &CellProgram<'_>, i: &Instruction, add: &mut Add<'_>) {
    let Some(place) = i.pending() else { return };
    // The cycles behind the program repeat the flag of word 0.
    let idle = program.instructions[&0].immediate;
    let releases = |i: &Instruction| i.immediate || idle && program.following(i).is_empty();
    let replaces = |i: &Instruction| i.pending() == Some(place);
    let following = program.reached(Some(i), &|i| i.immediate || replaces(i));
    if releases(i) || following.iter().any(|i| !replaces(i) && releases(i)) {
        return;
    }
    let (kind, text) = match following.iter().find(|i| replaces(i)) {
        Some(i) => (Kind::Replaced, format!("the {} replaces it while it waits", i.place())),
        None => (Kind::NeverReleased, "no instruction with flag 1 follows".to_owned()),
    };
    add(kind, i, place, Some(text));
}
