// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entries that others name, and the faults of a description.

use std::collections::BTreeSet;

use crate::fabric::{model::*, types::*};

/// A fault of a fabric description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct FabricError {
    /// JSON path of the element.
    pub at: String,
    /// The fault, and what was expected.
    pub message: String,
}

/// A fault at a place, in words of its own.
pub(super) fn fault(at: impl Into<String>, message: impl Into<String>) -> FabricError {
    FabricError { at: at.into(), message: message.into() }
}

/// A name that nothing has.
pub(super) fn unknown(at: impl Into<String>, what: &str, name: &str) -> FabricError {
    fault(at, format!("there is no {what} `{name}`"))
}

/// A name that is there twice.
pub(super) fn twice(at: impl Into<String>, what: &str, name: &str) -> FabricError {
    fault(at, format!("the {what} `{name}` exists already; give it another name"))
}

/// Checks that two places agree about a width; `what` has `found` bits.
pub(super) fn same_width(
    at: impl Into<String>,
    what: &str,
    found: u32,
    expected: u32,
) -> Result<(), FabricError> {
    if found == expected {
        return Ok(());
    }
    Err(fault(at, format!("{what} has {found} bits, expected {expected}")))
}

/// Checks that the registers or fields in a type have the widths of its fields.
pub(super) fn fills(
    at: impl Into<String>,
    t: &TypeInfo,
    widths: impl Iterator<Item = u32>,
) -> Result<(), FabricError> {
    let widths: Vec<u32> = widths.collect();
    if t.fields.iter().map(|f| f.width).eq(widths.iter().copied()) {
        return Ok(());
    }
    let (found, expected) = (t.width, widths.iter().sum::<u32>());
    let name = &t.name;
    let what = format!("the type `{name}`, field by field, has {found} bits, expected {expected}");
    Err(fault(at, what))
}

/// An entry with a name that is unique among entries of its kind.
pub(super) trait Entry {
    const WHAT: &'static str;
    fn name(&self) -> &str;
}

macro_rules! entries {
    ($($entry:ident $what:literal,)*) => {
        $(impl Entry for $entry {
            const WHAT: &'static str = $what;

            fn name(&self) -> &str {
                &self.name
            }
        })*
    };
}

entries! {
    KeyInfo "kind of key",
    WidthInfo "parameter",
    EnumerationInfo "enumeration",
    MessageInfo "message",
    MessageField "field",
    TypeInfo "type",
    TypeField "field",
    BlockInfo "block",
    InstanceInfo "instance",
    PartInfo "part",
    SignalSet "signal set",
    SignalInfo "signal",
    PortInfo "port",
    NamedInputInfo "named input",
    RuleInfo "rule",
}

/// Checks that no two entries of a list have the same name.
pub(super) fn unique<T: Entry>(list: &str, entries: &[T]) -> Result<(), FabricError> {
    let mut names = BTreeSet::new();
    match entries.iter().position(|entry| !names.insert(entry.name())) {
        None => Ok(()),
        Some(i) => Err(twice(format!("{list}[{i}].name"), T::WHAT, entries[i].name())),
    }
}

/// Position of the entry with a name.
pub(super) fn position<T: Entry>(
    entries: &[T],
    at: &str,
    name: &str,
) -> Result<usize, FabricError> {
    let found = entries.iter().position(|entry| entry.name() == name);
    found.ok_or_else(|| unknown(at, T::WHAT, name))
}

impl Ref {
    /// Looks its name up.
    pub(super) fn find<T: Entry>(&mut self, entries: &[T], at: &str) -> Result<(), FabricError> {
        self.at = position(entries, at, &self.name)?;
        Ok(())
    }
}
