// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands from RACCU registers, converted as in chapter 2, 6.2.

use std::collections::{BTreeMap, BTreeSet};

use drra_generate::{Profile, generate};
use drra_isa::{Geometry, Opcode};

use crate::constraints::{LoadedInstruction, by_cell};

/// Two profiles of one cell and one sequence with the same cases, except that operands of the second one never come from registers.
fn profiles(scenarios: &str) -> [Profile; 2] {
    let of = |opcode: &Opcode| {
        let selectors = opcode.fields().iter().filter_map(|placed| placed.field.selector);
        selectors.map(|k| (*opcode, &opcode.fields()[k].field.name)).collect::<Vec<_>>()
    };
    let never = |(opcode, name)| {
        format!(r#"{{"instruction": "{opcode}", "fields": {{"{name}": {{"is": [1]}}}}}}"#)
    };
    let never: Vec<String> = Opcode::ALL.iter().flat_map(of).map(never).collect();
    [String::new(), never.join(", ")].map(|constraints| {
        let text = format!(
            r#"{{"version": 1, "name": "x", "cells": [1, 1], "io_cells": 0.5, "dynamic": 1,
                "scenarios_per_cell": 1, "scenarios": {{{scenarios}}}, "constraints": [{constraints}]}}"#
        );
        Profile::parse(&text, None).unwrap()
    })
}

/// Raw value of a field with its upper bits, and their number.
fn whole(one: &LoadedInstruction, name: &str) -> (u64, u32) {
    let decoded = one.decoded.as_ref().unwrap();
    let fields = &decoded.instruction.fields;
    let of = |name: &str| {
        let k = fields.iter().position(|field| field.name == name)?;
        Some((decoded.values[k], fields[k].width))
    };
    let (value, width) = of(name).unwrap();
    of(&format!("{name}_ext")).map_or((value, width), |(v, w)| (v << width | value, width + w))
}

/// The instructions of a program one after another: a loop can also end within an instruction.
fn in_order(program: &[LoadedInstruction]) -> impl Iterator<Item = &LoadedInstruction> {
    let mut next = 0;
    program.iter().filter(move |one| {
        let follows = one.at >= next && one.decoded.is_some();
        if follows {
            next = one.at + one.flags.len();
        }
        follows
    })
}

/// Operands of a program that come from registers that are written once: the index of the instruction among those that
/// are no loads, its field, the raw value that the field gets, and whether the operand ignores bits of the register.
fn converted(program: &[LoadedInstruction]) -> Vec<(usize, String, u64, bool)> {
    let mut registers: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    let (mut all, mut index) = (Vec::new(), 0);
    for one in in_order(program) {
        let decoded = one.decoded.as_ref().unwrap();
        let raw = |name: &str| whole(one, name).0;
        if one.is("RACCU") {
            let [a, b] = ["operand1", "operand2"].map(raw);
            let known = raw("operand1_sd") == 0 && raw("operand2_sd") == 0;
            let result = match raw("mode") {
                1 => Some(a + b),
                2 => Some(a.wrapping_sub(b)),
                _ => None,
            };
            let value = result.filter(|_| known).map(|value| value & 127);
            // A register that changes is left out.
            registers.entry(raw("result")).and_modify(|known| *known = None).or_insert(value);
            continue;
        }
        if one.is("WAIT") {
            continue;
        }
        for field in &decoded.instruction.fields {
            if field.selector.is_none_or(|k| decoded.values[k] == 0) {
                continue;
            }
            let Some(Some(r)) = registers.get(&(raw(&field.name) & 15)) else { continue };
            let value = match (decoded.instruction.name.as_str(), field.name.as_str()) {
                ("LOOP", "start" | "step") => r >> 6 << 5 | r & 31,
                ("SRAM", "l1_step" | "l2_step") => r >> 6 << 7 | r,
                (_, name) => r & ((1 << whole(one, name).1) - 1),
            };
            all.push((index, field.name.clone(), value, r > &value));
        }
        index += 1;
    }
    all
}

/// A register supplies the value that the field has in the same case without registers. Each of `expected` moves into a
/// register in some case: an instruction, a field, and the least of its raw values. Registers of `ignored` operands also
/// have bits that the operands ignore.
#[track_caller]
fn check(scenarios: &str, of: &[&str], expected: &[(&str, &str, u64)], ignored: &[(&str, &str)]) {
    let profiles = profiles(scenarios);
    let (mut seen, mut wide) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..400 {
        let cases = profiles.each_ref().map(|p| generate(p, seed, &Geometry::default()).case);
        let [dynamic, fixed] = cases.map(|case| by_cell(&case));
        for (cell, program) in dynamic {
            let fixed: Vec<&LoadedInstruction> =
                in_order(&fixed[&cell]).filter(|i| !i.is("RACCU") && !i.is("WAIT")).collect();
            for (index, name, value, ignores) in converted(&program) {
                // The longer program can end earlier.
                let Some(one) = fixed.get(index).filter(|i| of.iter().any(|n| i.is(n))) else {
                    continue;
                };
                assert_eq!(value, whole(one, &name).0, "seed {seed}, {cell:?}: {index} {name}");
                let instruction = one.decoded.as_ref().unwrap().instruction.name.clone();
                if ignores {
                    wide.insert((instruction.clone(), name.clone()));
                }
                seen.insert((instruction, name, value));
            }
        }
    }
    for (instruction, field, least) in expected {
        let found = seen.iter().any(|(i, f, v)| i == instruction && f == field && v >= least);
        assert!(found, "{instruction} {field} {least}: {seen:?}");
    }
    for (instruction, field) in ignored {
        let found = wide.iter().any(|(i, f)| i == instruction && f == field);
        assert!(found, "{instruction} {field}: {wide:?}");
    }
}

#[test]
fn registers_hold_what_they_replace() {
    check(
        r#""stream": 2, "tile_load": 2, "tile_store": 2, "io_in": 2, "io_out": 2, "copy": 1"#,
        &["REFI", "SRAM", "IO"],
        &[
            ("REFI", "init_addr", 40),
            ("REFI", "l1_delay", 16),
            ("SRAM", "init_addr", 100),
            ("SRAM", "l1_step", 0x80),
            ("IO", "init_addr", 100),
            ("IO", "l1_step", 16),
        ],
        &[("REFI", "l1_iter"), ("SRAM", "init_delay"), ("IO", "l1_iter")],
    );
}

#[test]
fn loops_get_what_they_replace() {
    check(
        r#""loops": 1"#,
        &["LOOP"],
        &[("LOOP", "start", 32), ("LOOP", "step", 32), ("LOOP", "iter", 32), ("LOOP", "iter", 0)],
        &[("LOOP", "iter"), ("LOOP", "start")],
    );
}
