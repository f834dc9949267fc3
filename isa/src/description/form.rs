// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of description files, as far as types do not say it, and what follows from a file.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use super::Isa;
use crate::json::{integer, is_identifier};

/// An integer from the one to the other.
pub(super) fn int<'d, D: Deserializer<'d>, T: TryFrom<i128>, const MIN: i128, const MAX: i128>(
    from: D,
) -> Result<T, D::Error> {
    let value = integer(&Value::deserialize(from)?).filter(|v| (MIN..=MAX).contains(v));
    let value = value.and_then(|v| T::try_from(v).ok());
    value.ok_or_else(|| D::Error::custom(format!("an integer, {MIN}..{MAX}, is expected")))
}

/// Any number that is not negative; one beyond 64 bits becomes the largest, which no check lets
/// pass.
pub(super) fn number<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
    let value = integer(&Value::deserialize(from)?).filter(|v| *v >= 0);
    let value = value.ok_or_else(|| D::Error::custom("an integer, 0 or more, is expected"))?;
    Ok(u64::try_from(value).unwrap_or(u64::MAX))
}

/// A number as [`number`] reads it; one beyond 32 bits becomes the largest.
pub(super) fn code<'d, D: Deserializer<'d>>(from: D) -> Result<u32, D::Error> {
    number(from).map(|code| u32::try_from(code).unwrap_or(u32::MAX))
}

pub(super) fn identifier<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if is_identifier(&text) {
        return Ok(text);
    }
    Err(D::Error::custom(format!("an identifier is expected, not `{text}`")))
}

/// An identifier that may be absent.
pub(super) fn name<'d, D: Deserializer<'d>>(from: D) -> Result<Option<String>, D::Error> {
    identifier(from).map(Some)
}

/// The name of a value, which may be absent.
pub(super) fn value_name<'d, D: Deserializer<'d>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    if is_identifier(&text) || text == "+" || text == "-" {
        return Ok(Some(text));
    }
    Err(D::Error::custom(format!("an identifier, `+` or `-` is expected, not `{text}`")))
}

/// A list without two equal elements.
pub(super) fn set<'d, D: Deserializer<'d>, T: Deserialize<'d> + PartialEq>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let all = Vec::deserialize(from)?;
    if (1..all.len()).any(|i| all[..i].contains(&all[i])) {
        return Err(D::Error::custom("two elements are equal"));
    }
    Ok(all)
}

pub(super) fn one() -> u32 {
    1
}

pub(super) fn yes() -> bool {
    true
}

impl Isa {
    /// Fills in what follows from the file.
    pub(super) fn complete(&mut self) {
        for i in &mut self.instructions {
            // The next free bit counted from the top; may run below zero in a description that is
            // too wide, which ISA-E08 reports.
            let mut top = i64::from(self.word_bits * i.max_chunk) - i64::from(self.code_bits);
            for f in &mut i.fields {
                top -= i64::from(f.width);
                f.lsb = top.max(0) as u32;
                let named = f.entries.iter().filter_map(|e| Some((e.key, e.val.clone()?)));
                f.values = named.collect();
            }
            for k in 0..i.fields.len() {
                i.fields[k].selector = i.field_index(&format!("{}_sd", i.fields[k].name));
            }
            i.chunk_field = i.field_index(i.chunk_name.as_deref().unwrap_or("extra"));
            i.cell_kind = i.cell_kind.as_deref().map(str::to_ascii_lowercase);
        }
    }
}
