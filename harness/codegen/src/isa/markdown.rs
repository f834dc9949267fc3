// SPDX-License-Identifier: MIT OR Apache-2.0
//! Human-readable tables of a description.

use drra_isa::{Field, Instruction, Isa};

/// Meaning of the column `Flags` in a field table.
const FLAGS: &str = "Flags of a field: `C` controllable, a program may write it; `O` observable, \
    part of the decoded record. `CO` is both, `-O` is normally set by the encoder, `--` is padding.";

/// Generates a Markdown document: an instruction table, then one field table per instruction with
/// bit positions in the concatenated instruction and inside the words.
pub(crate) fn markdown(isa: &Isa) -> String {
    let title = format!("# Instruction set {}", isa.title());
    let mut out = format!("{}\n\n", title.trim_end());
    if !isa.description.is_empty() {
        out += &format!("{}\n\n", isa.description);
    }
    let Isa { word_bits, code_bits, .. } = isa;
    let code = format!("{}..{}", word_bits - 1, word_bits - code_bits);
    out += &format!(
        "Words of {word_bits} bits; the instruction code is in bits {code} of the first word.\n\n{FLAGS}\n\n\
         | Code | Name | Words | Phases | Cells | Purpose |\n|---|---|---|---|---|---|\n"
    );
    for i in &isa.instructions {
        let words = match i.chunk_field {
            Some(f) if i.max_chunk > 1 => format!("1..{} ({})", i.max_chunk, i.fields[f].name),
            _ => i.max_chunk.to_string(),
        };
        let cells = i.cell_kind.as_deref().unwrap_or("all");
        let (code, name, phase, purpose) = (i.code, &i.name, i.phase, last_cell(&i.comment));
        let width = *code_bits as usize;
        out += &format!(
            "| {code} {code:0width$b} | {name} | {words} | {phase} | {cells} |{purpose}|\n"
        );
    }
    for i in &isa.instructions {
        let total = i.total_bits(isa);
        out += &format!(
            "\n## {}\n\n\
             | Field | Bits of {total} | Word:bits | Width | Default | Kind | Flags | Values and meaning |\n\
             |---|---|---|---|---|---|---|---|\n\
             | instr_code | {}..{} | 0:{code} | {code_bits} | {} | unsigned | | |\n",
            i.name,
            total - 1,
            total - code_bits,
            i.code
        );
        for f in &i.fields {
            let flags = [(f.controllable, "C"), (f.observable, "O")];
            let flags = flags.map(|(set, letter)| if set { letter } else { "-" }).concat();
            out += &format!(
                "| {} | {} | {} | {} | {} | {} | {flags} |{}|\n",
                f.name,
                span(f.msb(), f.lsb),
                in_words(isa, i, f),
                f.width,
                f.default,
                if f.signed { "signed" } else { "unsigned" },
                last_cell(&meaning(f))
            );
        }
    }
    out
}

fn span(msb: u32, lsb: u32) -> String {
    if msb == lsb { msb.to_string() } else { format!("{msb}..{lsb}") }
}

/// Position within the words, for example `0:3..0 + 1:26..23`.
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

/// Free text with surrounding blanks, escaped for a table cell.
fn last_cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    if text.is_empty() { " ".to_owned() } else { format!(" {text} ") }
}
