// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values without effect (chapter 1, section 3; chapter 5, 2.1; chapter 7, A6 and B1).

use drra_isa::Opcode;

use super::{Add, CellProgram, Instruction, Kind};

/// A value without effect: the instruction, the field, the condition for its value, and what happens.
type Rule = (Opcode, &'static str, fn(u64, &Instruction) -> bool, &'static str);

const RULES: [Rule; 11] = [
    (Opcode::Refi, "dimarch", |v, i| v & i.value("port_no") == 1, " on w1 or r1: nothing starts"),
    (Opcode::Refi, "compress", |v, _| v == 1, " is reserved"),
    (Opcode::Dpu, "mode", |v, _| [6, 15, 31].contains(&v), " computes nothing, as idle"),
    (Opcode::Swb, "unused0", |v, _| v == 0, ": nothing is connected"),
    (Opcode::Swb, "v_index", |v, _| v > 5, " is not an input: nothing is connected"),
    (Opcode::Swb, "hb_index", |v, _| v == 5 || v == 6, " is not a column: the input reads 0"),
    (Opcode::Loop, "iter", |v, i| v == 0 && i.value("iter_sd") == 0, ": the body is skipped"),
    (Opcode::Raccu, "mode", |v, _| v == 0, ": no register is written"),
    (Opcode::Perm, "mode", |v, _| v > 5, " is reserved: no word is written"),
    (Opcode::Perm, "distance", |v, i| v == 0 && i.value("mode") < 6, KEPT),
    (Opcode::Io, "mask", |v, _| v == 0xffff, ": no word is transferred"),
];

const KEPT: &str = ": every word keeps its value";

pub(super) fn check(program: &CellProgram<'_>, add: &mut Add<'_>) {
    for i in program.instructions.values() {
        for (_, field, applies, effect) in RULES.iter().filter(|rule| i.is(rule.0)) {
            let text = applies(i.value(field), i).then(|| i.shown(field) + effect);
            add(Kind::NoEffect, i, field, text);
        }
    }
}
