// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths and meanings of values: keys, enumerations, packed types.

use super::{
    FabricError,
    entry::{chapter_text, fault, position, same_width, twice, unique, unknown},
};
use crate::{
    Revision,
    fabric::{
        model::Description,
        text::identifier,
        types::*,
        width::{Parameter, Width, bits_for},
    },
};

/// The properties of a value as written; a width of 0 means that no width is written.
pub(super) struct Written<'a> {
    pub(super) width: u32,
    pub(super) packed: &'a Option<String>,
    pub(super) enumeration: &'a Option<String>,
    pub(super) instruction: &'a Option<String>,
    pub(super) signed: bool,
}

impl Written<'_> {
    /// Width and meaning of an entry that has a width, a type, or both.
    pub(super) fn meaning(
        &self,
        at: &str,
        types: &[TypeInfo],
        enumerations: &[EnumerationInfo],
    ) -> Result<(u32, Meaning), FabricError> {
        let at_width = format!("{at}.width");
        if let Some(name) = self.packed {
            let index = position(types, &format!("{at}.type"), name)?;
            let found = types[index].width;
            if self.width != 0 {
                same_width(at_width, &format!("the type `{name}`"), found, self.width)?;
            }
            return Ok((found, Meaning::Fields(index)));
        }
        if !(1..=256).contains(&self.width) {
            return Err(fault(at, "expected a width of 1 to 256 bits or a type"));
        }
        let meaning = if let Some(name) = self.enumeration {
            let index = position(enumerations, &format!("{at}.enumeration"), name)?;
            let found = enumerations[index].width;
            same_width(at_width, &format!("the enumeration `{name}`"), found, self.width)?;
            Meaning::Enumeration(index)
        } else if let Some(text) = self.instruction {
            instruction_field(&format!("{at}.instruction"), text, self.width)?
        } else if self.signed {
            Meaning::Signed
        } else {
            Meaning::Number
        };
        Ok((self.width, meaning))
    }
}

/// The field of an instruction that a text such as `DPU.mode` names. It must have value names and this width.
pub(super) fn instruction_field(at: &str, text: &str, width: u32) -> Result<Meaning, FabricError> {
    let unknown = || unknown(at, "instruction field", text);
    let (mnemonic, name) = text.split_once('.').ok_or_else(unknown)?;
    let instruction = Revision::R4.isa().by_name(mnemonic).ok_or_else(unknown)?;
    let field = &instruction.fields[instruction.field_index(name).ok_or_else(unknown)?];
    if field.values.is_empty() {
        return Err(fault(at, "expected a field with names for its values"));
    }
    same_width(at, &format!("the field `{text}`"), field.width, width)?;
    Ok(Meaning::Instruction(instruction.name.clone(), field.name.clone()))
}

pub(super) fn keys(d: &mut Description) -> Result<(), FabricError> {
    unique("keys", &d.keys)?;
    for (i, k) in d.keys.iter_mut().enumerate() {
        let at = format!("keys[{i}]");
        match (&k.count, k.values.len()) {
            (None, 0) => return Err(fault(at, "expected `values` or `count`")),
            (Some(_), 1..) => return Err(fault(at + ".count", "`values` excludes `count`")),
            (Some(Width::ByKey(name, _)), 0) => {
                return Err(unknown(at + ".count", "parameter", name));
            }
            (Some(Width::Fixed(count)), 0) if !(1..=256).contains(count) => {
                return Err(fault(at + ".count", "expected a number from 1 to 256"));
            }
            _ => {}
        }
        if k.variants.is_empty() {
            k.variants = k.values.iter().map(|v| identifier("", v)).collect();
        }
        if k.variants.len() != k.values.len() || k.rust.is_some() == k.values.is_empty() {
            let message = "named values need a type and either no `names` or one for each value";
            return Err(fault(at, message));
        }
    }
    Ok(())
}

