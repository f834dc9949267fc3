// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction set description files (chapter 1, section 6): data model and loader.

mod modes;

use std::fmt;

use serde_json::Value;

use crate::json::At;
use crate::json::integer;
use crate::json::is_identifier;
pub use modes::ModeEntry;

/// A loaded instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isa {
    /// Name of the platform, shown only.
    pub platform: String,
    /// Name of the revision, may be empty.
    pub revision: String,
    /// Free text, may be empty.
    pub description: String,
    /// Bits of an instruction word.
    pub word_bits: u32,
    /// Bits of the instruction code.
    pub code_bits: u32,
    /// Instructions in file order.
    pub instructions: Vec<Instruction>,
}

/// One instruction of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Instruction code.
    pub code: u32,
    /// Mnemonic as written in the file.
    pub name: String,
    /// Number of scheduling phases.
    pub phase: u32,
    /// Largest number of words.
    pub max_chunk: u32,
    /// Index of the field that holds the number of following words.
    pub chunk_field: Option<usize>,
    /// Kind of cell that has this instruction, lower case; `None`: every cell.
    pub cell_kind: Option<String>,
    /// Free text.
    pub comment: String,
    /// Fields in packing order.
    pub fields: Vec<Field>,
    /// Properties of the values of the field `mode`, in file order; empty if the description does
    /// not say.
    pub modes: Vec<ModeEntry>,
}

/// One field of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name as written in the file.
    pub name: String,
    /// Width in bits, 1 to 32.
    pub width: u32,
    /// Lowest bit in the concatenated instruction (chapter 1, section 1).
    pub lsb: u32,
    /// Free text.
    pub comment: String,
    /// Raw value when not written.
    pub default: u64,
    /// May be written in assembly.
    pub controllable: bool,
    /// Part of the decoded record.
    pub observable: bool,
    /// Two's complement.
    pub signed: bool,
    /// Value names in file order.
    pub values: Vec<(u64, String)>,
    /// Index of the field `x_sd` of a field `x`.
    pub selector: Option<usize>,
}

impl Field {
    /// Highest bit in the concatenated instruction.
    pub fn msb(&self) -> u32 {
        self.lsb + self.width - 1
    }

    /// True for fields that neither a program nor a decoder uses.
    pub fn is_padding(&self) -> bool {
        !self.controllable && !self.observable
    }

    /// Name of a raw value, if it has one.
    pub fn value_name(&self, raw: u64) -> Option<&str> {
        self.values.iter().find(|(key, _)| *key == raw).map(|(_, name)| name.as_str())
    }

    /// Raw value of a name, in any case.
    pub fn value_of(&self, name: &str) -> Option<u64> {
        self.values.iter().find(|(_, val)| val.eq_ignore_ascii_case(name)).map(|(key, _)| *key)
    }

    /// A raw value as a number: sign-extended if the field is signed.
    pub fn number(&self, raw: u64) -> i64 {
        if self.signed && raw >> (self.width - 1) & 1 == 1 {
            raw as i64 - (1i64 << self.width)
        } else {
            raw as i64
        }
    }
}

impl Instruction {
    /// Bits of the concatenated instruction.
    pub fn total_bits(&self, isa: &Isa) -> u32 {
        isa.word_bits * self.max_chunk
    }

    /// Index of a field by name, in any case.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name.eq_ignore_ascii_case(name))
    }

    /// First and last chunk that hold bits of the field.
    pub fn chunks_of(&self, isa: &Isa, field: &Field) -> (u32, u32) {
        let top = self.total_bits(isa) - 1;
        ((top - field.msb()) / isa.word_bits, (top - field.lsb) / isa.word_bits)
    }

    /// Number of words of an instruction whose chunk field has this raw value (chapter 1,
    /// section 1): one word if the value is too large.
    pub fn words_for(&self, chunk_value: u64) -> u32 {
        if chunk_value < u64::from(self.max_chunk) { chunk_value as u32 + 1 } else { 1 }
    }
}

impl Isa {
    /// The instruction with a code in an I/O cell or an ordinary one. An instruction of kind `io`
    /// hides the one with the same code and no kind.
    pub fn by_code(&self, code: u32, io_cell: bool) -> Option<&Instruction> {
        let with = |kind: Option<&str>| {
            self.instructions.iter().find(|i| i.code == code && i.cell_kind.as_deref() == kind)
        };
        let special = if io_cell { with(Some("io")) } else { None };
        special.or_else(|| with(None))
    }

    /// The instruction with a mnemonic, in any case, whatever cells have it.
    pub fn by_name(&self, name: &str) -> Option<&Instruction> {
        self.instructions.iter().find(|i| i.name.eq_ignore_ascii_case(name))
    }

    /// True if cells of that kind have the instruction.
    pub fn available(&self, instruction: &Instruction, io_cell: bool) -> bool {
        self.by_code(instruction.code, io_cell).is_some_and(|i| std::ptr::eq(i, instruction))
    }
}

