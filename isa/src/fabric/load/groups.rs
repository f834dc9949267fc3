// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups and their registers.

use super::{
    FabricError, Loader,
    names::{Names, form, identifier, placeholders, unit_kind, unit_prefix},
    values::fixed,
};
use crate::{
    fabric::{file::*, model::*},
    place::UnitKind,
};
use std::collections::BTreeSet;

impl Loader {
    pub(super) fn groups(
        &self,
        file: &File,
        parts: &[PartInfo],
        part_names: &Names,
    ) -> Result<(Vec<GroupInfo>, Vec<RegisterInfo>), FabricError> {
        let (mut groups, mut registers) = (Vec::new(), Vec::<RegisterInfo>::new());
        let (mut names, mut ids) = (Names::new("group"), Names::new("register"));
        let mut paths = Names::new("register");
        let mut structs = BTreeSet::new();
        for (i, g) in file.groups.iter().enumerate() {
            let at = format!("groups[{i}]");
            let unit = unit_kind(format!("{at}.unit"), &g.unit)?;
            let id = identifier(unit_prefix(unit), &g.name);
            let index = names.add(&format!("{at}.name"), &id)?;
            let template = g.path.replace("{register}", "");
            if template.len() == g.path.len() {
                return Err(form(format!("{at}.path"), "`{register}` expected"));
            }
            let key = self.key_of(&format!("{at}.path"), &template)?;
            if g.array.is_some() && key.is_none() {
                return Err(form(format!("{at}.array"), "an array needs a key in its path"));
            }
            let in_rtl = self.key_of(&format!("{at}.rtl"), &g.rtl)?;
            let wanted = if g.array.is_some() { None } else { key };
            if in_rtl != wanted {
                let message = "the key of the path belongs here, unless it counts array elements";
                return Err(form(format!("{at}.rtl"), message));
            }
            let (instance, variable) = g.rtl.rsplit_once('.').unwrap_or(("", &g.rtl));
            if let Some(sv) = &g.sv
                && !structs.insert(sv.clone())
            {
                let at = format!("{at}.sv");
                return Err(FabricError::Duplicate { at, what: "type", name: sv.clone() });
            }
            if g.registers.is_empty() {
                return Err(form(format!("{at}.registers"), "a register expected"));
            }
            let part = |at: String, name: &str| match part_names.get(&at, name)? {
                part if parts[part].unit == unit => Ok(part),
                _ => Err(form(at, "the part belongs to another kind of unit")),
            };
            let of_group = part(format!("{at}.part"), &g.part)?;
            let first = registers.len();
            for (k, r) in g.registers.iter().enumerate() {
                let at = format!("{at}.registers[{k}]");
                let path = g.path.replace("{register}", &r.name);
                paths.add(&format!("{at}.name"), &path)?;
                let mut entry = self.register(&at, r, path, unit, key, index)?;
                entry.part = match &r.part {
                    None => of_group,
                    Some(name) => part(format!("{at}.part"), name)?,
                };
                ids.add(&format!("{at}.name"), &entry.id)?;
                registers.push(entry);
            }
            let members = self.members(&at, g, &registers[first..])?;
            groups.push(GroupInfo {
                unit,
                name: g.name.clone(),
                id,
                key,
                array: g.array,
                instance: instance.to_owned(),
                variable: variable.to_owned(),
                sv: g.sv.clone(),
                packed: g.packed.clone(),
                members,
                compared_while: None,
                from: Vec::new(),
                registers: first..registers.len(),
            });
            self.matches_type(&at, g, &registers[first..])?;
        }
        compared_while(file, &mut groups, &registers)?;
        Ok((groups, registers))
    }

    pub(super) fn key_of(&self, at: &str, text: &str) -> Result<Option<usize>, FabricError> {
        let mut found = None;
        for name in placeholders(text) {
            let key = self.key_names.get(at, name)?;
            if found.is_some_and(|f| f != key) {
                return Err(form(at.to_owned(), "a register has one key at most"));
            }
            found = Some(key);
        }
        Ok(found)
    }

