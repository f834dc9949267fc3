// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data model of an instruction set.

use crate::modes::ModeInfo;

/// A loaded instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isa {
    /// Name of the platform, for display only.
    pub platform: String,
    /// Name of the revision; may be empty.
    pub revision: String,
    /// Free text; may be empty.
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
    /// Maximum number of words.
    pub max_chunk: u32,
    /// Index of the field that contains the number of following words.
    pub chunk_field: Option<usize>,
    /// Kind of cell that has this instruction, in lower case; `None` if every cell has it.
    pub cell_kind: Option<String>,
    /// Free text.
    pub comment: String,
    /// Fields in packing order.
    pub fields: Vec<Field>,
    /// Properties of the values of the field `mode`, in file order; empty if the description does not contain any.
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
    /// Raw value if the field is not written.
    pub default: u64,
    /// True if the field may be written in assembly.
    pub controllable: bool,
    /// True if the field is part of the decoded record.
    pub observable: bool,
    /// True for a number in two's complement.
    pub signed: bool,
    /// Value names in file order.
    pub values: Vec<(u64, String)>,
    /// True if the value names are only different words for the meanings of these values in the newest revision.
    pub renamed: bool,
    /// For a field `x`, the index of the field `x_sd`, if there is one.
    pub selector: Option<usize>,
}

impl Field {
    /// Highest bit in the concatenated instruction.
    pub fn msb(&self) -> u32 {
        self.lsb + self.width - 1
    }

    /// True for fields that neither programs nor decoders use.
    pub fn is_padding(&self) -> bool {
        !self.controllable && !self.observable
    }

    /// Name of a raw value, if it has one.
    pub fn value_name(&self, raw: u64) -> Option<&str> {
        self.values.iter().find(|(key, _)| *key == raw).map(|(_, name)| name.as_str())
    }

    /// Raw value of a name (case-insensitive).
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
    /// Number of bits in the concatenated instruction.
    pub fn total_bits(&self, isa: &Isa) -> u32 {
        isa.word_bits * self.max_chunk
    }

    /// The message about a name that no field has.
    pub(crate) fn no_field(&self, name: &str) -> String {
        let fields = self.fields.iter().filter(|f| !f.is_padding());
        let fields: Vec<&str> = fields.map(|f| f.name.as_str()).collect();
        format!("{} has no field `{name}`; it has {}", self.name, fields.join(", "))
    }

    /// Index of a field by name (case-insensitive).
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name.eq_ignore_ascii_case(name))
    }

    /// First and last chunk that contain bits of the field.
    pub fn chunks_of(&self, isa: &Isa, field: &Field) -> (u32, u32) {
        let top = self.total_bits(isa) - 1;
        ((top - field.msb()) / isa.word_bits, (top - field.lsb) / isa.word_bits)
    }

    /// Number of fields that lie entirely in the first `len` words.
    pub fn fields_in(&self, isa: &Isa, len: usize) -> usize {
        self.fields.iter().take_while(|f| (self.chunks_of(isa, f).1 as usize) < len).count()
    }

    /// Number of words of an instruction whose chunk field has this raw value (chapter 1, section 1); one word if the
    /// value is too large.
    pub fn words_for(&self, chunk_value: u64) -> u32 {
        if chunk_value < u64::from(self.max_chunk) { chunk_value as u32 + 1 } else { 1 }
    }
}

impl Isa {
    /// The names of platform and revision; empty if both are empty.
    pub fn title(&self) -> String {
        format!("{} {}", self.platform, self.revision).trim().to_owned()
    }

    /// The title preceded by ` of `; empty if there is no title.
    pub fn of_title(&self) -> String {
        match self.title() {
            title if title.is_empty() => title,
            title => format!(" of {title}"),
        }
    }

    /// The instruction with this code in an I/O cell or an ordinary cell. An instruction of kind `io` hides an
    /// instruction with the same code and no kind.
    pub fn by_code(&self, code: u32, io_cell: bool) -> Option<&Instruction> {
        let with = |kind: Option<&str>| {
            self.instructions.iter().find(|i| i.code == code && i.cell_kind.as_deref() == kind)
        };
        let special = if io_cell { with(Some("io")) } else { None };
        special.or_else(|| with(None))
    }

    /// The instruction with this mnemonic (case-insensitive), for any kind of cell.
    pub fn by_name(&self, name: &str) -> Option<&Instruction> {
        self.instructions.iter().find(|i| i.name.eq_ignore_ascii_case(name))
    }

    /// True if the instruction exists in I/O cells (`io_cell` is true) or in ordinary cells (false).
    pub fn available(&self, instruction: &Instruction, io_cell: bool) -> bool {
        self.by_code(instruction.code, io_cell).is_some_and(|i| std::ptr::eq(i, instruction))
    }
}

/// One entry of a table of modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeEntry {
    /// Name, one of the value names of the field `mode`.
    pub name: String,
    /// Properties.
    pub info: ModeInfo,
}
