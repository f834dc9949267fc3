// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data model from JSON of the right form.

use super::{Field, Instruction, Isa, modes};
use crate::json::{At, integer};

/// Member of an object as text, empty if absent.
pub(super) fn text(at: &At<'_>, key: &str) -> String {
    at.member(key).and_then(|m| m.value.as_str()).unwrap_or_default().to_owned()
}

/// Member of an object as a number; one beyond 64 bits becomes the largest, which no check lets
/// pass.
pub(super) fn number(at: &At<'_>, key: &str, absent: u64) -> u64 {
    let value = at.member(key).and_then(|m| integer(m.value)).unwrap_or(absent.into());
    value.min(u64::MAX.into()) as u64
}

/// Elements of a member; none if it is absent.
pub(super) fn items<'a>(at: &At<'a>, key: &str) -> Vec<At<'a>> {
    at.member(key).map(|m| m.items()).unwrap_or_default()
}

pub(super) fn flag(at: &At<'_>, key: &str, absent: bool) -> bool {
    at.member(key).and_then(|m| m.value.as_bool()).unwrap_or(absent)
}

/// Builds the data model from JSON that satisfies the schema.
pub(super) fn build(root: &At<'_>) -> Isa {
    let word_bits = number(root, "instr_bitwidth", 0) as u32;
    let code_bits = number(root, "instr_code_bitwidth", 0) as u32;
    let mut instructions = Vec::new();
    for at in items(root, "instruction_templates") {
        let max_chunk = number(&at, "max_chunk", 1) as u32;
        // The next free bit counted from the top; may run below zero in a description that is
        // too wide, which ISA-E08 reports.
        let mut top = i64::from(word_bits * max_chunk) - i64::from(code_bits);
        let mut fields: Vec<Field> = Vec::new();
        for segment in items(&at, "segment_templates") {
            let width = number(&segment, "bitwidth", 1) as u32;
            top -= i64::from(width);
            let named = |entry: &At<'_>| {
                let name = entry.member("val").map(|_| text(entry, "val"));
                Some((number(entry, "key", 0), name?))
            };
            let values = items(&segment, "verbo_map").iter().filter_map(named).collect();
            fields.push(Field {
                name: text(&segment, "name"),
                width,
                lsb: top.max(0) as u32,
                comment: text(&segment, "comment"),
                default: number(&segment, "default_val", 0),
                controllable: flag(&segment, "controllable", true),
                observable: flag(&segment, "observable", true),
                signed: flag(&segment, "signed", false),
                values,
                renamed: flag(&segment, "renamed", false),
                selector: None,
            });
        }
        for i in 0..fields.len() {
            let wanted = format!("{}_sd", fields[i].name);
            fields[i].selector = fields.iter().position(|f| f.name.eq_ignore_ascii_case(&wanted));
        }
        let kind = text(&at, "cell_kind").to_ascii_lowercase();
        let chunk_name =
            at.member("chunk_field").and_then(|m| m.value.as_str()).unwrap_or("extra").to_owned();
        let chunk_field = fields.iter().position(|f| f.name.eq_ignore_ascii_case(&chunk_name));
        instructions.push(Instruction {
            code: u32::try_from(number(&at, "code", 0)).unwrap_or(u32::MAX),
            name: text(&at, "name"),
            phase: number(&at, "phase", 1) as u32,
            max_chunk,
            chunk_field,
            cell_kind: (!kind.is_empty()).then_some(kind),
            comment: text(&at, "comment"),
            fields,
            modes: items(&at, "modes").iter().map(modes::build).collect(),
        });
    }
    Isa {
        platform: text(root, "platform"),
        revision: text(root, "revision"),
        description: text(root, "description"),
        word_bits,
        code_bits,
        instructions,
    }
}
