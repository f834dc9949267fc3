// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of a description whose form is valid (chapter 1, 6.2).

use std::collections::BTreeSet;

use super::{
    finding::Check,
    model::{Field, Instruction, Isa},
};
use crate::json::LocatedValue;

impl Check {
    pub(super) fn semantics(&mut self, root: &LocatedValue<'_>, isa: &Isa) {
        let Isa { word_bits, code_bits, instructions, .. } = isa;
        if code_bits >= word_bits {
            let text = format!(
                "the code of {code_bits} bits leaves no room in a word of {word_bits} bits"
            );
            self.add("ISA-E03", root.key("instr_code_bitwidth"), text);
        }
        let places = root.list("instruction_templates");
        for (i, (instruction, at)) in instructions.iter().zip(places).enumerate() {
            let earlier = &instructions[..i];
            let Instruction { code, name, cell_kind, .. } = instruction;
            if u64::from(*code) >= 1 << code_bits {
                let text = format!("code {code} does not fit in {code_bits} bits");
                self.add("ISA-E04", at.key("code"), text);
            }
            let same_code = |o: &&Instruction| o.code == *code && o.cell_kind == *cell_kind;
            if let Some(other) = earlier.iter().find(same_code) {
                let text = format!("code {code} is already used by {}", other.name);
                self.add("ISA-E05", at.key("code"), text);
            }
            if earlier.iter().any(|o| o.name.eq_ignore_ascii_case(name)) {
                self.add("ISA-E06", at.key("name"), format!("name {name} is used twice"));
            }
            let segments = at.list("segment_templates");
            self.fields(instruction, &segments);
            self.size(isa, instruction, &at, &segments);
            self.modes(instruction, &at);
        }
    }

    /// Checks the fields one by one.
    fn fields(&mut self, instruction: &Instruction, places: &[LocatedValue<'_>]) {
        for (k, (field, place)) in instruction.fields.iter().zip(places).enumerate() {
            let Field { name, width, default, .. } = field;
            let taken = |other: &str| other.eq_ignore_ascii_case(name);
            if taken("instr_code") || instruction.fields[..k].iter().any(|f| taken(&f.name)) {
                self.add(
                    "ISA-E07",
                    place.key("name"),
                    format!("field name {name} is already used"),
                );
            }
            if *default >= 1 << width {
                let text = format!("default {default} does not fit in {width} bits");
                self.add("ISA-E09", place.key("default_val"), text);
            }
            if field.controllable && !field.observable {
                let text = format!("field {name} is controllable but not observable");
                self.add("ISA-W02", &place.pointer, text);
            }
            self.value_names(field, &place.list("verbo_map"));
        }
    }

    /// Checks the positions of the fields in the words of an instruction.
    fn size(
        &mut self,
        isa: &Isa,
        instruction: &Instruction,
        at: &LocatedValue<'_>,
        places: &[LocatedValue<'_>],
    ) {
        let Instruction { max_chunk, fields, .. } = instruction;
        let used = isa.code_bits + fields.iter().map(|f| f.width).sum::<u32>();
        let fits = used <= instruction.total_bits(isa);
        if !fits {
            let text =
                format!("{used} bits do not fit in {max_chunk} words of {} bits", isa.word_bits);
            self.add("ISA-E08", at.key("segment_templates"), text);
        }
        if *max_chunk > 1 && used <= isa.word_bits * (max_chunk - 1) {
            self.add("ISA-W03", at.key("max_chunk"), "the last word would hold no field");
        }
        if at.member("chunk_field").is_some() && instruction.chunk_field.is_none() {
            let text = format!("there is no field {}", at.text("chunk_field"));
            self.add("ISA-E13", at.key("chunk_field"), text);
        }
        let (Some(index), true) = (instruction.chunk_field, fits) else { return };
        let chunk = &fields[index];
        let too_narrow = 1u64 << chunk.width < u64::from(*max_chunk);
        let bad_default = chunk.default >= u64::from(*max_chunk);
        if instruction.chunks_of(isa, chunk) != (0, 0) || too_narrow || bad_default {
            let text = format!("chunk field {} cannot hold 0..{}", chunk.name, max_chunk - 1);
            self.add("ISA-E14", &places[index].pointer, text);
        }
        for (field, place) in fields.iter().zip(places) {
            let (first, last) = instruction.chunks_of(isa, field);
            if first != last {
                let what = "crosses a word boundary in an instruction of variable length";
                self.add("ISA-E15", &place.pointer, format!("field {} {what}", field.name));
            }
        }
    }

    /// Checks the value names of a field; an entry without `val` defines no name, but its key is checked.
    fn value_names(&mut self, field: &Field, entries: &[LocatedValue<'_>]) {
        let (mut keys, mut names) = (BTreeSet::new(), BTreeSet::new());
        for entry in entries {
            let key = entry.number("key", 0);
            if key >= 1 << field.width {
                let text = format!("value {key} does not fit in {} bits", field.width);
                self.add("ISA-E10", entry.key("key"), text);
            }
            if !keys.insert(key) {
                self.add("ISA-E11", entry.key("key"), format!("value {key} is named twice"));
            }
            let name = entry.text("val");
            if entry.member("val").is_some() && !names.insert(name.to_ascii_lowercase()) {
                self.add("ISA-E12", entry.key("val"), format!("name {name} is used twice"));
            }
        }
    }
}
