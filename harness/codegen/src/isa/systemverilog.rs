// SPDX-License-Identifier: MIT OR Apache-2.0
//! SystemVerilog package of a description: instruction codes, an enumeration for every field with
//! value names, one packed struct per instruction (all its words, first word in the upper bits).

use drra_isa::{Instruction, Isa};

/// Reserved words of SystemVerilog that may occur as field names.
const KEYWORDS: &str = "\
    alias assert assign before begin bind bit break byte case cell class config const context \
    continue cover default design disable do else end enum event export extends final for \
    force fork function global if import initial inout input inside instance int integer \
    interface join library local logic module new null output package packed parameter \
    priority program property protected pure rand real ref reg release repeat return sequence \
    shortint signed static string strong struct super table tagged task this time type typedef \
    union unique unsigned use var virtual void wait weak while wire with within";

/// Generates `package NAME; ... endpackage`. The instruction codes and the values of every field with value names are
/// enumerations; the struct fields have these types. A second name for the same value is a constant of the type. A
/// field whose name is a keyword gets a trailing `_`; the value names `+` and `-` become `PLUS` and `MINUS`.
pub(crate) fn systemverilog(isa: &Isa, package: &str) -> String {
    let mut out = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from the description{} by `drra isa sv`; do not edit.\n\
         package {package};\n\n  \
         localparam int unsigned INSTR_BITWIDTH = {};\n\n",
        isa.of_title(),
        isa.word_bits
    );
    let codes = isa.instructions.iter().map(|i| (u64::from(i.code), i.name.as_str()));
    out += &enumeration("instr_code_e", "CODE", isa.code_bits, codes);
    for i in &isa.instructions {
        out += "\n";
        out += &instruction(isa, i);
    }
    out += "\nendpackage\n";
    out
}

/// The enumerations of the fields of one instruction and the struct of all its words.
fn instruction(isa: &Isa, i: &Instruction) -> String {
    let words =
        if i.max_chunk == 1 { "1 word".into() } else { format!("up to {} words", i.max_chunk) };
    let mut types = format!("  // {}: {words}\n", i.name);
    let mut members = String::from("    instr_code_e instr_code;\n");
    for f in &i.fields {
        let field_type = if f.values.is_empty() {
            vector(f.width)
        } else {
            let name = format!("{}_{}_e", i.name, f.name).to_ascii_lowercase();
            let values = f.values.iter().map(|(value, name)| (*value, name.as_str()));
            types += &enumeration(&name, &format!("{}_{}", i.name, f.name), f.width, values);
            name
        };
        let name = f.name.to_ascii_lowercase();
        let escape = if KEYWORDS.split(' ').any(|word| word == name) { "_" } else { "" };
        members += &format!("    {field_type} {name}{escape};\n");
    }
    let reserved = i.fields.last().map_or(i.total_bits(isa) - isa.code_bits, |f| f.lsb);
    if reserved > 0 {
        members += &format!("    {} reserved;\n", vector(reserved));
    }
    let name = i.name.to_ascii_lowercase();
    format!("{types}  typedef struct packed {{\n{members}  }} {name}_t;\n")
}

/// One enumeration. Its members have unique values; further names of a value follow as constants.
fn enumeration<'a>(
    type_name: &str,
    prefix: &str,
    width: u32,
    values: impl Iterator<Item = (u64, &'a str)>,
) -> String {
    let mut members: Vec<(u64, String)> = Vec::new();
    let mut aliases = String::new();
    for (value, name) in values {
        let name = match name {
            "+" => "PLUS",
            "-" => "MINUS",
            other => other,
        };
        let name = format!("{prefix}_{name}").to_ascii_uppercase();
        match members.iter().find(|(v, _)| *v == value) {
            Some((_, first)) => {
                aliases += &format!("  localparam {type_name} {name} = {first};\n");
            }
            None => members.push((value, name)),
        }
    }
    let list: Vec<String> =
        members.iter().map(|(value, name)| format!("    {name} = {width}'d{value}")).collect();
    format!(
        "  typedef enum {} {{\n{}\n  }} {type_name};\n{aliases}",
        vector(width),
        list.join(",\n")
    )
}

fn vector(width: u32) -> String {
    if width == 1 { "logic".into() } else { format!("logic [{}:0]", width - 1) }
}
