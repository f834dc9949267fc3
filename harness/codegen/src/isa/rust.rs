// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Rust source for a description, `instructions.rs` of `drra-isa`: instructions, fields, named values, properties
//! of modes.

use drra_fabric::identifier;
use drra_isa::{Field, Instruction, Isa};

/// Reserved words that may occur as names of modules.
const KEYWORDS: &str = "\
    as break const continue dyn else enum extern fn for if impl in let loop match mod move mut \
    pub ref return static struct trait type unsafe use where while async await box do final \
    macro priv gen try yield";

/// Generates `instructions.rs`: `enum Opcode`, a module of fields per instruction, an enumeration for each field of
/// two bits or more with named values, and the modes. A module whose name is a keyword gets a trailing `_`; the value
/// names `+` and `-` become `Plus` and `Minus`. Instructions of cells of a kind other than `io` are left out, as in
/// [`Isa::by_code`].
pub(crate) fn rust(isa: &Isa) -> String {
    let mut out = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         //! Instructions, fields and named values{}.\n//!\n\
         //! Generated from the description by `drra isa rs`; do not edit.\n\n\
         use crate::tables::field_values;\nuse crate::tables::mode_table;\nuse crate::tables::opcodes;\n\n\
         /// Bits of an instruction word.\npub const WORD_BITS: u32 = {};\n\
         /// Bits of the instruction code, at the top of the first word.\n\
         pub const CODE_BITS: u32 = {};\n\nopcodes! {{\n",
        isa.of_title(),
        isa.word_bits,
        isa.code_bits
    );
    let of_kind = |kind: Option<&'static str>| {
        isa.instructions.iter().filter(move |i| i.cell_kind.as_deref() == kind)
    };
    for (title, kind) in [("every cell", None), ("io cell", Some("io"))] {
        let row = |i: &Instruction| {
            format!("        /// {}\n        {};\n", doc(&i.comment, &i.name), opcode_row(i))
        };
        out += &format!("    {title} {{\n{}    }}\n", of_kind(kind).map(row).collect::<String>());
    }
    out += "}\n";
    for i in of_kind(None).chain(of_kind(Some("io"))) {
        let mut parts = Vec::new();
        if !i.fields.is_empty() {
            parts.push(fields(isa, i));
        }
        parts.extend(i.fields.iter().filter(|f| has_enumeration(f)).map(|f| enumeration(i, f)));
        if !i.modes.is_empty() {
            parts.push(modes(i));
        }
        out.extend(parts.iter().flat_map(|part| ["\n", part]));
    }
    out
}

/// `Refi = 1 "REFI", 3 by refi::EXTRA`.
fn opcode_row(i: &Instruction) -> String {
    let chunk = i.chunk_field.filter(|_| i.max_chunk > 1).map(|k| constant(&i.fields[k].name));
    let by = chunk.map(|c| format!(" by {}::{c}", module(&i.name))).unwrap_or_default();
    format!("{} = {} \"{}\", {}{by}", camel(&i.name), i.code, i.name, i.max_chunk)
}

/// Module of the fields of an instruction.
fn fields(isa: &Isa, i: &Instruction) -> String {
    let mut out = format!(
        "/// Fields of {}.\npub mod {} {{\n    use crate::InstructionField;\n\n",
        i.name,
        module(&i.name)
    );
    for f in &i.fields {
        let word = i.chunks_of(isa, f).1;
        let lsb = f.lsb - (i.max_chunk - 1 - word) * isa.word_bits;
        out += &format!("    /// {}\n", doc(&f.comment, &f.name));
        out += &format!(
            "    pub const {}: InstructionField = InstructionField::new({word}, {lsb}, {});\n",
            constant(&f.name),
            f.width
        );
    }
    out + "}\n"
}

/// A one-bit field is a flag and needs no enumeration.
fn has_enumeration(f: &Field) -> bool {
    f.width > 1 && !f.values.is_empty()
}

/// True if every pattern of the field has a name.
fn is_complete(f: &Field) -> bool {
    f.values.len() as u64 == 1 << f.width
}

/// Name of the enumeration of a field if the enumeration names every pattern, so that a register can have this type.
pub(crate) fn complete_enumeration(isa: &Isa, mnemonic: &str, field: &str) -> Option<String> {
    let i = isa.by_name(mnemonic)?;
    let f = &i.fields[i.field_index(field)?];
    (has_enumeration(f) && is_complete(f)).then(|| type_name(i, f))
}

fn enumeration(i: &Instruction, f: &Field) -> String {
    let patterns = if is_complete(f) { format!("all {} bits", f.width) } else { "some".into() };
    let mut values: Vec<_> = f.values.iter().collect();
    values.sort_by_key(|(code, _)| *code);
    let mut out = format!(
        "field_values! {{\n    /// Values of {} `{}`: {}\n    {}, {patterns} {{\n",
        i.name,
        f.name,
        doc(&f.comment, &f.name),
        type_name(i, f)
    );
    for (code, name) in values {
        out += &format!("        {} = {code} \"{name}\";\n", camel(name));
    }
    out + "    }\n}\n"
}

fn modes(i: &Instruction) -> String {
    let Some(field) = i.field_index("mode").map(|k| &i.fields[k]) else { return String::new() };
    let mut out = format!("mode_table! {{\n    {} {{\n", type_name(i, field));
    for mode in &i.modes {
        let m = &mode.info;
        let operands = m.operands.map(|set| {
            let names: Vec<String> = set.iter().map(|o| camel(o.name())).collect();
            format!("[{}]", names.join(" "))
        });
        let flags: Vec<&str> = m.flags().filter(|(_, set)| *set).map(|(name, _)| name).collect();
        let separator = if flags.is_empty() { "" } else { ", " };
        out += &format!(
            "        {}: {} {} -> {:?} {:?}{separator}{};\n",
            camel(&mode.name),
            operands[0],
            operands[1],
            m.outputs,
            m.latency,
            flags.join(" ")
        );
    }
    out + "    }\n}\n"
}

/// Text of a comment on one line; the name if there is none.
fn doc(comment: &str, name: &str) -> String {
    if comment.is_empty() { format!("`{name}`.") } else { comment.replace(['\n', '\r'], " ") }
}

fn module(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if KEYWORDS.split(' ').any(|word| word == name) { name + "_" } else { name }
}

fn constant(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// `DpuMode` for the field `mode` of DPU.
fn type_name(i: &Instruction, f: &Field) -> String {
    camel(&i.name) + &camel(&f.name)
}

/// `SumAcc` for `sum_acc` or `SUM_ACC`.
fn camel(name: &str) -> String {
    match name {
        "+" => "Plus".to_owned(),
        "-" => "Minus".to_owned(),
        _ => identifier("", name),
    }
}
