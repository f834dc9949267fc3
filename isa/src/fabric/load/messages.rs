// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages: fields from the upper bits downwards, members with their own types.

use super::{
    FabricError,
    entry::{check_section, fault, fills, unique, unknown},
    values::instruction_field,
};
use crate::fabric::{model::Description, types::*};

pub(super) fn fields(d: &mut Description) -> Result<(), FabricError> {
    unique("messages", &d.messages)?;
    let kinds = d.enumerations.iter().find(|e| e.name == "MessageKind");
    for (i, m) in d.messages.iter_mut().enumerate() {
        let at = format!("messages[{i}]");
        check_section(&at, m.chapter, &m.section)?;
        let is_kind = |v: &Option<String>| v.as_ref() == Some(&m.kind.name);
        let kind = kinds.and_then(|e| e.values.iter().position(is_kind));
        m.kind.at = kind
            .ok_or_else(|| unknown(format!("{at}.kind"), "value of MessageKind", &m.kind.name))?;
        unique(&format!("{at}.fields"), &m.fields)?;
        let mut above = m.width;
        for (k, f) in m.fields.iter_mut().enumerate() {
            let at = format!("{at}.fields[{k}]");
            if f.width == 0 || f.lsb + f.width > above {
                let (name, width, room) = (&f.name, f.width, above.saturating_sub(f.lsb));
                let what = format!("`{name}` has the width {width}, but only {room} are free");
                return Err(fault(at, what + " up to the next field or the end of the message"));
            }
            above = f.lsb;
            f.meaning = match &f.instruction {
                Some(text) => instruction_field(&format!("{at}.instruction"), text, f.width)?,
                None if f.signed => Meaning::Signed,
                None => Meaning::Number,
            };
        }
    }
    Ok(())
}

/// Checks that the fields of a message in a member have the widths of the fields of the member's type.
pub(super) fn members(d: &mut Description) -> Result<(), FabricError> {
    for (i, m) in d.messages.iter_mut().enumerate() {
        for (name, member) in &mut m.members {
            let at = format!("messages[{i}].members.{name}");
            member.find(&d.types, &at)?;
            let inside = m.fields.iter().filter(|f| f.member.as_ref() == Some(name));
            fills(at, &d.types[member.at], inside.map(|f| f.width))?;
        }
        for (k, f) in m.fields.iter().enumerate() {
            if let Some(member) = f.member.as_ref().filter(|name| !m.members.contains_key(*name)) {
                return Err(unknown(format!("messages[{i}].fields[{k}].in"), "member", member));
            }
        }
    }
    Ok(())
}
