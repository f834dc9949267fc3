// SPDX-License-Identifier: MIT OR Apache-2.0
//! Human-readable tables of a description.

use std::fmt::Write;

use crate::description::{Field, Instruction, Isa};

/// What the column `Flags` of a field table says.
const FLAGS: &str = "Flags of a field: `C` controllable, a program may write it; `O` observable, \
    part of the decoded record. `CO` is both, `-O` is set by the encoder alone, `--` is padding.";

/// Generates a Markdown document: an instruction table, then one field table per instruction with
/// bit positions in the concatenated instruction and inside the words.
pub fn markdown(isa: &Isa) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
    line(format!("# Instruction set {}", isa.title()).trim_end().into());
    line(String::new());
    if !isa.description.is_empty() {
        line(isa.description.clone());
        line(String::new());
    }
    line(format!(
        "Words of {} bits; the instruction code is in bits {}..{} of the first word.",
        isa.word_bits,
        isa.word_bits - 1,
        isa.word_bits - isa.code_bits
    ));
    line(String::new());
    line(FLAGS.into());
    line(String::new());
    line("| Code | Name | Words | Phases | Cells | Purpose |".into());
    line("|---|---|---|---|---|---|".into());
    for i in &isa.instructions {
        let words = match i.chunk_field {
            Some(f) if i.max_chunk > 1 => format!("1..{} ({})", i.max_chunk, i.fields[f].name),
            _ => i.max_chunk.to_string(),
        };
        let cells = i.cell_kind.as_deref().unwrap_or("all");
        line(format!(
            "| {} {:0width$b} | {} | {words} | {} | {cells} |{}|",
            i.code,
            i.code,
            i.name,
            i.phase,
            last_cell(&i.comment),
            width = isa.code_bits as usize
        ));
    }
    for i in &isa.instructions {
        line(String::new());
        line(format!("## {}", i.name));
        line(String::new());
        line(format!(
            "| Field | Bits of {} | Word:bits | Width | Default | Kind | Flags | Values and meaning |",
            i.total_bits(isa)
        ));
        line("|---|---|---|---|---|---|---|---|".into());
        let top = i.total_bits(isa) - 1;
        line(format!(
            "| instr_code | {top}..{} | 0:{}..{} | {} | {} | unsigned | | |",
            top + 1 - isa.code_bits,
            isa.word_bits - 1,
            isa.word_bits - isa.code_bits,
            isa.code_bits,
            i.code
        ));
        for f in &i.fields {
            let flags = [(f.controllable, 'C'), (f.observable, 'O')]
                .map(|(set, letter)| if set { letter } else { '-' });
            line(format!(
                "| {} | {} | {} | {} | {} | {} | {}{} |{}|",
                f.name,
                span(f.msb(), f.lsb),
                in_words(isa, i, f),
                f.width,
                f.default,
                if f.signed { "signed" } else { "unsigned" },
                flags[0],
                flags[1],
                last_cell(&meaning(f))
            ));
        }
    }
    out
}

fn span(msb: u32, lsb: u32) -> String {
    if msb == lsb { msb.to_string() } else { format!("{msb}..{lsb}") }
}

/// Position inside the words, for example `0:3..0 + 1:26..23`.
fn in_words(isa: &Isa, instruction: &Instruction, field: &Field) -> String {
    let top = instruction.total_bits(isa) - 1;
    let (first, last) = instruction.chunks_of(isa, field);
    let parts: Vec<String> = (first..=last)
        .map(|chunk| {
            let high = top - chunk * isa.word_bits;
            let low = high + 1 - isa.word_bits;
            format!("{chunk}:{}", span(field.msb().min(high) - low, field.lsb.max(low) - low))
        })
        .collect();
    parts.join(" + ")
}

fn meaning(field: &Field) -> String {
    let names: Vec<String> = field.values.iter().map(|(v, n)| format!("{v}={n}")).collect();
    let comment = field.comment.clone();
    match (names.is_empty(), comment.is_empty()) {
        (true, _) => comment,
        (false, true) => names.join("; "),
        (false, false) => format!("{}. {comment}", names.join("; ")),
    }
}

/// Free text with the blanks around it, so that it fits between the bars of a table.
fn last_cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    if text.is_empty() { " ".to_owned() } else { format!(" {text} ") }
}
