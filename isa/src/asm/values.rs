// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the fields of one instruction, and the number of words that it needs (chapter 1, 8.3 and 8.5).

use std::collections::HashMap;

use super::{error::AsmError, expr::NameScope, parser::Assignment};
use crate::description::{Field, Instruction, Isa};

/// An instruction as written.
pub(super) struct WrittenInstruction<'a> {
    pub(super) isa: &'a Isa,
    pub(super) instruction: &'a Instruction,
    pub(super) listing: bool,
    pub(super) assigns: &'a [Assignment<'a>],
}

/// Values of the fields of one instruction for given label addresses.
pub(super) struct FieldValues {
    pub(super) raw: Vec<u64>,
    /// Number of words requested by the written fields, the chunk field or the link.
    pub(super) len: usize,
    pub(super) warnings: Vec<(&'static str, String)>,
    /// Signed fields with a written value that is the raw pattern of a negative one.
    pub(super) patterns: Vec<(usize, i64)>,
}

/// The value written to each field, if any.
type WrittenValues = [Option<i64>];

impl WrittenInstruction<'_> {
    /// Values of the fields; `computed_link` is the link of a LOOP that does not specify it.
    pub(super) fn values(
        &self,
        labels: &HashMap<&str, i64>,
        computed_link: u64,
    ) -> Result<FieldValues, AsmError> {
        let fields = &self.instruction.fields;
        let mut numbers = vec![None; fields.len()];
        for assign in self.assigns {
            let names = NameScope { field: Some(&fields[assign.field]), labels: Some(labels) };
            numbers[assign.field] = Some(assign.value.eval(&names)?);
        }
        let mut values = FieldValues {
            raw: fields.iter().map(|f| f.default).collect(),
            len: 0,
            warnings: Vec::new(),
            patterns: Vec::new(),
        };
        let link_field = self.instruction.field_index("link");
        for assign in self.assigns {
            let raw = self.value(assign, &numbers, &mut values.warnings)?;
            values.raw[assign.field] = raw;
            let (field, written) = (&fields[assign.field], numbers[assign.field]);
            if let Some(written) = written.filter(|w| !self.listing && *w > field.number(raw)) {
                values.patterns.push((assign.field, written));
            }
            let is_link = link_field == Some(assign.field);
            values.warnings.extend(self.noticed(field, raw, is_link));
        }

        let link_written = link_field.is_some_and(|l| numbers[l].is_some());
        let link = if link_written || link_field.is_none() { 0 } else { computed_link };
        values.len = self.words(&numbers, &mut values, link)?;
        if let Some(field) = link_field {
            values.raw[field] |= link; // removed again if its word is not emitted
        }
        Ok(values)
    }

