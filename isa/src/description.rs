// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction set description files (chapter 1, section 6): data model and loader.

mod form;
mod modes;
mod semantics;

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::json;
use form::{code, identifier, int, name, number, one, set, value_name, yes};
pub use modes::ModeEntry;

/// A loaded instruction set. It has the form of its file; what follows from the file is marked
/// `skip`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Isa {
    /// Name of the platform, shown only.
    pub platform: String,
    /// Name of the revision, may be empty.
    #[serde(default)]
    pub revision: String,
    /// Free text, may be empty.
    #[serde(default)]
    pub description: String,
    /// Bits of an instruction word.
    #[serde(rename = "instr_bitwidth", deserialize_with = "int::<_, _, 2, 64>")]
    pub word_bits: u32,
    /// Bits of the instruction code.
    #[serde(rename = "instr_code_bitwidth", deserialize_with = "int::<_, _, 1, 16>")]
    pub code_bits: u32,
    /// Instructions in file order.
    #[serde(rename = "instruction_templates", deserialize_with = "set")]
    pub instructions: Vec<Instruction>,
}

/// One instruction of a description.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Instruction {
    /// Instruction code.
    #[serde(deserialize_with = "code")]
    pub code: u32,
    /// Mnemonic as written in the file.
    #[serde(deserialize_with = "identifier")]
    pub name: String,
    /// Number of scheduling phases.
    #[serde(default = "one", deserialize_with = "int::<_, _, 1, 5>")]
    pub phase: u32,
    /// Largest number of words.
    #[serde(default = "one", deserialize_with = "int::<_, _, 1, 8>")]
    pub max_chunk: u32,
    /// Name of the field that holds the number of following words, if written.
    #[serde(default, rename = "chunk_field", deserialize_with = "name")]
    chunk_name: Option<String>,
    /// Index of the field that holds the number of following words.
    #[serde(skip)]
    pub chunk_field: Option<usize>,
    /// Kind of cell that has this instruction, lower case; `None`: every cell.
    #[serde(default, deserialize_with = "name")]
    pub cell_kind: Option<String>,
    /// Free text.
    #[serde(default)]
    pub comment: String,
    /// Fields in packing order.
    #[serde(default, rename = "segment_templates", deserialize_with = "set")]
    pub fields: Vec<Field>,
    /// Properties of the values of the field `mode`, in file order; empty if the description does
    /// not say.
    #[serde(default, deserialize_with = "set")]
    pub modes: Vec<ModeEntry>,
}

/// One field of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Field {
    /// Name as written in the file.
    #[serde(deserialize_with = "identifier")]
    pub name: String,
    /// Width in bits, 1 to 32.
    #[serde(rename = "bitwidth", deserialize_with = "int::<_, _, 1, 32>")]
    pub width: u32,
    /// Lowest bit in the concatenated instruction (chapter 1, section 1).
    #[serde(skip)]
    pub lsb: u32,
    /// Free text.
    pub comment: String,
    /// Raw value when not written.
    #[serde(default, rename = "default_val", deserialize_with = "number")]
    pub default: u64,
    /// May be written in assembly.
    #[serde(default = "yes")]
    pub controllable: bool,
    /// Part of the decoded record.
    #[serde(default = "yes")]
    pub observable: bool,
    /// Two's complement.
    #[serde(default)]
    pub signed: bool,
    #[serde(default, rename = "verbo_map")]
    entries: Vec<ValueEntry>,
    /// Value names in file order.
    #[serde(skip)]
    pub values: Vec<(u64, String)>,
    /// The value names are other words for the meanings that the newest revision gives the values.
    #[serde(default)]
    pub renamed: bool,
    /// Index of the field `x_sd` of a field `x`.
    #[serde(skip)]
    pub selector: Option<usize>,
}

/// A value of a field as it is written; one without a name counts, but names nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct ValueEntry {
    #[serde(deserialize_with = "number")]
    key: u64,
    #[serde(default, deserialize_with = "value_name")]
    val: Option<String>,
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

    /// Number of fields that lie wholly in the first `len` words.
    pub fn fields_in(&self, isa: &Isa, len: usize) -> usize {
        self.fields.iter().take_while(|f| (self.chunks_of(isa, f).1 as usize) < len).count()
    }

    /// Number of words of an instruction whose chunk field has this raw value (chapter 1,
    /// section 1): one word if the value is too large.
    pub fn words_for(&self, chunk_value: u64) -> u32 {
        if chunk_value < u64::from(self.max_chunk) { chunk_value as u32 + 1 } else { 1 }
    }
}

impl Isa {
    /// Platform and revision, as far as they have names.
    pub fn title(&self) -> String {
        format!("{} {}", self.platform, self.revision).trim().to_owned()
    }

    /// ` of ` and the title; empty without names.
    pub(crate) fn of_title(&self) -> String {
        match self.title() {
            title if title.is_empty() => title,
            title => format!(" of {title}"),
        }
    }

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
pub struct Checked {
    /// Errors and warnings in the order of the checks.
    pub findings: Vec<Finding>,
    /// The description, if there is no error.
    pub isa: Option<Isa>,
}

impl Checked {
    /// The errors alone.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.is_error())
    }
}

/// Reads a description and runs every check of chapter 1, 6.2. ISA-E01 and ISA-E02 end the checks;
/// all others run to the end.
pub fn load(text: &str) -> Checked {
    let mut check = Check::default();
    let mut isa = check.read(text);
    if let Some(isa) = &mut isa {
        isa.complete();
        check.semantics(isa);
    }
    let failed = check.findings.iter().any(Finding::is_error);
    Checked { findings: check.findings, isa: isa.filter(|_| !failed) }
}

#[derive(Default)]
struct Check {
    findings: Vec<Finding>,
}

impl Check {
    fn add(&mut self, code: &'static str, pointer: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding { code, pointer: pointer.into(), message: message.into() });
    }

    /// What the text says, if it has the form of a description.
    fn read(&mut self, text: &str) -> Option<Isa> {
        // Of a key that comes twice the last value counts, which structures do not allow.
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(e) => {
                self.add("ISA-E01", "", format!("not JSON: {e}"));
                return None;
            }
        };
        let (isa, unknown) = json::read(&value);
        for (pointer, keys) in unknown {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            self.add("ISA-W01", pointer, format!("unknown key {} ignored", keys.join(", ")));
        }
        isa.map_err(|(pointer, e)| self.add("ISA-E02", pointer, e.to_string())).ok()
    }
}
