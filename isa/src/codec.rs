// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts instruction words to field values and back (chapter 1, section 1).

use crate::description::{Field, Instruction, Isa};

/// A decoded instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedInstruction<'a> {
    /// Description of the instruction: name, fields, number of words.
    pub instruction: &'a Instruction,
    /// Number of words of the instruction.
    pub len: usize,
    /// Raw value of every field, in field order; fields of absent words have their default.
    pub values: Vec<u64>,
    /// True if a reserved bit of a present word is 1.
    pub reserved: bool,
}

impl DecodedInstruction<'_> {
    /// Raw value of a field by name (case-insensitive).
    pub fn value(&self, name: &str) -> Option<u64> {
        self.instruction.field_index(name).map(|i| self.values[i])
    }
}

/// Packs raw field values into the first `len` words of an instruction. Field bits beyond these words are dropped;
/// reserved bits are 0.
///
/// # Panics
/// If `values` does not have one value for each field.
pub fn encode(isa: &Isa, instruction: &Instruction, values: &[u64], len: usize) -> Vec<u64> {
    assert_eq!(values.len(), instruction.fields.len(), "one value per field");
    let mut words = vec![0; instruction.max_chunk as usize];
    let total = instruction.total_bits(isa);
    put(
        &mut words,
        isa.word_bits,
        total,
        total - isa.code_bits,
        isa.code_bits,
        u64::from(instruction.code),
    );
    for (field, &value) in instruction.fields.iter().zip(values) {
        put(&mut words, isa.word_bits, total, field.lsb, field.width, value);
    }
    words.truncate(len);
    words
}

/// Decodes the instruction that starts at the first of `words`; `None` if a cell of this kind has no instruction with
/// the code. Words missing at the end of the list are read as 0; compare `len` with the length of the list if this
/// matters.
pub fn decode<'a>(isa: &'a Isa, words: &[u64], io_cell: bool) -> Option<DecodedInstruction<'a>> {
    let first = words.first().copied().unwrap_or(0);
    let code = (first >> (isa.word_bits - isa.code_bits)) as u32;
    let instruction = isa.by_code(code, io_cell)?;
    let total = instruction.total_bits(isa);
    let mut padded = words.to_vec();
    padded.resize(instruction.max_chunk as usize, 0);
    let get = |f: &Field| get(&padded, isa.word_bits, total, f.lsb, f.width);

    let len = match instruction.chunk_field {
        Some(index) => instruction.words_for(get(&instruction.fields[index])),
        None => instruction.max_chunk,
    };
    let values = instruction
        .fields
        .iter()
        .map(|f| if instruction.chunks_of(isa, f).1 < len { get(f) } else { f.default })
        .collect();
    let lowest = instruction.fields.last().map_or(total - isa.code_bits, |f| f.lsb);
    let present_from = total - len * isa.word_bits;
    let reserved =
        (present_from..lowest).any(|bit| self::get(&padded, isa.word_bits, total, bit, 1) == 1);
    Some(DecodedInstruction { instruction, len: len as usize, values, reserved })
}

fn put(words: &mut [u64], word_bits: u32, total: u32, lsb: u32, width: u32, value: u64) {
    for i in (0..width).filter(|i| value >> i & 1 == 1) {
        let from_top = total - 1 - (lsb + i);
        let shift = word_bits - 1 - from_top % word_bits;
        words[(from_top / word_bits) as usize] |= 1 << shift;
    }
}

fn get(words: &[u64], word_bits: u32, total: u32, lsb: u32, width: u32) -> u64 {
    (0..width).fold(0, |value, i| {
        let from_top = total - 1 - (lsb + i);
        let shift = word_bits - 1 - from_top % word_bits;
        value | (words[(from_top / word_bits) as usize] >> shift & 1) << i
    })
}