    /// Bits of one field.
    fn value(
        &self,
        assign: &Assignment<'_>,
        numbers: &WrittenValues,
        warnings: &mut Vec<(&'static str, String)>,
    ) -> Result<u64, AsmError> {
        let instruction = self.instruction;
        let field = &instruction.fields[assign.field];
        let number = numbers[assign.field].expect("every assigned field has a number");
        let dynamic = field.selector.is_some_and(|s| match numbers[s] {
            Some(number) => number == 1,
            None => instruction.fields[s].default == 1,
        });
        if dynamic && !(0..16).contains(&number) && !self.listing {
            let message = format!("{} = {number} is not a RACCU register (0..15)", field.name);
            return assign.place.fail("A15", message);
        }
        let is_chunk = instruction.chunk_field == Some(assign.field);
        let too_long = || {
            let message =
                format!("{} has at most {} words", instruction.name, instruction.max_chunk);
            assign.place.error("A09", message)
        };
        if is_chunk && number >= i64::from(instruction.max_chunk) {
            return Err(too_long());
        }
        let raw = match to_raw(field, number) {
            Some(value) => value,
            None if self.listing => {
                let message =
                    format!("{} = {number} is truncated to {} bits", field.name, field.width);
                warnings.push(("W05", message));
                number as u64 & ((1 << field.width) - 1)
            }
            None => {
                return assign.place.fail("A07", self.outside(field, number));
            }
        };
        // The raw value of a negative number can be a large count.
        if is_chunk && raw >= u64::from(instruction.max_chunk) {
            return Err(too_long());
        }
        Ok(raw)
    }

    /// The message about a value outside the range of a field, with the fields that extend the range, or else with the
    /// meaning of the field.
    fn outside(&self, field: &Field, number: i64) -> String {
        let Field { name, width, .. } = field;
        let message = format!("{name} = {number} is outside {}", range(field));
        let beside = |ending: &str| {
            let index = self.instruction.field_index(&format!("{name}{ending}"))?;
            Some(&self.instruction.fields[index])
        };
        if let Some(Field { name: ext, width: more, .. }) = beside("_ext").filter(|_| number >= 0) {
            let (most, low) = ((1i128 << (width + more)) - 1, number & ((1 << width) - 1));
            let fits = i128::from(number) <= most;
            let write = format!(": write {name}={low}, {ext}={}", number >> width);
            let write = if fits { write.as_str() } else { "" };
            return format!("{message}; with {ext}, 0..{most} is possible{write}");
        }
        let magnitude = number.unsigned_abs();
        let is_negated = number < 0 && magnitude >> width == 0;
        if let Some(sign) = beside("_sign").filter(|_| is_negated) {
            let minus = sign.value_name(1).unwrap_or("1");
            return format!("{message}; write {name}={magnitude}, {}={minus}", sign.name);
        }
        match field.comment.lines().next() {
            Some(meaning) => format!("{message}; meaning: {}", meaning.trim_end_matches('.')),
            None => message,
        }
    }

    /// The warning about a written field that programs normally omit.
    fn noticed(&self, field: &Field, raw: u64, is_link: bool) -> Option<(&'static str, String)> {
        let changed = raw != field.default;
        if field.is_padding() {
            return changed.then(|| ("W01", format!("padding {} is written", field.name)));
        }
        // Listings write every field.
        if field.controllable || self.listing {
            None
        } else if is_link {
            Some(("W02", format!("{} is written", field.name)))
        } else {
            let message =
                format!("{} should not be written by programs in this instruction set", field.name);
            changed.then_some(("W06", message))
        }
    }

    /// Number of words: one more than the chunk field if it is written, otherwise the number of words that the link and
    /// the fields whose values differ from their defaults need. Without a chunk field, the number is fixed.
    fn words(
        &self,
        numbers: &WrittenValues,
        values: &mut FieldValues,
        link: u64,
    ) -> Result<usize, AsmError> {
        let instruction = self.instruction;
        let fields = &instruction.fields;
        let words = |f: usize| instruction.chunks_of(self.isa, &fields[f]).1 as usize + 1;
        let changed = |a: &&Assignment<'_>| values.raw[a.field] != fields[a.field].default;
        let needed = self.assigns.iter().filter(changed).map(|a| words(a.field)).max();
        let needed = needed.unwrap_or(1);
        let value = |name: &str| instruction.field_index(name).map_or(0, |i| values.raw[i]);
        let link_needed = link != 0 && (value("iter") == 0 || value("iter_sd") == 1);
        let link_words =
            if link_needed { instruction.field_index("link").map_or(0, words) } else { 0 };
        let Some(chunk) = instruction.chunk_field else {
            return Ok(instruction.max_chunk as usize);
        };
        if numbers[chunk].is_none() {
            return Ok(needed.max(link_words));
        }
        let len = values.raw[chunk] as usize + 1;
        if let Some(outside) = self.assigns.iter().filter(changed).find(|a| words(a.field) > len) {
            let message = format!(
                "{} lies outside the {len} word(s) that {} selects",
                fields[outside.field].name, fields[chunk].name
            );
            return outside.place.fail("A10", message);
        }
        if len < link_words {
            let message = "link is needed but its word is not emitted".to_owned();
            values.warnings.push(("W08", message));
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
