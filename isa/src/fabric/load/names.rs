// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names: of entries, of identities, in paths.

use super::FabricError;
use crate::{
    fabric::model::{KeyInfo, Parameter},
    place::UnitKind,
};
use std::collections::BTreeMap;

/// Names of one kind with their positions.
pub(super) struct Names {
    pub(super) what: &'static str,
    pub(super) all: BTreeMap<String, usize>,
}

impl Names {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, all: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, at: &str, name: &str) -> Result<usize, FabricError> {
        let position = self.all.len();
        if self.all.insert(name.to_owned(), position).is_some() {
            let (at, name) = (at.to_owned(), name.to_owned());
            return Err(FabricError::Duplicate { at, what: self.what, name });
        }
        Ok(position)
    }

    pub(super) fn of<'a>(
        what: &'static str,
        list: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, FabricError> {
        let mut found = Self::new(what);
        for (i, name) in names.into_iter().enumerate() {
            found.add(&format!("{list}[{i}].name"), name)?;
        }
        Ok(found)
    }

    pub(super) fn get(&self, at: &str, name: &str) -> Result<usize, FabricError> {
        self.all.get(name).copied().ok_or_else(|| FabricError::Unknown {
            at: at.to_owned(),
            what: self.what,
            name: name.to_owned(),
        })
    }
}

/// `seq.sh_raccu.mode` as `SeqShRaccuMode`: a word begins after anything that is no letter or
/// digit. `[{key}]` and `/` count as nothing.
pub(crate) fn identifier(prefix: &str, text: &str) -> String {
    let mut plain = text.replace('/', "");
    while let Some(open) = plain.find("[{") {
        let close = plain[open..].find(']').map_or(plain.len(), |n| open + n + 1);
        plain.replace_range(open..close, "");
    }
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let mut id = prefix.to_owned();
    for word in words {
        let lower = word.to_ascii_lowercase();
        id.push_str(&lower[..1].to_ascii_uppercase());
        id.push_str(&lower[1..]);
    }
    id
}

/// Names of `{key}` and `{key:index}` in a text.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        Some(name.strip_suffix(":index").unwrap_or(name))
    })
}

/// Replaces `{name}` by the text of a key and `{name:index}` by its number.
pub(crate) fn filled(text: &str, key: Option<&KeyInfo>, index: usize) -> String {
    match key {
        None => text.to_owned(),
        Some(k) => text
            .replace(&format!("{{{}}}", k.name), &k.text(index))
            .replace(&format!("{{{}:index}}", k.name), &index.to_string()),
    }
}

pub(super) fn unit_kind(at: String, name: &str) -> Result<UnitKind, FabricError> {
    UnitKind::from_name(name).ok_or_else(|| FabricError::Unknown {
        at,
        what: "kind of unit",
        name: name.to_owned(),
    })
}

pub(super) fn unit_prefix(unit: UnitKind) -> &'static str {
    match unit {
        UnitKind::Cell | UnitKind::Fabric => "",
        UnitKind::Column => "Column",
        UnitKind::Tile => "Tile",
    }
}

pub(super) fn parameter(at: String, name: &str) -> Result<Parameter, FabricError> {
    Parameter::from_name(name).ok_or_else(|| FabricError::Unknown {
        at,
        what: "parameter",
        name: name.to_owned(),
    })
}

pub(super) fn form(at: String, message: &str) -> FabricError {
    FabricError::Form { at, message: message.to_owned() }
}