/// One error or warning of the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `ISA-E01` .. `ISA-E18`, `ISA-W01` .. `ISA-W03`.
    pub code: &'static str,
    /// JSON pointer of the offending element.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// True for errors, false for warnings.
    pub fn is_error(&self) -> bool {
        self.code.starts_with("ISA-E")
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.pointer, self.message)
    }
}

/// What the loader found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Errors and warnings in the order of the checks.
    pub findings: Vec<Finding>,
    /// The description, if there is no error.
    pub isa: Option<Isa>,
}

impl Report {
    /// The errors alone.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.is_error())
    }
}

/// Reads a description and runs every check of chapter 1, 6.2. ISA-E01 and ISA-E02 end the checks;
/// all others run to the end.
pub fn load(text: &str) -> Report {
    let mut check = Check::default();
    let json: Value = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(e) => {
            check.add("ISA-E01", "", format!("not JSON: {e}"));
            return Report { findings: check.findings, isa: None };
        }
    };
    let root = At::root(&json);
    check.schema(&root);
    if check.findings.iter().any(Finding::is_error) {
        return Report { findings: check.findings, isa: None };
    }
    let isa = build(&root);
    check.semantics(&root, &isa);
    let failed = check.findings.iter().any(Finding::is_error);
    Report { findings: check.findings, isa: (!failed).then_some(isa) }
}

#[derive(Default)]
pub(crate) struct Check {
    findings: Vec<Finding>,
}

const TOP_KEYS: &[&str] = &[
    "platform",
    "instr_bitwidth",
    "instr_code_bitwidth",
    "instruction_templates",
    "revision",
    "description",
];
const INSTRUCTION_KEYS: &[&str] = &[
    "code",
    "name",
    "phase",
    "max_chunk",
    "segment_templates",
    "chunk_field",
    "cell_kind",
    "comment",
    "modes",
];
const FIELD_KEYS: &[&str] = &[
    "name",
    "bitwidth",
    "comment",
    "default_val",
    "controllable",
    "observable",
    "signed",
    "verbo_map",
];
const VALUE_KEYS: &[&str] = &["key", "val"];

