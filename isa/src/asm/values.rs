// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the fields of one instruction and the words that it needs (chapter 1, 8.3 and 8.5).

use std::collections::HashMap;

use super::AsmError;
use super::expr::Names;
use super::parser::Assign;
use crate::description::Field;
use crate::description::Instruction;
use crate::description::Isa;

/// An instruction as it is written.
pub(super) struct Written<'a> {
    pub(super) isa: &'static Isa,
    pub(super) instruction: &'static Instruction,
    pub(super) listing: bool,
    pub(super) assigns: &'a [Assign],
}

/// Values of one instruction under given label addresses.
pub(super) struct Values {
    pub(super) raw: Vec<u64>,
    /// Words asked for by the written fields, the chunk field or the link.
    pub(super) len: usize,
    pub(super) warnings: Vec<(&'static str, String)>,
}

/// What is written to each field.
type Numbers = [Option<i64>];

impl Written<'_> {
    /// Values of the fields; `computed_link` is the link of a LOOP that does not write it.
    pub(super) fn values(
        &self,
        labels: &HashMap<String, i64>,
        computed_link: u64,
    ) -> Result<Values, AsmError> {
        let fields = &self.instruction.fields;
        let mut numbers = vec![None; fields.len()];
        for assign in self.assigns {
            let names = Names { field: Some(&fields[assign.field]), labels: Some(labels) };
            numbers[assign.field] = Some(assign.value.eval(&names)?);
        }
        let mut raw: Vec<u64> = fields.iter().map(|f| f.default).collect();
        let mut warnings = Vec::new();
        for assign in self.assigns {
            raw[assign.field] = self.value(assign, &numbers, &mut warnings)?;
        }

        let link_field = self.instruction.field_index("link");
        let link_written = link_field.is_some_and(|l| numbers[l].is_some());
        let link = if link_written { 0 } else { computed_link };
        let value = |name: &str| self.instruction.field_index(name).map_or(0, |i| raw[i]);
        let link_needed = link != 0 && (value("iter") == 0 || value("iter_sd") == 1);
        let len = self.words(&numbers, &raw, link_needed, &mut warnings)?;
        if let Some(field) = link_field {
            raw[field] |= link; // cut off again if its word is not emitted
        }
        Ok(Values { raw, len, warnings })
    }

    /// Bits of one field.
    fn value(
        &self,
        assign: &Assign,
        numbers: &Numbers,
        warnings: &mut Vec<(&'static str, String)>,
    ) -> Result<u64, AsmError> {
        let instruction = self.instruction;
        let field = &instruction.fields[assign.field];
        let number = numbers[assign.field].expect("every assigned field has a number");
        let dynamic = field.selector.is_some_and(|s| numbers[s].unwrap_or(0) == 1);
        let is_chunk = instruction.chunk_field == Some(assign.field);
        if dynamic && !(0..16).contains(&number) && !self.listing {
            return Err(assign.place.error(
                "A15",
                format!("{} = {number} is no RACCU register, 0..15 are", field.name),
            ));
        }
        if is_chunk && number >= i64::from(instruction.max_chunk) {
            return Err(assign.place.error(
                "A09",
                format!("{} has at most {} words", instruction.name, instruction.max_chunk),
            ));
        }
        let raw = match to_raw(field, number) {
            Some(value) => value,
            None if self.listing => {
                warnings.push((
                    "W05",
                    format!("{} = {number} is cut to {} bits", field.name, field.width),
                ));
                number as u64 & ((1 << field.width) - 1)
            }
            None => {
                return Err(assign.place.error(
                    "A07",
                    format!("{} = {number} is outside {}", field.name, range(field)),
                ));
            }
        };
        if field.is_padding() && raw != field.default {
            warnings.push(("W01", format!("padding {} is written", field.name)));
        } else if !field.controllable && field.observable && !self.listing {
            warnings.push(("W02", format!("{} is written", field.name)));
        }
        Ok(raw)
    }

    /// Words of the instruction.
    fn words(
        &self,
        numbers: &Numbers,
        raw: &[u64],
        link_needed: bool,
        warnings: &mut Vec<(&'static str, String)>,
    ) -> Result<usize, AsmError> {
        let fields = &self.instruction.fields;
        let last_word =
            |a: &Assign| self.instruction.chunks_of(self.isa, &fields[a.field]).1 as usize;
        let changed = || self.assigns.iter().filter(|a| raw[a.field] != fields[a.field].default);
        let needed = changed().map(|a| last_word(a) + 1).max().unwrap_or(1);
        let Some(chunk) = self.instruction.chunk_field else {
            return Ok(self.instruction.max_chunk as usize);
        };
        if numbers[chunk].is_none() {
            return Ok(if link_needed { needed.max(2) } else { needed });
        }
        let len = raw[chunk] as usize + 1;
        if let Some(outside) = changed().find(|a| last_word(a) >= len) {
            return Err(outside.place.error(
                "A10",
                format!(
                    "{} lies outside the {len} word(s) that {} selects",
                    fields[outside.field].name, fields[chunk].name
                ),
            ));
        }
        if link_needed && len == 1 {
            warnings.push(("W08", "link is needed but has no room in one word".into()));
        }
        Ok(len)
    }
}

fn to_raw(field: &Field, number: i64) -> Option<u64> {
    let width = field.width;
    let low = if field.signed { -(1i64 << (width - 1)) } else { 0 };
    (low..1i64 << width).contains(&number).then_some(number as u64 & ((1 << width) - 1))
}

fn range(field: &Field) -> String {
    let high = (1i64 << field.width) - 1;
    if field.signed {
        format!("{}..{high}", -(1i64 << (field.width - 1)))
    } else {
        format!("0..{high}")
    }
}
