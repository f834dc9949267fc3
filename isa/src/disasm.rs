// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disassembler and listing lines (chapter 1, 7.1 and section 9).

use crate::{
    codec::{DecodedInstruction, decode},
    description::{Field, Isa},
    image::Word,
};

/// One line of a disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLine {
    /// Instruction address of the first word.
    pub address: usize,
    /// Number of words of the line.
    pub len: usize,
    /// Assembly text.
    pub text: String,
}

/// The instruction at the start of `words` for a report: its name and fields, or `.WORD` for a code that is not an
/// instruction. Padding is omitted. A field with its default value is omitted if it is a number in a later word, or if
/// it only specifies that another field is static.
pub fn instruction_text(isa: &Isa, words: &[u64], io_cell: bool) -> String {
    let Some(decoded) = decode(isa, words, io_cell) else {
        return raw(isa, Word { bits: words.first().copied().unwrap_or(0), immediate: true });
    };
    let fields = instruction_fields(isa, &decoded);
    format!("{} {}", decoded.instruction.name, fields.join(", ")).trim_end().to_owned()
}

/// The fields of an instruction for a report, `field=value` each, as in [`instruction_text`].
pub fn instruction_fields(isa: &Isa, decoded: &DecodedInstruction<'_>) -> Vec<String> {
    let instruction = decoded.instruction;
    fields(isa, decoded, |n, field, value| {
        let selects = instruction.fields.iter().any(|f| f.selector == Some(n));
        let in_first_word = instruction.chunks_of(isa, field).0 == 0;
        let decides = !selects && (in_first_word || !field.values.is_empty());
        !field.is_padding() && (value != field.default || decides)
    })
}

/// The fields in the words of an instruction that pass a filter, `field=value` each. The filter gets the index, the
/// description and the value of a field.
fn fields(
    isa: &Isa,
    decoded: &DecodedInstruction<'_>,
    wanted: impl Fn(usize, &Field, u64) -> bool,
) -> Vec<String> {
    let fields = decoded.instruction.fields.iter().zip(&decoded.values).enumerate();
    let fields = fields.take(decoded.instruction.fields_in(isa, decoded.len));
    let text = |(n, (field, &value)): (usize, (&Field, &u64))| {
        // A register number has no sign, however narrow the field is.
        let register = value < 16 && field.selector.is_some_and(|s| decoded.values[s] != 0);
        let number = if register { value as i64 } else { field.number(value) };
        let text = field.value_name(value).map_or_else(|| number.to_string(), str::to_owned);
        wanted(n, field, value).then(|| format!("{}={text}", field.name))
    };
    fields.filter_map(text).collect()
}

/// Disassembles the words of one cell. Assembling the lines again yields the same words.
pub fn disassemble(isa: &Isa, words: &[Word], io_cell: bool) -> Vec<ListingLine> {
    let mut lines = Vec::new();
    let mut address = 0;
    while address < words.len() {
        let rest = &words[address..];
        let bits: Vec<u64> = rest.iter().map(|w| w.bits).collect();
        let decoded = decode(isa, &bits, io_cell);
        let (len, printable) = match &decoded {
            None => (1, false),
            Some(d) if d.len > rest.len() => (1, false),
            Some(d) => (d.len, is_printable(d, rest)),
        };
        if let (Some(d), true) = (&decoded, printable) {
            let suffix = if rest[0].immediate { "" } else { ".D" };
            lines.push(ListingLine { address, len, text: line(isa, d, suffix) });
        } else {
            for (i, &word) in rest[..len].iter().enumerate() {
                lines.push(ListingLine { address: address + i, len: 1, text: raw(isa, word) });
            }
        }
        address += len;
    }
    lines
}

/// True if none of the cases (c) to (f) of chapter 1, section 9, applies.
fn is_printable(decoded: &DecodedInstruction<'_>, rest: &[Word]) -> bool {
    let instruction = decoded.instruction;
    let legal_count = instruction
        .chunk_field
        .is_none_or(|i| decoded.values[i] < u64::from(instruction.max_chunk));
    let one_flag = rest[..decoded.len].iter().all(|w| w.immediate == rest[0].immediate);
    let registers =
        instruction.fields.iter().zip(&decoded.values).all(|(field, &value)| {
            field.selector.is_none_or(|s| decoded.values[s] == 0 || value < 16)
        });
    !decoded.reserved && legal_count && one_flag && registers
}

fn line(isa: &Isa, decoded: &DecodedInstruction<'_>, suffix: &str) -> String {
    let fields = fields(isa, decoded, |_, _, _| true).join(", ");
    format!("{}{suffix} ({fields})", decoded.instruction.name)
}

fn raw(isa: &Isa, word: Word) -> String {
    let suffix = if word.immediate { "" } else { ".D" };
    format!(".WORD{suffix} 0b{:0width$b}", word.bits, width = isa.word_bits as usize)
}