impl Check {
    pub(crate) fn add(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding { code, pointer: pointer.into(), message: message.into() });
    }

    // ---- the schema (isa.schema.json) ----

    fn schema(&mut self, root: &At<'_>) {
        if !self.is_object(
            root,
            &["platform", "instr_bitwidth", "instr_code_bitwidth", "instruction_templates"],
        ) {
            return;
        }
        self.text(root, "platform", 1);
        self.text(root, "revision", 1);
        self.text(root, "description", 0);
        self.int(root, "instr_bitwidth", 2, 64);
        self.int(root, "instr_code_bitwidth", 1, 16);
        self.unknown(root, TOP_KEYS);
        for instruction in self.array(root, "instruction_templates", 1, true) {
            if !self.is_object(&instruction, &["code", "name"]) {
                continue;
            }
            self.int(&instruction, "code", 0, i128::MAX);
            self.identifier(&instruction, "name");
            self.int(&instruction, "phase", 1, 5);
            self.int(&instruction, "max_chunk", 1, 8);
            self.identifier(&instruction, "chunk_field");
            self.identifier(&instruction, "cell_kind");
            self.text(&instruction, "comment", 0);
            self.modes_schema(&instruction);
            self.unknown(&instruction, INSTRUCTION_KEYS);
            for field in self.array(&instruction, "segment_templates", 0, true) {
                self.field_schema(&field);
            }
        }
    }

    fn field_schema(&mut self, field: &At<'_>) {
        if !self.is_object(field, &["name", "bitwidth", "comment"]) {
            return;
        }
        self.identifier(field, "name");
        self.int(field, "bitwidth", 1, 32);
        self.text(field, "comment", 0);
        self.int(field, "default_val", 0, i128::MAX);
        for key in ["controllable", "observable", "signed"] {
            self.flag(field, key);
        }
        self.unknown(field, FIELD_KEYS);
        for value in self.array(field, "verbo_map", 0, false) {
            if !self.is_object(&value, &["key", "val"]) {
                continue;
            }
            self.int(&value, "key", 0, i128::MAX);
            if let Some(at) = value.member("val") {
                let good =
                    at.value.as_str().is_some_and(|s| is_identifier(s) || s == "+" || s == "-");
                if !good {
                    self.add("ISA-E02", at.pointer, "`val` must be an identifier, `+` or `-`");
                }
            }
            self.unknown(&value, VALUE_KEYS);
        }
    }

    pub(crate) fn is_object(&mut self, at: &At<'_>, required: &[&str]) -> bool {
        let Some(object) = at.object() else {
            self.add("ISA-E02", &at.pointer, "an object is expected");
            return false;
        };
        for key in required {
            if !object.contains_key(*key) {
                self.add("ISA-E02", &at.pointer, format!("member `{key}` is missing"));
            }
        }
        true
    }

    fn text(&mut self, at: &At<'_>, key: &str, min: usize) {
        if let Some(at) = at.member(key)
            && at.value.as_str().is_none_or(|s| s.chars().count() < min)
        {
            let what = if min > 0 { "a non-empty string" } else { "a string" };
            self.add("ISA-E02", at.pointer, format!("`{key}` must be {what}"));
        }
    }

    pub(crate) fn identifier(&mut self, at: &At<'_>, key: &str) {
        if let Some(at) = at.member(key)
            && !at.value.as_str().is_some_and(is_identifier)
        {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an identifier"));
        }
    }

    pub(crate) fn int(&mut self, at: &At<'_>, key: &str, min: i128, max: i128) {
        if let Some(at) = at.member(key)
            && !integer(at.value).is_some_and(|v| (min..=max).contains(&v))
        {
            let range =
                if max == i128::MAX { format!("{min} or more") } else { format!("{min}..{max}") };
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an integer, {range}"));
        }
    }

    pub(crate) fn flag(&mut self, at: &At<'_>, key: &str) {
        if let Some(at) = at.member(key)
            && !at.value.is_boolean()
        {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be true or false"));
        }
    }

    pub(crate) fn array<'a>(
        &mut self,
        at: &At<'a>,
        key: &str,
        min: usize,
        unique: bool,
    ) -> Vec<At<'a>> {
        let Some(at) = at.member(key) else { return Vec::new() };
        let Some(items) = at.value.as_array() else {
            self.add("ISA-E02", at.pointer, format!("`{key}` must be an array"));
            return Vec::new();
        };
        if items.len() < min {
            self.add("ISA-E02", &at.pointer, format!("`{key}` must not be empty"));
        }
        if unique && (1..items.len()).any(|i| items[..i].contains(&items[i])) {
            self.add("ISA-E02", &at.pointer, format!("`{key}` has two equal elements"));
        }
        at.items()
    }

    pub(crate) fn unknown(&mut self, at: &At<'_>, known: &[&str]) {
        let Some(object) = at.object() else { return };
        let extra: Vec<_> = object
            .keys()
            .filter(|k| !known.contains(&k.as_str()))
            .map(|k| format!("`{k}`"))
            .collect();
        if !extra.is_empty() {
            self.add("ISA-W01", &at.pointer, format!("unknown key {} ignored", extra.join(", ")));
        }
    }

    // ---- the checks beyond the schema ----

    fn semantics(&mut self, root: &At<'_>, isa: &Isa) {
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

    fn instruction(&mut self, isa: &Isa, instruction: &Instruction, at: &At<'_>) {
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
            let names = place.member("verbo_map").map(|m| m.items()).unwrap_or_default();
            for (n, ((key, name), entry)) in field.values.iter().zip(&names).enumerate() {
                if *key >= 1 << field.width {
                    self.add(
                        "ISA-E10",
                        entry.key("key"),
                        format!("value {key} does not fit into {} bits", field.width),
                    );
                }
                if field.values[..n].iter().any(|(k, _)| k == key) {
                    self.add("ISA-E11", entry.key("key"), format!("value {key} is named twice"));
                }
                if field.values[..n].iter().any(|(_, v)| v.eq_ignore_ascii_case(name)) {
                    self.add("ISA-E12", entry.key("val"), format!("name {name} is used twice"));
                }
            }
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
}

/// Builds the data model from JSON that satisfies the schema.
fn build(root: &At<'_>) -> Isa {
    let text = |at: &At<'_>, key: &str| {
        at.member(key).and_then(|m| m.value.as_str()).unwrap_or_default().to_owned()
    };
    let number = |at: &At<'_>, key: &str, absent: i128| {
        at.member(key).and_then(|m| integer(m.value)).unwrap_or(absent).min(i128::from(u32::MAX))
            as u64
    };
    let flag = |at: &At<'_>, key: &str, absent: bool| {
        at.member(key).and_then(|m| m.value.as_bool()).unwrap_or(absent)
    };

    let word_bits = number(root, "instr_bitwidth", 0) as u32;
    let code_bits = number(root, "instr_code_bitwidth", 0) as u32;
    let mut instructions = Vec::new();
    for at in root.member("instruction_templates").map(|m| m.items()).unwrap_or_default() {
        let max_chunk = number(&at, "max_chunk", 1) as u32;
        // The next free bit counted from the top; may run below zero in a description that is
        // too wide, which ISA-E08 reports.
        let mut top = i64::from(word_bits * max_chunk) - i64::from(code_bits);
        let mut fields: Vec<Field> = Vec::new();
        for segment in at.member("segment_templates").map(|m| m.items()).unwrap_or_default() {
            let width = number(&segment, "bitwidth", 1) as u32;
            top -= i64::from(width);
            let values = segment
                .member("verbo_map")
                .map(|m| m.items())
                .unwrap_or_default()
                .iter()
                .map(|entry| (number(entry, "key", 0), text(entry, "val")))
                .collect();
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
            code: number(&at, "code", 0) as u32,
            name: text(&at, "name"),
            phase: number(&at, "phase", 1) as u32,
            max_chunk,
            chunk_field,
            cell_kind: (!kind.is_empty()).then_some(kind),
            comment: text(&at, "comment"),
            fields,
            modes: modes::build(&at),
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
