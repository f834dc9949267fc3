// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of a description whose form is right (chapter 1, 6.2).

use std::collections::BTreeSet;

use super::{Check, Field, Instruction, Isa, ValueEntry};

impl Check {
    pub(super) fn semantics(&mut self, isa: &Isa) {
        let Isa { word_bits, code_bits, instructions, .. } = isa;
        if code_bits >= word_bits {
            let text = format!(
                "the code of {code_bits} bits leaves no room in a word of {word_bits} bits"
            );
            self.add("ISA-E03", "/instr_code_bitwidth", text);
        }
        for (i, instruction) in instructions.iter().enumerate() {
            let at = format!("/instruction_templates/{i}");
            let earlier = &instructions[..i];
            let Instruction { code, name, cell_kind, .. } = instruction;
            if u64::from(*code) >= 1 << code_bits {
                let text = format!("code {code} does not fit into {code_bits} bits");
                self.add("ISA-E04", format!("{at}/code"), text);
            }
            let same_code = |o: &&Instruction| o.code == *code && o.cell_kind == *cell_kind;
            if let Some(other) = earlier.iter().find(same_code) {
                let text = format!("code {code} is used by {}", other.name);
                self.add("ISA-E05", format!("{at}/code"), text);
            }
            if earlier.iter().any(|o| o.name.eq_ignore_ascii_case(name)) {
                self.add("ISA-E06", format!("{at}/name"), format!("name {name} is used twice"));
            }
            self.fields(&at, instruction);
            self.size(&at, isa, instruction);
            self.modes(&at, instruction);
        }
    }

    /// Each field for itself.
    fn fields(&mut self, at: &str, instruction: &Instruction) {
        for (k, field) in instruction.fields.iter().enumerate() {
            let at = format!("{at}/segment_templates/{k}");
            let Field { name, width, default, .. } = field;
            let taken = |other: &str| other.eq_ignore_ascii_case(name);
            if taken("instr_code") || instruction.fields[..k].iter().any(|f| taken(&f.name)) {
                self.add(
                    "ISA-E07",
                    format!("{at}/name"),
                    format!("field name {name} is used already"),
                );
            }
            if *default >= 1 << width {
                let text = format!("default {default} does not fit into {width} bits");
                self.add("ISA-E09", format!("{at}/default_val"), text);
            }
            if field.controllable && !field.observable {
                let text = format!("field {name} is controllable but not observable");
                self.add("ISA-W02", &at, text);
            }
            self.value_names(&at, field);
        }
    }

    /// The fields in the words of an instruction.
    fn size(&mut self, at: &str, isa: &Isa, instruction: &Instruction) {
        let Instruction { max_chunk, fields, chunk_name, .. } = instruction;
        let place = |k: usize| format!("{at}/segment_templates/{k}");
        let used = isa.code_bits + fields.iter().map(|f| f.width).sum::<u32>();
        let fits = used <= instruction.total_bits(isa);
        if !fits {
            let text =
                format!("{used} bits do not fit into {max_chunk} words of {} bits", isa.word_bits);
            self.add("ISA-E08", format!("{at}/segment_templates"), text);
        }
        if *max_chunk > 1 && used <= isa.word_bits * (max_chunk - 1) {
            self.add("ISA-W03", format!("{at}/max_chunk"), "the last word would hold no field");
        }
        if let (Some(name), None) = (chunk_name, instruction.chunk_field) {
            self.add("ISA-E13", format!("{at}/chunk_field"), format!("there is no field {name}"));
        }
        let (Some(index), true) = (instruction.chunk_field, fits) else { return };
        let chunk = &fields[index];
        let too_narrow = 1u64 << chunk.width < u64::from(*max_chunk);
        let bad_default = chunk.default >= u64::from(*max_chunk);
        if instruction.chunks_of(isa, chunk) != (0, 0) || too_narrow || bad_default {
            let text = format!("chunk field {} cannot hold 0..{}", chunk.name, max_chunk - 1);
            self.add("ISA-E14", place(index), text);
        }
        for (k, field) in fields.iter().enumerate() {
            let (first, last) = instruction.chunks_of(isa, field);
            if first != last {
                let what = "crosses a word boundary in an instruction of variable length";
                self.add("ISA-E15", place(k), format!("field {} {what}", field.name));
            }
        }
    }

    /// The values of a field and their names.
    fn value_names(&mut self, at: &str, field: &Field) {
        let (mut keys, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (k, ValueEntry { key, val }) in field.entries.iter().enumerate() {
            let at = format!("{at}/verbo_map/{k}");
            if *key >= 1 << field.width {
                let text = format!("value {key} does not fit into {} bits", field.width);
                self.add("ISA-E10", format!("{at}/key"), text);
            }
            if !keys.insert(key) {
                self.add("ISA-E11", format!("{at}/key"), format!("value {key} is named twice"));
            }
            let Some(name) = val else { continue };
            if !names.insert(name.to_ascii_lowercase()) {
                self.add("ISA-E12", format!("{at}/val"), format!("name {name} is used twice"));
            }
        }
    }
}
