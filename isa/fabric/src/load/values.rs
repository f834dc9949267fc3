// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths and meanings of values: keys, enumerations, packed types, messages.

use std::collections::{BTreeMap, BTreeSet};

use super::check::*;
use drra_isa::Revision;

use crate::{model::Description, text::identifier, types::*, width::*};

pub(super) fn key(k: &mut KeyInfo, _: &Description) -> CheckResult {
    let (named, count) = (!k.values.is_empty(), k.count.as_ref());
    ensure(named || count.is_some(), "", "expected `values` or `count`")?;
    ensure(!named || count.is_none(), "count", "`values` excludes `count`")?;
    match count {
        Some(Width::ByKey(name, _)) => found(None, "count", "parameter", name)?,
        Some(Width::Fixed(count)) => {
            ensure((1..=256).contains(count), "count", "expected a number from 1 to 256")?;
        }
        _ => {}
    }
    if k.variants.is_empty() {
        k.variants = k.values.iter().map(|v| identifier("", v)).collect();
    }
    let fits = k.variants.len() == k.values.len() && k.rust.is_some() == named;
    ensure(fits, "", "named values need a type and either no `names` or one for each value")
}

pub(super) fn width(w: &mut WidthInfo, d: &Description) -> CheckResult {
    w.by.find(&d.keys, "by")?;
    let count = d.keys[w.by.at].values.len();
    ensure(w.of.len() == count, "of", "expected one parameter for each value of the key")?;
    fresh(Parameter::from_name(&w.name).is_none(), "name", "width", &w.name)
}

pub(super) fn enumeration(e: &mut EnumerationInfo, _: &Description) -> CheckResult {
    chapter(e.chapter)?;
    let needed = bits_for(e.values.len()).max(e.width);
    same_width("width", format_args!("the largest value of `{}`", e.name), needed, e.width)?;
    let mut names = BTreeSet::new();
    each("values", &e.values, |value| {
        let name = value.as_deref().unwrap_or_default();
        fresh(value.is_none() || names.insert(name), "", "value", name)
    })?;
    ensure(e.sv.is_some() == e.prefix.is_some(), "", "`sv` and `prefix` must be given together")
}

/// The type of a field must precede the type that contains the field.
pub(super) fn packed_type(t: &mut TypeInfo, d: &Description) -> CheckResult {
    chapter(t.chapter)?;
    let has_kind = t.fields.iter().any(|f| f.enumeration.as_deref() == Some("MessageKind"));
    unique("fields", &t.fields)?;
    each("fields", &mut t.fields, |f| {
        let names = [&f.packed, &f.enumeration, &f.instruction];
        (f.width, f.value_type) = value(f.width, names, f.signed, d)?;
        if let Some(Payload::Any(true)) = f.message {
            ensure(has_kind, "", "a payload of any message needs a field of MessageKind")?;
            f.value_type = ValueType::Payload;
        } else if let Some(Payload::One(name)) = &f.message {
            let index = position(&d.messages, "message", name)?;
            let found = d.messages[index].width;
            same_width("", format_args!("the message `{name}`"), found, f.width)?;
            f.value_type = ValueType::Message(index);
        }
        Ok(())
    })?;
    for f in t.fields.iter_mut().rev() {
        f.lsb = t.width;
        t.width += f.width;
    }
    Ok(())
}

pub(super) fn message(m: &mut MessageInfo, d: &Description) -> CheckResult {
    section(m.chapter, &m.section)?;
    let kinds = d.enumerations.iter().find(|e| e.name == "MessageKind");
    let kind = kinds.and_then(|e| e.values.iter().position(|v| v.as_ref() == Some(&m.kind.name)));
    m.kind.at = found(kind, "kind", "value of MessageKind", &m.kind.name)?;
    let mut above = m.width;
    unique("fields", &m.fields)?;
    each("fields", &mut m.fields, |f| {
        let (name, width, room) = (&f.name, f.width, above.saturating_sub(f.lsb));
        let until = "up to the next field or the end of the message";
        let message =
            format_args!("`{name}` has the width {width}, but only {room} are free {until}");
        ensure((1..=room).contains(&width), "", message)?;
        above = f.lsb;
        (_, f.value_type) = value(width, [&None, &None, &f.instruction], f.signed, d)?;
        Ok(())
    })?;
    let inside: Vec<_> = m.fields.iter().map(|f| (f.member.as_ref(), f.width)).collect();
    members(&mut m.members, "fields", &inside, d)
}

