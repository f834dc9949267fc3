// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups and their registers.

use std::{collections::BTreeSet, mem::take};

use super::{
    FabricError,
    entry::{fault, fills, position, same_width, twice, unknown},
    values::{Written, by_key},
};
use crate::fabric::{model::*, text::placeholders, types::Ref, width::Width};

/// Names that must be unique among all groups.
#[derive(Default)]
struct Taken {
    groups: BTreeSet<String>,
    structures: BTreeSet<String>,
    paths: BTreeSet<String>,
    registers: BTreeSet<String>,
}

pub(super) fn groups(d: &mut Description) -> Result<(), FabricError> {
    let mut taken = Taken::default();
    for i in 0..d.groups.len() {
        let at = format!("groups[{i}]");
        let entries = take(&mut d.groups[i].entries);
        let mut g = d.groups[i].clone();
        group(&at, &mut g, &mut taken, d)?;
        if entries.is_empty() {
            return Err(fault(at + ".registers", "expected a register"));
        }
        let first = d.registers.len();
        for (k, mut r) in entries.into_iter().enumerate() {
            let at = format!("{at}.registers[{k}]");
            r.group = i;
            register(&at, &mut r, &g, d)?;
            if !taken.paths.insert(r.path.clone()) || !taken.registers.insert(r.id()) {
                return Err(twice(at + ".name", "register", &r.path));
            }
            d.registers.push(r);
        }
        g.registers = first..d.registers.len();
        members(&at, &mut g, d)?;
        d.groups[i] = g;
    }
    compared_while(d)
}

fn group(
    at: &str,
    g: &mut GroupInfo,
    taken: &mut Taken,
    d: &Description,
) -> Result<(), FabricError> {
    if !taken.groups.insert(g.id()) {
        return Err(twice(format!("{at}.name"), "group", &g.id()));
    }
    if !g.path.contains("{register}") {
        return Err(fault(format!("{at}.path"), "expected `{register}`"));
    }
    g.key = key_of(&format!("{at}.path"), &g.path.replace("{register}", ""), d)?;
    if g.array.is_some() && g.key.is_none() {
        return Err(fault(format!("{at}.array"), "an array needs a key in its path"));
    }
    if key_of(&format!("{at}.rtl"), &g.rtl, d)? != g.key.filter(|_| g.array.is_none()) {
        let message = "expected the key of the path, unless the key counts array elements";
        return Err(fault(format!("{at}.rtl"), message));
    }
    if let Some(sv) = &g.sv
        && !taken.structures.insert(sv.clone())
    {
        return Err(twice(format!("{at}.sv"), "type", sv));
    }
    part(&format!("{at}.part"), &mut g.part, g.unit, d)
}

/// Resolves a reference to a part, which must belong to this kind of unit.
fn part(
    at: &str,
    part: &mut Ref,
    unit: crate::UnitKind,
    d: &Description,
) -> Result<(), FabricError> {
    part.find(&d.parts, at)?;
    if d.parts[part.at].unit == unit {
        return Ok(());
    }
    Err(fault(at, "the part belongs to another kind of unit"))
}

/// Index of the kind of key that a text has placeholders for.
fn key_of(at: &str, text: &str, d: &Description) -> Result<Option<usize>, FabricError> {
    let mut found = None;
    for name in placeholders(text) {
        let key = position(&d.keys, at, name)?;
        if found.is_some_and(|f| f != key) {
            return Err(fault(at, "a register can have at most one key"));
        }
        found = Some(key);
    }
    Ok(found)
}

fn register(
    at: &str,
    r: &mut RegisterInfo,
    g: &GroupInfo,
    d: &Description,
) -> Result<(), FabricError> {
    r.path = g.path.replace("{register}", &r.name);
    (r.unit, r.key) = (g.unit, g.key);
    by_key(&format!("{at}.width"), &mut r.width, r.key, d)?;
    if let Width::Fixed(width) = r.width {
        let RegisterInfo { packed, enumeration, instruction, signed, .. } = &*r;
        let written = Written { width, packed, enumeration, instruction, signed: *signed };
        let (width, meaning) = written.meaning(at, &d.types, &d.enumerations)?;
        (r.width, r.meaning) = (Width::Fixed(width), meaning);
        let needed = r.reset.map_or(0, |reset| 64 - reset.leading_zeros());
        if needed > width {
            same_width(format!("{at}.reset"), "the reset value", needed, width)?;
        }
    }
    if r.rule.name.is_empty() {
        let path = &r.path;
        let message = format!("the register `{path}` has no rule; name the one that defines it");
        return Err(fault(at, message));
    }
    r.rule.find(&d.rules, &format!("{at}.rule"))?;
    if r.part.name.is_empty() {
        r.part = g.part.clone();
    }
    part(&format!("{at}.part"), &mut r.part, r.unit, d)
}

/// Checks that the registers in a member, and those of a group with a type, have the widths of the fields of the type.
fn members(at: &str, g: &mut GroupInfo, d: &Description) -> Result<(), FabricError> {
    let registers = &d.registers[g.registers.clone()];
    for (name, member) in &mut g.members {
        let at = format!("{at}.members.{name}");
        member.find(&d.types, &at)?;
        let inside = registers.iter().filter(|r| r.member.as_ref() == Some(name));
        fills(at, &d.types[member.at], inside.map(|r| r.width.fixed()))?;
    }
    for (k, r) in registers.iter().enumerate() {
        if let Some(member) = r.member.as_ref().filter(|name| !g.members.contains_key(*name)) {
            return Err(unknown(format!("{at}.registers[{k}].in"), "member", member));
        }
    }
    let Some(name) = &g.packed else { return Ok(()) };
    let at = format!("{at}.type");
    let t = &d.types[position(&d.types, &at, name)?];
    fills(at, t, registers.iter().map(|r| r.width.fixed()))
}

/// Finds the registers that must be 1 for a group to be compared.
fn compared_while(d: &mut Description) -> Result<(), FabricError> {
    for (i, g) in d.groups.iter_mut().enumerate() {
        let Some(flag) = &mut g.compared_while else { continue };
        let is_flag = |r: &RegisterInfo| {
            r.unit == g.unit && r.path == flag.name && r.width == Width::Fixed(1)
        };
        flag.at = d.registers.iter().position(is_flag).ok_or_else(|| {
            let at = format!("groups[{i}].compared_while");
            unknown(at, "register of one bit in this unit", &flag.name)
        })?;
    }
    Ok(())
}
