// SPDX-License-Identifier: MIT OR Apache-2.0
//! SystemVerilog package of a description: codes, one packed struct per instruction (all its words,
//! first word in the upper bits), value names.

use std::fmt::Write;

use crate::description::Isa;

/// Words that SystemVerilog keeps for itself and that may occur as field names.
const KEYWORDS: &[&str] = &[
    "alias",
    "assert",
    "assign",
    "before",
    "begin",
    "bind",
    "bit",
    "break",
    "byte",
    "case",
    "cell",
    "class",
    "config",
    "const",
    "context",
    "continue",
    "cover",
    "default",
    "design",
    "disable",
    "do",
    "else",
    "end",
    "enum",
    "event",
    "export",
    "extends",
    "final",
    "for",
    "force",
    "fork",
    "function",
    "global",
    "if",
    "import",
    "initial",
    "inout",
    "input",
    "inside",
    "instance",
    "int",
    "integer",
    "interface",
    "join",
    "library",
    "local",
    "logic",
    "module",
    "new",
    "null",
    "output",
    "package",
    "packed",
    "parameter",
    "priority",
    "program",
    "property",
    "protected",
    "pure",
    "rand",
    "real",
    "ref",
    "reg",
    "release",
    "repeat",
    "return",
    "sequence",
    "shortint",
    "signed",
    "static",
    "string",
    "strong",
    "struct",
    "super",
    "table",
    "tagged",
    "task",
    "this",
    "time",
    "type",
    "typedef",
    "union",
    "unique",
    "unsigned",
    "use",
    "var",
    "virtual",
    "void",
    "wait",
    "weak",
    "while",
    "wire",
    "with",
    "within",
];

/// Generates `package NAME; ... endpackage`. A field whose name is a keyword gets a trailing `_`;
/// the value names `+` and `-` become `PLUS` and `MINUS`.
pub fn systemverilog(isa: &Isa, package: &str) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
    line("// SPDX-License-Identifier: MIT OR Apache-2.0".into());
    line(format!(
        "// Generated from the description of {} {} by `drra isa sv`; do not edit.",
        isa.platform, isa.revision
    ));
    line(format!("package {package};"));
    line(String::new());
    line(format!("  localparam int unsigned INSTR_BITWIDTH = {};", isa.word_bits));
    line(String::new());
    let code_type = format!("logic [{}:0]", isa.code_bits - 1);
    for i in &isa.instructions {
        line(format!(
            "  localparam {code_type} CODE_{} = {}'d{};",
            i.name.to_ascii_uppercase(),
            isa.code_bits,
            i.code
        ));
    }
    for i in &isa.instructions {
        let words =
            if i.max_chunk == 1 { "1 word".into() } else { format!("up to {} words", i.max_chunk) };
        line(String::new());
        line(format!("  // {}: {words}", i.name));
        line("  typedef struct packed {".into());
        line(format!("    {code_type} instr_code;"));
        for f in &i.fields {
            let name = f.name.to_ascii_lowercase();
            let escape = if KEYWORDS.contains(&name.as_str()) { "_" } else { "" };
            line(format!("    {} {name}{escape};", vector(f.width)));
        }
        let reserved = i.fields.last().map_or(i.total_bits(isa) - isa.code_bits, |f| f.lsb);
        if reserved > 0 {
            line(format!("    {} reserved;", vector(reserved)));
        }
        line(format!("  }} {}_t;", i.name.to_ascii_lowercase()));
        for f in &i.fields {
            for (value, name) in &f.values {
                let name = match name.as_str() {
                    "+" => "PLUS".into(),
                    "-" => "MINUS".into(),
                    other => other.to_ascii_uppercase(),
                };
                line(format!(
                    "  localparam {} {}_{}_{name} = {}'d{value};",
                    vector(f.width),
                    i.name.to_ascii_uppercase(),
                    f.name.to_ascii_uppercase(),
                    f.width
                ));
            }
        }
    }
    line(String::new());
    line("endpackage".into());
    out
}

fn vector(width: u32) -> String {
    if width == 1 { "logic".into() } else { format!("logic [{}:0]", width - 1) }
}