/// Width and value type of an entry that has a width, a type, or both; a width of 0 means that none is written. The
/// names are those of a type, an enumeration, and a field of an instruction (`DPU.mode`), which must have value names.
pub(super) fn value(
    width: u32,
    names: [&Option<String>; 3],
    signed: bool,
    d: &Description,
) -> CheckResult<(u32, ValueType)> {
    let written = names[0].is_some() || (1..=256).contains(&width);
    ensure(written, "", "expected a width of 1 to 256 bits or a type")?;
    let (at, what, name, found, value_type) = match names {
        [Some(name), ..] => {
            let index = position(&d.types, "type", name)?;
            ("width", "type", name, d.types[index].width, ValueType::Fields(index))
        }
        [_, Some(name), _] => {
            let index = position(&d.enumerations, "enumeration", name)?;
            let found = d.enumerations[index].width;
            ("width", "enumeration", name, found, ValueType::Enumeration(index))
        }
        [.., Some(text)] => {
            let field = text.split_once('.').and_then(|(mnemonic, name)| {
                let instruction = Revision::R4.isa().by_name(mnemonic)?;
                Some((&*instruction.name, &instruction.fields[instruction.field_index(name)?]))
            });
            let (mnemonic, f) = found(field, "instruction", "instruction field", text)?;
            let has_names = !f.values.is_empty();
            ensure(has_names, "instruction", "expected a field with names for its values")?;
            ("instruction", "field", text, f.width, ValueType::Instruction(mnemonic, &f.name))
        }
        _ => return Ok((width, if signed { ValueType::Signed } else { ValueType::Number })),
    };
    let expected = if width == 0 { found } else { width };
    same_width(at, format_args!("the {what} `{name}`"), found, expected)?;
    Ok((found, value_type))
}

/// Finds the parameters of a width that depends on the key.
pub(super) fn by_key(width: &mut Width, key: Option<usize>, d: &Description) -> CheckResult {
    let Width::ByKey(name, of) = width else { return Ok(()) };
    let WidthInfo { by, of: found, .. } = &d.widths[position(&d.widths, "width", name)?];
    let what = format_args!("the width `{name}` needs the key `{}`", by.name);
    ensure(key == Some(by.at), "width", format_args!("{what}, which is missing from the path"))?;
    of.clone_from(found);
    Ok(())
}

/// A register or field that a value contains: the member that it is part of, if any, and its width.
pub(super) type ContainedField<'a> = (Option<&'a String>, u32);

/// Checks that what is inside a value has the widths of the fields of a type.
pub(super) fn fills(at: &str, t: &TypeInfo, inside: &[ContainedField<'_>]) -> CheckResult {
    let (found, expected) = (t.width, inside.iter().map(|r| r.1).sum::<u32>());
    let same = t.fields.iter().map(|f| f.width).eq(inside.iter().map(|r| r.1));
    let what = format_args!("the type `{}`, field by field,", t.name);
    ensure(same, at, format_args!("{what} has {found} bits, expected {expected}"))
}

/// The types of members, by name.
type Members = BTreeMap<String, EntryRef>;

/// Finds the types of members, and checks that what is inside a member fills its type.
pub(super) fn members(
    m: &mut Members,
    list: &str,
    all: &[ContainedField<'_>],
    d: &Description,
) -> CheckResult {
    for (name, member) in &mut *m {
        let at = format!("members.{name}");
        member.find(&d.types, &at)?;
        let inside: Vec<_> = all.iter().copied().filter(|r| r.0 == Some(name)).collect();
        fills(&at, &d.types[member.at], &inside)?;
    }
    let unknown = all.iter().map(|(of, _)| of.filter(|name| !m.contains_key(*name)));
    each(list, unknown, |u| u.map_or(Ok(()), |name| found(None, "in", "member", name))).map(drop)
}
