// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of a description whose form is right (chapter 1, 6.2).

use super::{
    Check, Field, Instruction, Isa,
    build::{number, text},
};
use crate::json::At;

impl Check {
    pub(super) fn semantics(&mut self, root: &At<'_>, isa: &Isa) {
        if isa.code_bits >= isa.word_bits {
            self.add(
                "ISA-E03",
                root.key("instr_code_bitwidth"),
                format!(
                    "the code of {} bits leaves no room in a word of {} bits",
                    isa.code_bits, isa.word_bits
                ),
            );
        }
        let templates = root.member("instruction_templates").expect("checked by the schema");
        for (i, (instruction, at)) in isa.instructions.iter().zip(templates.items()).enumerate() {
            let earlier = &isa.instructions[..i];
            if u64::from(instruction.code) >= 1 << isa.code_bits {
                self.add(
                    "ISA-E04",
                    at.key("code"),
                    format!("code {} does not fit into {} bits", instruction.code, isa.code_bits),
                );
            }
            if let Some(other) = earlier
                .iter()
                .find(|o| o.code == instruction.code && o.cell_kind == instruction.cell_kind)
            {
                self.add(
                    "ISA-E05",
                    at.key("code"),
                    format!("code {} is used by {}", instruction.code, other.name),
                );
            }
            if earlier.iter().any(|o| o.name.eq_ignore_ascii_case(&instruction.name)) {
                self.add(
                    "ISA-E06",
                    at.key("name"),
                    format!("name {} is used twice", instruction.name),
                );
            }
            self.instruction(isa, instruction, &at);
            self.modes(instruction, &at);
        }
    }

    pub(super) fn instruction(&mut self, isa: &Isa, instruction: &Instruction, at: &At<'_>) {
        let segments = at.member("segment_templates").map(|s| s.items()).unwrap_or_default();
        for (k, (field, place)) in instruction.fields.iter().zip(&segments).enumerate() {
            let taken = |f: &Field| f.name.eq_ignore_ascii_case(&field.name);
            if field.name.eq_ignore_ascii_case("instr_code")
                || instruction.fields[..k].iter().any(taken)
            {
                self.add(
                    "ISA-E07",
                    place.key("name"),
                    format!("field name {} is used already", field.name),
                );
            }
            if field.default >= 1 << field.width {
                self.add(
                    "ISA-E09",
                    place.key("default_val"),
                    format!("default {} does not fit into {} bits", field.default, field.width),
                );
            }
            if field.controllable && !field.observable {
                self.add(
                    "ISA-W02",
                    &place.pointer,
                    format!("field {} is controllable but not observable", field.name),
                );
            }
            let entries = place.member("verbo_map").map(|m| m.items()).unwrap_or_default();
            self.value_names(field, &entries);
        }

        let field_bits: u32 = instruction.fields.iter().map(|f| f.width).sum();
        let used = isa.code_bits + field_bits;
        let fits = used <= instruction.total_bits(isa);
        if !fits {
            self.add(
                "ISA-E08",
                at.key("segment_templates"),
                format!(
                    "{used} bits do not fit into {} words of {} bits",
                    instruction.max_chunk, isa.word_bits
                ),
            );
        }
        if instruction.max_chunk > 1 && used <= isa.word_bits * (instruction.max_chunk - 1) {
            self.add("ISA-W03", at.key("max_chunk"), "the last word would hold no field");
        }

        if let Some(name) = at.member("chunk_field").and_then(|m| m.value.as_str())
            && instruction.chunk_field.is_none()
        {
            self.add("ISA-E13", at.key("chunk_field"), format!("there is no field {name}"));
        }
        let (Some(index), true) = (instruction.chunk_field, fits) else { return };
        let field = &instruction.fields[index];
        let too_narrow = 1u64 << field.width < u64::from(instruction.max_chunk);
        let bad_default = field.default >= u64::from(instruction.max_chunk);
        if instruction.chunks_of(isa, field) != (0, 0) || too_narrow || bad_default {
            self.add(
                "ISA-E14",
                &segments[index].pointer,
                format!("chunk field {} cannot hold 0..{}", field.name, instruction.max_chunk - 1),
            );
        }
        for (field, place) in instruction.fields.iter().zip(&segments) {
            let (first, last) = instruction.chunks_of(isa, field);
            if first != last {
                self.add(
                    "ISA-E15",
                    &place.pointer,
                    format!(
                        "field {} crosses a word boundary in an instruction of variable length",
                        field.name
                    ),
                );
            }
        }
    }

    /// The value names of a field; an entry without `val` names nothing, but its key counts.
    pub(super) fn value_names(&mut self, field: &Field, entries: &[At<'_>]) {
        let mut keys = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for entry in entries {
            let key = number(entry, "key", 0);
            if key >= 1 << field.width {
                self.add(
                    "ISA-E10",
                    entry.key("key"),
                    format!("value {key} does not fit into {} bits", field.width),
                );
            }
            if keys.contains(&key) {
                self.add("ISA-E11", entry.key("key"), format!("value {key} is named twice"));
            }
            keys.push(key);
            if entry.member("val").is_none() {
                continue;
            }
            let name = text(entry, "val");
            if names.iter().any(|n| n.eq_ignore_ascii_case(&name)) {
                self.add("ISA-E12", entry.key("val"), format!("name {name} is used twice"));
            }
            names.push(name);
        }
    }
}