pub(super) fn widths(d: &mut Description) -> Result<(), FabricError> {
    unique("widths", &d.widths)?;
    for (i, w) in d.widths.iter_mut().enumerate() {
        let at = format!("widths[{i}]");
        w.by.find(&d.keys, &format!("{at}.by"))?;
        if w.of.len() != d.keys[w.by.at].values.len() {
            return Err(fault(at + ".of", "expected one parameter for each value of the key"));
        }
        if Parameter::from_name(&w.name).is_some() {
            return Err(twice(at + ".name", "width", &w.name));
        }
    }
    Ok(())
}

/// Finds the parameters of a width that depends on the key.
pub(super) fn by_key(
    at: &str,
    width: &mut Width,
    key: Option<usize>,
    d: &Description,
) -> Result<(), FabricError> {
    let Width::ByKey(name, of) = width else { return Ok(()) };
    let found = &d.widths[position(&d.widths, at, name)?];
    if key != Some(found.by.at) {
        let key = &found.by.name;
        let message =
            format!("the width `{name}` needs the key `{key}`, which is missing from the path");
        return Err(fault(at, message));
    }
    of.clone_from(&found.of);
    Ok(())
}

pub(super) fn enumerations(d: &Description) -> Result<(), FabricError> {
    unique("enumerations", &d.enumerations)?;
    for (i, e) in d.enumerations.iter().enumerate() {
        let at = format!("enumerations[{i}]");
        chapter_text(&format!("{at}.chapter"), e.chapter)?;
        let needed = bits_for(e.values.len());
        if needed > e.width {
            let what = format!("the largest value of `{}`", e.name);
            same_width(format!("{at}.width"), &what, needed, e.width)?;
        }
        let earlier = |k: &usize| e.values[*k].is_some() && e.values[..*k].contains(&e.values[*k]);
        if let Some(k) = (0..e.values.len()).find(earlier) {
            let name = e.values[k].as_deref().unwrap_or_default();
            return Err(twice(format!("{at}.values[{k}]"), "value", name));
        }
        if e.sv.is_some() != e.prefix.is_some() {
            return Err(fault(at, "`sv` and `prefix` must be given together"));
        }
    }
    Ok(())
}

/// Resolves the packed types; the type of a field must precede the type that contains the field.
pub(super) fn types(d: &mut Description) -> Result<(), FabricError> {
    unique("types", &d.types)?;
    for i in 0..d.types.len() {
        let (earlier, rest) = d.types.split_at_mut(i);
        let t = &mut rest[0];
        let at = format!("types[{i}]");
        chapter_text(&format!("{at}.chapter"), t.chapter)?;
        unique(&format!("{at}.fields"), &t.fields)?;
        let has_kind = t.fields.iter().any(|f| f.enumeration.as_deref() == Some("MessageKind"));
        for (k, f) in t.fields.iter_mut().enumerate() {
            let at = format!("{at}.fields[{k}]");
            let TypeField { width, packed, enumeration, instruction, signed, .. } = &*f;
            let (width, signed) = (*width, *signed);
            let written = Written { width, packed, enumeration, instruction, signed };
            let (width, mut meaning) = written.meaning(&at, earlier, &d.enumerations)?;
            match &f.message {
                Some(Payload::Any(true)) if has_kind => meaning = Meaning::Payload,
                Some(Payload::Any(true)) => {
                    let what = "a payload of any message needs a field of MessageKind";
                    return Err(fault(at, what));
                }
                Some(Payload::One(name)) => {
                    let index = position(&d.messages, &format!("{at}.message"), name)?;
                    let found = d.messages[index].width;
                    same_width(at, &format!("the message `{name}`"), found, width)?;
                    meaning = Meaning::Message(index);
                }
                Some(Payload::Any(false)) | None => {}
            }
            (f.width, f.meaning) = (width, meaning);
        }
        t.width = t.fields.iter().map(|f| f.width).sum();
        let mut lsb = t.width;
        for f in &mut t.fields {
            lsb -= f.width;
            f.lsb = lsb;
        }
    }
    Ok(())
}
