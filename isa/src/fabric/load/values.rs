// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths and what values mean: keys, enumerations, packed types.

use super::{
    FabricError, Loader,
    chapters::chapter_text,
    names::{Names, form, identifier, parameter},
};
use crate::{
    Revision,
    fabric::{file::*, model::*},
};

impl Loader {
    /// Width and meaning of something that has a width, a type, or both.
    pub(super) fn meaning(
        &self,
        at: &str,
        width: Option<u32>,
        packed: Option<&str>,
        enumeration: Option<&str>,
        instruction: Option<&str>,
    ) -> Result<(u32, Meaning), FabricError> {
        if let Some(name) = packed {
            let index = self.type_names.get(&format!("{at}.type"), name)?;
            let found = self.types[index].width;
            return match width {
                Some(expected) if expected != found => Err(FabricError::Width {
                    at: format!("{at}.width"),
                    what: format!("the type `{name}`"),
                    found,
                    expected,
                }),
                _ => Ok((found, Meaning::Fields(index))),
            };
        }
        let width = width
            .filter(|w| (1..=256).contains(w))
            .ok_or_else(|| form(at.to_owned(), "a width of 1 to 256 bits or a type expected"))?;
        if let Some(name) = enumeration {
            let index = self.enumeration_names.get(&format!("{at}.enumeration"), name)?;
            let found = self.enumerations[index].width;
            if found != width {
                return Err(FabricError::Width {
                    at: format!("{at}.width"),
                    what: format!("the enumeration `{name}`"),
                    found,
                    expected: width,
                });
            }
            return Ok((width, Meaning::Enumeration(index)));
        }
        if let Some(text) = instruction {
            return instruction_field(&format!("{at}.instruction"), text, width);
        }
        Ok((width, Meaning::Number))
    }

    pub(super) fn packed_type(
        &self,
        at: &str,
        t: &TypeEntry,
        messages: &[MessageInfo],
    ) -> Result<TypeInfo, FabricError> {
        chapter_text(format!("{at}.chapter"), t.chapter)?;
        let mut names = Names::new("field");
        let mut fields = Vec::new();
        for (k, f) in t.fields.iter().enumerate() {
            let at = format!("{at}.fields[{k}]");
            names.add(&format!("{at}.name"), &f.name)?;
            let (width, mut meaning) = self.meaning(
                &at,
                f.width,
                f.packed.as_deref(),
                f.enumeration.as_deref(),
                f.instruction.as_deref(),
            )?;
            if f.signed {
                meaning = Meaning::Signed;
            }
            match &f.message {
                Some(PayloadEntry::Any(true)) => {
                    if !t.fields.iter().any(|f| f.enumeration.as_deref() == Some("MessageKind")) {
                        return Err(form(
                            at,
                            "a payload of any message needs a field of MessageKind",
                        ));
                    }
                    meaning = Meaning::Payload;
                }
                Some(PayloadEntry::One(name)) => {
                    let index = self.message_names.get(&format!("{at}.message"), name)?;
                    let found = messages[index].width;
                    if found != width {
                        let what = format!("the message `{name}`");
                        return Err(FabricError::Width { at, what, found, expected: width });
                    }
                    meaning = Meaning::Message(index);
                }
                Some(PayloadEntry::Any(false)) | None => {}
            }
            let (name, sv) = (f.name.clone(), f.sv.clone());
            fields.push(TypeField { name, lsb: 0, width, meaning, sv });
        }
        let total = fields.iter().map(|f| f.width).sum();
        let mut lsb = total;
        for f in &mut fields {
            lsb -= f.width;
            f.lsb = lsb;
        }
        Ok(TypeInfo { name: t.name.clone(), chapter: t.chapter, fields, width: total })
    }

