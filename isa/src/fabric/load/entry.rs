// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named entries, the chapters, and the errors of a description.

use std::collections::BTreeSet;

use crate::fabric::{model::*, types::*};

/// An error in a fabric description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct FabricError {
    /// JSON path of the element.
    pub at: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// An error with this location and message.
pub(super) fn fault(at: impl Into<String>, message: impl Into<String>) -> FabricError {
    FabricError { at: at.into(), message: message.into() }
}

/// The error about a name that does not exist.
pub(super) fn unknown(at: impl Into<String>, what: &str, name: &str) -> FabricError {
    fault(at, format!("there is no {what} `{name}`"))
}

/// The error about a name that exists twice.
pub(super) fn twice(at: impl Into<String>, what: &str, name: &str) -> FabricError {
    fault(at, format!("the {what} `{name}` already exists; give it another name"))
}

/// Checks that two places state the same width; `what` has `found` bits.
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

/// Checks that `widths`, those of the registers or message fields stored in a value of the type, are the widths of the
/// fields of the type.
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

/// An entry with a name that is unique in its list.
pub(crate) trait Entry {
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

/// Index of the entry with a name.
pub(super) fn position<T: Entry>(
    entries: &[T],
    at: &str,
    name: &str,
) -> Result<usize, FabricError> {
    let found = entries.iter().position(|entry| entry.name() == name);
    found.ok_or_else(|| unknown(at, T::WHAT, name))
}

impl Ref {
    /// Finds the entry by its name.
    pub(super) fn find<T: Entry>(&mut self, entries: &[T], at: &str) -> Result<(), FabricError> {
        self.at = position(entries, at, &self.name)?;
        Ok(())
    }
}

/// File names and texts of chapters 2 to 7.
pub(crate) const CHAPTERS: [(&str, &str); 6] = [
    ("isa/spec/02-sequencer.md", include_str!("../../../spec/02-sequencer.md")),
    ("isa/spec/03-register-file.md", include_str!("../../../spec/03-register-file.md")),
    ("isa/spec/04-dpu.md", include_str!("../../../spec/04-dpu.md")),
    ("isa/spec/05-interconnect.md", include_str!("../../../spec/05-interconnect.md")),
    ("isa/spec/06-dimarch.md", include_str!("../../../spec/06-dimarch.md")),
    ("isa/spec/07-io-perm.md", include_str!("../../../spec/07-io-perm.md")),
];

pub(super) fn chapter_text(at: &str, chapter: u32) -> Result<&'static str, FabricError> {
    let index = (chapter as usize).checked_sub(2);
    let text = index.and_then(|i| CHAPTERS.get(i)).map(|(_, text)| *text);
    text.ok_or_else(|| unknown(at, "chapter", &chapter.to_string()))
}

/// Checks that a chapter, named at `{at}.chapter`, has a section.
pub(super) fn check_section(at: &str, chapter: u32, section: &str) -> Result<(), FabricError> {
    let text = chapter_text(&format!("{at}.chapter"), chapter)?;
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let begins = |line: &str| {
        let title = line.trim_start_matches('#').trim_start();
        title.strip_prefix(section).is_some_and(|rest| rest.starts_with(' '))
    };
    if titles.into_iter().any(begins) {
        return Ok(());
    }
    let message = format!("chapter {chapter} has no heading that begins with `{section}`");
    Err(fault(format!("{at}.section"), message))
}
