// SPDX-License-Identifier: MIT OR Apache-2.0
//! Targets of jumps, ends of loops, and the nesting of loops (chapter 2, 5.3 and sections 9 and 13).

use drra_isa::Opcode;

use super::{Add, CellProgram, Instruction, Kind};

pub(super) fn check(program: &CellProgram<'_>, add: &mut Add<'_>) {
    for i in program.instructions.values() {
        let field = match i.opcode {
            Some(Opcode::Jump) => "pc",
            Some(Opcode::Branch) => "false_pc",
            Some(Opcode::Loop) => "endpc",
            _ => continue,
        };
        add(Kind::Target, i, field, target(program, i, field));
    }
    for inner in program.loops() {
        let slot = format!("slot {}", inner.value("loopid"));
        add(Kind::LoopOrder, inner, &slot, nesting(program, inner));
    }
}

/// The problem with the target that a field contains.
fn target(program: &CellProgram<'_>, i: &Instruction, field: &str) -> Option<String> {
    let (address, words, is_end) = (i.value(field) as usize, program.words, i.is(Opcode::Loop));
    let (start, found) = program.instructions.range(..=address).next_back()?;
    let (place, body) = (found.place(), i.body().0);
    let problem = match found.opcode {
        _ if is_end && address < body => format!("before the body, which starts at address {body}"),
        _ if address >= words => format!("outside the program, which has {words} words"),
        _ if address == start + 1 => format!("the second word of the {place}"),
        _ if address > *start => format!("the third word of the {place}"),
        _ if is_end && program.ends(found) => {
            format!("the {place}, where the program ends: the loop does not iterate")
        }
        Some(Opcode::Jump | Opcode::Branch) if is_end => {
            format!("the {place}: while the loop iterates, it does not jump")
        }
        _ => return None,
    };
    Some(format!("{field}={address} is {problem}"))
}

/// The problem with a loop inside another one.
fn nesting(program: &CellProgram<'_>, inner: &Instruction) -> Option<String> {
    let around = |l: &&Instruction| (l.body().0..=l.body().1).contains(&inner.address);
    let outer = program.loops().filter(around).last()?;
    let (field, relation) = match inner.value("loopid") > outer.value("loopid") {
        false => ("loopid", "is not above"),
        true if inner.body().1 > outer.body().1 => ("endpc", "is behind"),
        true => return None,
    };
    let (field, other) = (inner.shown(field), outer.shown(field));
    Some(format!("{field} {relation} {other} of the loop of address {} around it", outer.address))
}