    pub(super) fn width(
        &self,
        at: &str,
        size: &Size,
        key: Option<usize>,
    ) -> Result<Width, FabricError> {
        match size {
            Size::Number(n) if (1..=256).contains(n) => Ok(Width::Fixed(*n)),
            Size::Number(_) => Err(form(at.to_owned(), "a width of 1 to 256 bits expected")),
            Size::Name(name) => match self.widths.get(name) {
                Some((by, all)) if key == Some(*by) => Ok(Width::ByKey(name.clone(), all.clone())),
                Some((by, _)) => {
                    let message = format!(
                        "the width `{name}` needs the key `{}`, which the path lacks",
                        self.keys[*by].name
                    );
                    Err(form(at.to_owned(), &message))
                }
                None => parameter(at.to_owned(), name).map(Width::Of),
            },
        }
    }
}

pub(super) fn key(at: &str, k: &KeyEntry) -> Result<KeyInfo, FabricError> {
    let count = match (&k.count, k.values.len()) {
        (None, 0) => return Err(form(at.to_owned(), "`values` or `count` expected")),
        (None, n) => Count::Fixed(u32::try_from(n).unwrap_or(u32::MAX)),
        (Some(_), 1..) => return Err(form(format!("{at}.count"), "the values count themselves")),
        (Some(Size::Number(n)), 0) => Count::Fixed(*n),
        (Some(Size::Name(name)), 0) => Count::Of(parameter(format!("{at}.count"), name)?),
    };
    let variants = if k.names.is_empty() {
        k.values.iter().map(|v| identifier("", v)).collect()
    } else {
        k.names.clone()
    };
    if variants.len() != k.values.len() || k.rust.is_some() == k.values.is_empty() {
        let message = "named values need a type and, if any, one name each";
        return Err(form(at.to_owned(), message));
    }
    Ok(KeyInfo {
        name: k.name.clone(),
        rust: k.rust.clone(),
        values: k.values.clone(),
        variants,
        count,
        sv: k.sv.clone().zip(k.prefix.clone()),
    })
}

pub(super) fn enumeration(at: &str, e: &EnumerationEntry) -> Result<EnumerationInfo, FabricError> {
    chapter_text(format!("{at}.chapter"), e.chapter)?;
    let needed = bits_for(e.values.len());
    if needed > e.width {
        return Err(FabricError::Width {
            at: format!("{at}.width"),
            what: format!("the largest value of `{}`", e.name),
            found: needed,
            expected: e.width,
        });
    }
    let mut names = Names::new("value");
    for (k, name) in e.values.iter().enumerate() {
        if let Some(name) = name {
            names.add(&format!("{at}.values[{k}]"), name)?;
        }
    }
    if e.sv.is_some() != e.prefix.is_some() {
        return Err(form(at.to_owned(), "`sv` and `prefix` belong together"));
    }
    Ok(EnumerationInfo {
        name: e.name.clone(),
        sv: e.sv.clone().zip(e.prefix.clone()),
        width: e.width,
        chapter: e.chapter,
        values: e.values.clone(),
    })
}

/// The field `DPU.mode` of an instruction, which must have this width.
pub(super) fn instruction_field(
    at: &str,
    text: &str,
    width: u32,
) -> Result<(u32, Meaning), FabricError> {
    let unknown =
        || FabricError::Unknown { at: at.to_owned(), what: "instruction field", name: text.into() };
    let (mnemonic, name) = text.split_once('.').ok_or_else(unknown)?;
    let instruction = Revision::R4.isa().by_name(mnemonic).ok_or_else(unknown)?;
    let field = instruction.field_index(name).ok_or_else(unknown)?;
    if instruction.fields[field].values.is_empty() {
        return Err(form(at.to_owned(), "a field with names for its values expected"));
    }
    let found = instruction.fields[field].width;
    if found != width {
        let what = format!("the field `{text}`");
        return Err(FabricError::Width { at: at.to_owned(), what, found, expected: width });
    }
    Ok((
        width,
        Meaning::Instruction(instruction.name.clone(), instruction.fields[field].name.clone()),
    ))
}

pub(super) fn fixed(width: &Width) -> u32 {
    match width {
        Width::Fixed(bits) => *bits,
        _ => 0,
    }
}
