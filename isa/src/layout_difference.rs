// SPDX-License-Identifier: MIT OR Apache-2.0
//! Is a description laid out like a published revision? Then the words that are made with it are
//! words of the hardware, whatever its names of values and its defaults are.

use crate::{
    description::{Instruction, Isa},
    revision::Revision,
};

/// The first thing in which codes and fields of a description are not those of a revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutDifference {
    /// `instr_bitwidth`.
    #[error("words of {given} bits, {published} are published")]
    WordBits {
        /// Bits of a word in the description.
        given: u32,
        /// Bits of a word in the revision.
        published: u32,
    },
    /// `instr_code_bitwidth`.
    #[error("codes of {given} bits, {published} are published")]
    CodeBits {
        /// Bits of a code in the description.
        given: u32,
        /// Bits of a code in the revision.
        published: u32,
    },
    /// The revision has no instruction with the code in cells of that kind.
    #[error("instruction {name}: code {code} has no instruction{}", in_cells(.cell_kind))]
    Code {
        /// Mnemonic in the description.
        name: String,
        /// Its code.
        code: u32,
        /// Its kind of cell.
        cell_kind: Option<String>,
    },
    /// The code belongs to an instruction of another name.
    #[error("instruction {given}: code {code} is {published}{}", in_cells(.cell_kind))]
    Name {
        /// Mnemonic in the description.
        given: String,
        /// Its code.
        code: u32,
        /// Its kind of cell.
        cell_kind: Option<String>,
        /// Mnemonic in the revision.
        published: String,
    },
    /// `max_chunk`.
    #[error("instruction {instruction}: {given} words at most, {published} are published")]
    MaxChunk {
        /// Mnemonic.
        instruction: String,
        /// Largest number of words in the description.
        given: u32,
        /// Largest number of words in the revision.
        published: u32,
    },
    /// The field that holds the number of words, `none` without one.
    #[error("instruction {instruction}: chunk field {given}, published is {published}")]
    ChunkField {
        /// Mnemonic.
        instruction: String,
        /// Chunk field of the description.
        given: String,
        /// Chunk field of the revision.
        published: String,
    },
    /// Name or width of a field, and with it the place of all later ones.
    #[error("instruction {instruction}: field {number} is {given}, published is {published}")]
    Field {
        /// Mnemonic.
        instruction: String,
        /// Number of the field, counted from 1.
        number: usize,
        /// Name and width in the description, `missing` without it.
        given: String,
        /// Name and width in the revision, `missing` without it.
        published: String,
    },
}

fn in_cells(kind: &Option<String>) -> String {
    kind.as_ref().map(|k| format!(" in cells of kind {k}")).unwrap_or_default()
}

/// A description that is laid out like no published revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("codes and fields are those of no published revision; nearest is {}: {difference}", revision.name())]
pub struct ForeignLayout {
    /// The revision that agrees longest.
    pub revision: Revision,
    /// The first difference to it.
    #[source]
    pub difference: LayoutDifference,
}

/// The newest published revision that has every instruction of the description: same code, name,
/// kind of cell, number of words, chunk field, and the same fields in name and width. Instructions
/// that the description lacks, names of values, defaults, flags and comments do not count.
///
/// # Errors
/// The first difference to the revision that agrees longest.
pub fn published_layout(isa: &Isa) -> Result<Revision, ForeignLayout> {
    let mut nearest: Option<(Position, ForeignLayout)> = None;
    for revision in Revision::ALL.into_iter().rev() {
        let Some((position, difference)) = first_difference(isa, revision.isa()) else {
            return Ok(revision);
        };
        if nearest.as_ref().is_none_or(|(longest, _)| position > *longest) {
            nearest = Some((position, ForeignLayout { revision, difference }));
        }
    }
    let (_, foreign) = nearest.expect("there are revisions, and all of them differ");
    Err(foreign)
}

/// How far two descriptions agree: number of instructions, then of fields of the next one.
type Position = (usize, usize);

fn first_difference(isa: &Isa, revision: &Isa) -> Option<(Position, LayoutDifference)> {
    let start = (0, 0);
    if isa.word_bits != revision.word_bits {
        let (given, published) = (isa.word_bits, revision.word_bits);
        return Some((start, LayoutDifference::WordBits { given, published }));
    }
    if isa.code_bits != revision.code_bits {
        let (given, published) = (isa.code_bits, revision.code_bits);
        return Some((start, LayoutDifference::CodeBits { given, published }));
    }
    isa.instructions.iter().enumerate().find_map(|(i, given)| {
        let same_code = |p: &&Instruction| p.code == given.code && p.cell_kind == given.cell_kind;
        let (fields, difference) = match revision.instructions.iter().find(same_code) {
            Some(published) => instruction_difference(given, published)?,
            None => {
                let (name, cell_kind) = (given.name.clone(), given.cell_kind.clone());
                (0, LayoutDifference::Code { name, code: given.code, cell_kind })
            }
        };
        Some(((i, fields), difference))
    })
}

/// The first difference of two instructions with the same code, and the number of equal fields
/// before it.
fn instruction_difference(
    given: &Instruction,
    published: &Instruction,
) -> Option<(usize, LayoutDifference)> {
    if !given.name.eq_ignore_ascii_case(&published.name) {
        let difference = LayoutDifference::Name {
            given: given.name.clone(),
            code: given.code,
            cell_kind: given.cell_kind.clone(),
            published: published.name.clone(),
        };
        return Some((0, difference));
    }
    let instruction = given.name.clone();
    if given.max_chunk != published.max_chunk {
        let (given, published) = (given.max_chunk, published.max_chunk);
        return Some((0, LayoutDifference::MaxChunk { instruction, given, published }));
    }
    let count = given.fields.len().max(published.fields.len());
    for k in 0..count {
        let same = match (given.fields.get(k), published.fields.get(k)) {
            (Some(g), Some(p)) => g.width == p.width && g.name.eq_ignore_ascii_case(&p.name),
            _ => false,
        };
        if !same {
            let (given, published) = (field_text(given, k), field_text(published, k));
            let number = k + 1;
            return Some((k, LayoutDifference::Field { instruction, number, given, published }));
        }
    }
    if given.chunk_field != published.chunk_field {
        let name = |i: &Instruction| {
            i.chunk_field.map_or_else(|| "none".to_owned(), |index| i.fields[index].name.clone())
        };
        let (given, published) = (name(given), name(published));
        return Some((count, LayoutDifference::ChunkField { instruction, given, published }));
    }
    None
}

fn field_text(instruction: &Instruction, index: usize) -> String {
    match instruction.fields.get(index) {
        Some(field) if field.width == 1 => format!("{} of 1 bit", field.name),
        Some(field) => format!("{} of {} bits", field.name, field.width),
        None => "missing".to_owned(),
    }
}
