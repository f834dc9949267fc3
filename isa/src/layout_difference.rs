// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares the layout of a description with the published revisions. If the layouts are equal, words made with the
//! description are words of the hardware, whatever value names and defaults the description has.

use crate::{
    description::{Instruction, Isa},
    revision::Revision,
};

/// A description whose layout is not that of a published revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("codes and fields match no published revision; the nearest is {}: {difference}", revision.name())]
pub struct ForeignLayout {
    /// The revision whose first difference from the description comes last.
    pub revision: Revision,
    /// The first difference from that revision, with the described and the published properties.
    pub difference: String,
}

/// The newest published revision that has words and codes of the same width and every instruction of the description,
/// with the same code, name, kind of cell, maximum number of words and chunk field, and with fields of the same names
/// and widths in the same order. Instructions missing from the description, value names, defaults, flags and comments
/// are not compared.
///
/// # Errors
/// The first difference from the revision whose first difference comes last.
pub fn published_layout(isa: &Isa) -> Result<Revision, ForeignLayout> {
    let mut nearest: Option<(Agreement, ForeignLayout)> = None;
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

/// The agreement of two descriptions: number of equal instructions, then number of equal fields in the next
/// instruction.
type Agreement = (usize, usize);

fn first_difference(isa: &Isa, revision: &Isa) -> Option<(Agreement, String)> {
    let bits = [
        ("words", isa.word_bits, revision.word_bits),
        ("codes", isa.code_bits, revision.code_bits),
    ];
    if let Some((what, given, published)) = bits.into_iter().find(|(_, g, p)| g != p) {
        let text = format!("{what} of {given} bits (published: {published})");
        return Some(((0, 0), text));
    }
    isa.instructions.iter().enumerate().find_map(|(i, given)| {
        let same_code = |p: &&Instruction| p.code == given.code && p.cell_kind == given.cell_kind;
        let (fields, text) = match revision.instructions.iter().find(same_code) {
            Some(published) => instruction_difference(given, published)?,
            None => (0, format!("code {} has no instruction{}", given.code, in_cells(given))),
        };
        Some(((i, fields), format!("instruction {}: {text}", given.name)))
    })
}

/// The first difference between two instructions with the same code, and the number of equal fields before it.
fn instruction_difference(given: &Instruction, published: &Instruction) -> Option<(usize, String)> {
    if !given.name.eq_ignore_ascii_case(&published.name) {
        let text = format!("code {} is {}{}", given.code, published.name, in_cells(given));
        return Some((0, text));
    }
    if given.max_chunk != published.max_chunk {
        let (given, published) = (given.max_chunk, published.max_chunk);
        return Some((0, format!("at most {given} words (published: {published})")));
    }
    let count = given.fields.len().max(published.fields.len());
    let same = |k: &usize| match (given.fields.get(*k), published.fields.get(*k)) {
        (Some(g), Some(p)) => g.width == p.width && g.name.eq_ignore_ascii_case(&p.name),
        _ => false,
    };
    if let Some(k) = (0..count).find(|k| !same(k)) {
        let (given, published) = (field_text(given, k), field_text(published, k));
        return Some((k, format!("field {} is {given} (published: {published})", k + 1)));
    }
    let chunk = |i: &Instruction| {
        i.chunk_field.map_or_else(|| "none".to_owned(), |index| i.fields[index].name.clone())
    };
    (given.chunk_field != published.chunk_field).then(|| {
        let text = format!("chunk field {} (published: {})", chunk(given), chunk(published));
        (count, text)
    })
}

fn in_cells(instruction: &Instruction) -> String {
    let kind = instruction.cell_kind.as_ref();
    kind.map(|k| format!(" in cells of kind {k}")).unwrap_or_default()
}

fn field_text(instruction: &Instruction, index: usize) -> String {
    match instruction.fields.get(index) {
        Some(field) if field.width == 1 => format!("{} of 1 bit", field.name),
        Some(field) => format!("{} of {} bits", field.name, field.width),
        None => "missing".to_owned(),
    }
}
