// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the data model from JSON of the right form.

use super::{
    model::{Field, Instruction, Isa},
    modes,
};
use crate::json::LocatedValue;

/// Builds the data model from JSON that satisfies the schema.
pub(super) fn build(root: &LocatedValue<'_>) -> Isa {
    let word_bits = root.number("instr_bitwidth", 0) as u32;
    let code_bits = root.number("instr_code_bitwidth", 0) as u32;
    let mut instructions = Vec::new();
    for at in root.list("instruction_templates") {
        let max_chunk = at.number("max_chunk", 1) as u32;
        // Number of bits below the fields so far; may go below zero in an instruction whose fields are too wide, which
        // ISA-E08 reports.
        let mut top = i64::from(word_bits * max_chunk) - i64::from(code_bits);
        let mut fields: Vec<Field> = Vec::new();
        for segment in at.list("segment_templates") {
            let width = segment.number("bitwidth", 1) as u32;
            top -= i64::from(width);
            let named = |entry: &LocatedValue<'_>| {
                let name = entry.member("val").map(|_| entry.text("val"));
                Some((entry.number("key", 0), name?))
            };
            let values = segment.list("verbo_map").iter().filter_map(named).collect();
            fields.push(Field {
                name: segment.text("name"),
                width,
                lsb: top.max(0) as u32,
                comment: segment.text("comment"),
                default: segment.number("default_val", 0),
                controllable: segment.flag("controllable", true),
                observable: segment.flag("observable", true),
                signed: segment.flag("signed", false),
                values,
                renamed: segment.flag("renamed", false),
                selector: None,
            });
        }
        for i in 0..fields.len() {
            let wanted = format!("{}_sd", fields[i].name);
            fields[i].selector = fields.iter().position(|f| f.name.eq_ignore_ascii_case(&wanted));
        }
        let kind = at.text("cell_kind").to_ascii_lowercase();
        let chunk_name =
            at.member("chunk_field").and_then(|m| m.value.as_str()).unwrap_or("extra").to_owned();
        let chunk_field = fields.iter().position(|f| f.name.eq_ignore_ascii_case(&chunk_name));
        instructions.push(Instruction {
            code: u32::try_from(at.number("code", 0)).unwrap_or(u32::MAX),
            name: at.text("name"),
            phase: at.number("phase", 1) as u32,
            max_chunk,
            chunk_field,
            cell_kind: (!kind.is_empty()).then_some(kind),
            comment: at.text("comment"),
            fields,
            modes: at.list("modes").iter().map(modes::build).collect(),
        });
    }
    Isa {
        platform: root.text("platform"),
        revision: root.text("revision"),
        description: root.text("description"),
        word_bits,
        code_bits,
        instructions,
    }
}
