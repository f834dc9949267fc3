// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages: fields from the upper bits down, members of a type of their own.

use super::{
    FabricError, Loader,
    chapters::{chapter_text, has_section},
    names::Names,
    values::instruction_field,
};
use crate::fabric::{file::*, model::*};

impl Loader {
    pub(super) fn messages(&self, file: &File) -> Result<Vec<MessageInfo>, FabricError> {
        let kinds = self.enumerations.iter().find(|e| e.name == "MessageKind");
        let mut messages = Vec::new();
        for (i, m) in file.messages.iter().enumerate() {
            let at = format!("messages[{i}]");
            let chapter = chapter_text(format!("{at}.chapter"), m.chapter)?;
            if !has_section(chapter, &m.section) {
                let at = format!("{at}.section");
                return Err(FabricError::Section {
                    at,
                    chapter: m.chapter,
                    section: m.section.clone(),
                });
            }
            let kind = kinds
                .and_then(|e| e.values.iter().position(|v| v.as_deref() == Some(m.kind.as_str())));
            let kind = kind.ok_or_else(|| FabricError::Unknown {
                at: format!("{at}.kind"),
                what: "value of MessageKind",
                name: m.kind.clone(),
            })?;
            let mut above = m.width;
            let mut meanings = Vec::new();
            let mut names = Names::new("field");
            for (k, f) in m.fields.iter().enumerate() {
                let at = format!("{at}.fields[{k}]");
                names.add(&format!("{at}.name"), &f.name)?;
                if f.width == 0 || f.lsb + f.width > above {
                    let what = format!("the space below the field above `{}`", f.name);
                    let found = above.saturating_sub(f.lsb);
                    return Err(FabricError::Width { at, what, found, expected: f.width });
                }
                above = f.lsb;
                meanings.push(match &f.instruction {
                    Some(text) => instruction_field(&format!("{at}.instruction"), text, f.width)?.1,
                    None if f.signed => Meaning::Signed,
                    None => Meaning::Number,
                });
            }
            messages.push(MessageInfo {
                name: m.name.clone(),
                kind: kind as u64,
                chapter: m.chapter,
                section: m.section.clone(),
                width: m.width,
                sv: m.sv.clone(),
                members: m.members.clone().into_iter().collect(),
                fields: m
                    .fields
                    .iter()
                    .zip(meanings)
                    .map(|(f, meaning)| MessageField {
                        name: f.name.clone(),
                        lsb: f.lsb,
                        width: f.width,
                        signed: f.signed,
                        constant: f.constant,
                        meaning,
                        sv: f.sv.clone().unwrap_or_else(|| f.name.clone()),
                        member: f.member.clone(),
                    })
                    .collect(),
            });
        }
        Ok(messages)
    }

    /// Members of messages have the widths of the fields that are in them.
    pub(super) fn message_members(&self, file: &File) -> Result<(), FabricError> {
        for (i, m) in file.messages.iter().enumerate() {
            for (name, type_name) in &m.members {
                let at = format!("messages[{i}].members.{name}");
                let packed = &self.types[self.type_names.get(&at, type_name)?];
                let inside = m.fields.iter().filter(|f| f.member.as_ref() == Some(name));
                let ours: Vec<u32> = inside.map(|f| f.width).collect();
                let theirs: Vec<u32> = packed.fields.iter().map(|f| f.width).collect();
                if ours != theirs {
                    let what = format!("the type `{type_name}`, field by field,");
                    let (found, expected) = (packed.width, ours.iter().sum());
                    return Err(FabricError::Width { at, what, found, expected });
                }
            }
            for (k, f) in m.fields.iter().enumerate() {
                if let Some(member) = &f.member
                    && !m.members.contains_key(member)
                {
                    let (at, name) = (format!("messages[{i}].fields[{k}].in"), member.clone());
                    return Err(FabricError::Unknown { at, what: "member", name });
                }
            }
        }
        Ok(())
    }
}
