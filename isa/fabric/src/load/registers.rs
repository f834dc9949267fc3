// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups and their registers.

use std::{collections::BTreeSet, mem::take};

use super::{check::*, signals::sources, values::*};
use drra_isa::UnitKind;

use crate::{model::*, text::placeholders, types::EntryRef, width::Width};

pub(super) fn registers(d: &mut Description) -> CheckResult {
    let [mut groups, mut types, mut paths, mut ids] = [const { BTreeSet::new() }; 4];
    each("groups", take(&mut d.groups), |mut g| {
        fresh(groups.insert(g.id()), "name", "group", &g.id())?;
        group(&mut g, d)?;
        let is_new = g.sv.as_ref().is_none_or(|sv| types.insert(sv.clone()));
        fresh(is_new, "sv", "type", g.sv.as_deref().unwrap_or_default())?;
        let mut all = each("registers", take(&mut g.entries), |mut r| {
            register(&mut r, &g, d)?;
            let is_new = paths.insert(r.path.clone()) && ids.insert(r.id());
            fresh(is_new, "name", "register", &r.path).map(|()| r)
        })?;
        let inside: Vec<_> = all.iter().map(|r| (r.member.as_ref(), r.width.fixed())).collect();
        members(&mut g.members, "registers", &inside, d)?;
        if let Some(name) = &g.packed {
            fills("type", &d.types[position(&d.types, "type", name)?], &inside)?;
        }
        let first = d.registers.len();
        d.registers.append(&mut all);
        g.registers = first..d.registers.len();
        d.groups.push(g);
        Ok(())
    })?;
    each("groups", &mut d.groups, |g| {
        let Some(flag) = &mut g.compared_while else { return Ok(()) };
        let bit = |r: &RegisterInfo| r.unit == g.unit && r.width == Width::Fixed(1);
        let register = d.registers.iter().position(|r| r.path == flag.name && bit(r));
        let what = "register of one bit in this unit";
        found(register, "compared_while", what, &flag.name).map(|register| flag.at = register)
    })
    .map(drop)
}

fn group(g: &mut GroupInfo, d: &Description) -> CheckResult {
    ensure(!g.entries.is_empty(), "registers", "expected a register")?;
    ensure(g.path.contains("{register}"), "path", "expected `{register}`")?;
    g.key = key_of("path", &g.path.replace("{register}", ""), d)?;
    let has_key = g.array.is_none() || g.key.is_some();
    ensure(has_key, "array", "an array needs a key in its path")?;
    let fits = key_of("rtl", &g.rtl, d)? == g.key.filter(|_| g.array.is_none());
    let message = "expected the key of the path, unless the key counts array elements";
    ensure(fits, "rtl", message)?;
    part(&mut g.part, g.unit, d)?;
    sources(&g.sources, (g.unit, g.key), d).map(|all| g.from = all)
}

/// Finds a part, which must belong to this kind of unit.
fn part(part: &mut EntryRef, unit: UnitKind, d: &Description) -> CheckResult {
    part.find(&d.parts, "part")?;
    let is_own = d.parts[part.at].unit == unit;
    ensure(is_own, "part", "the part belongs to another kind of unit")
}

/// Index of the kind of key that a text has placeholders for.
fn key_of(at: &str, text: &str, d: &Description) -> CheckResult<Option<usize>> {
    placeholders(text).try_fold(None, |earlier, name| {
        let key = Some(position(&d.keys, at, name)?);
        let same = earlier.is_none() || earlier == key;
        ensure(same, at, "a register can have at most one key").map(|()| key)
    })
}

fn register(r: &mut RegisterInfo, g: &GroupInfo, d: &Description) -> CheckResult {
    r.path = g.path.replace("{register}", &r.name);
    (r.unit, r.key, r.group) = (g.unit, g.key, d.groups.len());
    by_key(&mut r.width, r.key, d)?;
    if let Width::Fixed(width) = r.width {
        let names = [&r.packed, &r.enumeration, &r.instruction];
        let (width, value_type) = value(width, names, r.signed, d)?;
        (r.width, r.value_type) = (Width::Fixed(width), value_type);
        let needed = r.reset.map_or(0, |reset| 64 - reset.leading_zeros());
        same_width("reset", "the reset value", needed.max(width), width)?;
    }
    let what = format_args!("the register `{}` has no rule", r.path);
    let message = format_args!("{what}; name the one that defines it");
    ensure(!r.rule.name.is_empty(), "", message)?;
    r.rule.find(&d.rules, "rule")?;
    if r.part.name.is_empty() {
        r.part = g.part.clone();
    }
    part(&mut r.part, r.unit, d)
}