    pub(super) fn register(
        &self,
        at: &str,
        r: &RegisterEntry,
        path: String,
        unit: UnitKind,
        key: Option<usize>,
        group: usize,
    ) -> Result<RegisterInfo, FabricError> {
        let (packed, enumeration) = (r.packed.as_deref(), r.enumeration.as_deref());
        let (width, meaning) = match &r.width {
            Some(size @ Size::Name(_)) => {
                (self.width(&format!("{at}.width"), size, key)?, Meaning::Number)
            }
            Some(Size::Number(n)) => {
                let (n, m) =
                    self.meaning(at, Some(*n), packed, enumeration, r.instruction.as_deref())?;
                (Width::Fixed(n), m)
            }
            None => {
                let (n, m) =
                    self.meaning(at, None, packed, enumeration, r.instruction.as_deref())?;
                (Width::Fixed(n), m)
            }
        };
        let Some(rule) = &r.rule else {
            return Err(FabricError::MissingRule { at: at.to_owned(), register: path });
        };
        let rule = self.rule_names.get(&format!("{at}.rule"), rule)?;
        if let (Some(reset), Width::Fixed(bits)) = (r.reset, &width)
            && 64 - reset.leading_zeros() > *bits
        {
            return Err(FabricError::Width {
                at: format!("{at}.reset"),
                what: "the reset value".into(),
                found: 64 - reset.leading_zeros(),
                expected: *bits,
            });
        }
        Ok(RegisterInfo {
            name: r.name.clone(),
            id: identifier(unit_prefix(unit), &path),
            path,
            key,
            unit,
            group,
            part: 0,
            rule,
            width,
            reset: r.reset,
            meaning,
            member: r.member.clone(),
            spliced: r.spliced,
        })
    }

    /// Members that hold several registers, in the order in which they occur.
    pub(super) fn members(
        &self,
        at: &str,
        g: &GroupEntry,
        registers: &[RegisterInfo],
    ) -> Result<Vec<(String, usize)>, FabricError> {
        let mut members = Vec::new();
        for (name, type_name) in &g.members {
            let at = format!("{at}.members.{name}");
            let index = self.type_names.get(&at, type_name)?;
            let inside: Vec<&RegisterInfo> =
                registers.iter().filter(|r| r.member.as_ref() == Some(name)).collect();
            let widths: Vec<u32> = inside.iter().map(|r| fixed(&r.width)).collect();
            let wanted: Vec<u32> = self.types[index].fields.iter().map(|f| f.width).collect();
            if widths != wanted {
                return Err(FabricError::Width {
                    at,
                    what: format!("the type `{type_name}`, field by field,"),
                    found: wanted.iter().sum(),
                    expected: widths.iter().sum(),
                });
            }
            members.push((name.clone(), index));
        }
        for (k, r) in registers.iter().enumerate() {
            if let Some(member) = &r.member
                && !g.members.contains_key(member)
            {
                return Err(FabricError::Unknown {
                    at: format!("{at}.registers[{k}].in"),
                    what: "member",
                    name: member.clone(),
                });
            }
        }
        members.sort_by_key(|(name, _)| {
            registers.iter().position(|r| r.member.as_ref() == Some(name))
        });
        Ok(members)
    }

    /// A group with a type has the widths of its fields.
    pub(super) fn matches_type(
        &self,
        at: &str,
        g: &GroupEntry,
        registers: &[RegisterInfo],
    ) -> Result<(), FabricError> {
        let Some(name) = &g.packed else { return Ok(()) };
        let at = format!("{at}.type");
        let packed = &self.types[self.type_names.get(&at, name)?];
        let ours: Vec<u32> = registers.iter().map(|r| fixed(&r.width)).collect();
        let theirs: Vec<u32> = packed.fields.iter().map(|f| f.width).collect();
        if ours == theirs {
            return Ok(());
        }
        let what = format!("the type `{name}`, field by field,");
        let (found, expected) = (packed.width, ours.iter().sum());
        Err(FabricError::Width { at, what, found, expected })
    }
}

/// Fills in the registers that must be 1 for a comparison of a group.
fn compared_while(
    file: &File,
    groups: &mut [GroupInfo],
    registers: &[RegisterInfo],
) -> Result<(), FabricError> {
    for (i, (g, entry)) in groups.iter_mut().zip(&file.groups).enumerate() {
        if let Some(name) = &entry.compared_while {
            let at = format!("groups[{i}].compared_while");
            let found = registers
                .iter()
                .position(|r| r.unit == g.unit && r.path == *name && r.width == Width::Fixed(1));
            let unknown = FabricError::Unknown {
                at,
                what: "register of one bit in this unit",
                name: name.clone(),
            };
            g.compared_while = Some(found.ok_or(unknown)?);
        }
    }
    Ok(())
}
