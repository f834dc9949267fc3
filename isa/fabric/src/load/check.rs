// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of lists, names and widths. The error of a check names the place within its entry; each caller prepends its
//! part of the path, so that paths are built only for errors.

use std::fmt::Display;

use crate::{
    chapters::{chapter_file, has_section},
    model::*,
    types::*,
};

/// An error in a fabric description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct FabricError {
    /// JSON path of the element.
    pub at: String,
    /// The problem, and the expected value.
    pub message: String,
}

pub(super) type CheckResult<T = ()> = Result<T, FabricError>;

/// Checks a condition.
pub(super) fn ensure(holds: bool, at: &str, message: impl Display) -> CheckResult {
    let fault = || FabricError { at: at.to_owned(), message: message.to_string() };
    holds.then_some(()).ok_or_else(fault)
}

/// Checks that a name is new.
pub(super) fn fresh(is_new: bool, at: &str, what: &str, name: &str) -> CheckResult {
    ensure(is_new, at, format_args!("the {what} `{name}` already exists; give it another name"))
}

/// Checks that `what`, which has `found` bits, has the expected width.
pub(super) fn same_width(at: &str, what: impl Display, found: u32, expected: u32) -> CheckResult {
    ensure(found == expected, at, format_args!("{what} has {found} bits, expected {expected}"))
}

/// The entry that was looked up by its name; an error if there is none.
pub(super) fn found<T>(it: Option<T>, at: &str, what: &str, name: impl Display) -> CheckResult<T> {
    let message = || format!("there is no {what} `{name}`");
    it.ok_or_else(|| FabricError { at: at.to_owned(), message: message() })
}

/// Checks that there is a chapter with this number.
pub(super) fn chapter(number: u32) -> CheckResult {
    found(chapter_file(number), "chapter", "chapter", number).map(drop)
}

/// Checks that a chapter has a section.
pub(super) fn section(number: u32, section: &str) -> CheckResult {
    chapter(number)?;
    let message = format_args!("chapter {number} has no heading that begins with `{section}`");
    ensure(has_section(number, section), "section", message)
}

/// Checks each entry of a list.
pub(super) fn each<T, U>(
    list: &str,
    entries: impl IntoIterator<Item = T>,
    mut check: impl FnMut(T) -> CheckResult<U>,
) -> CheckResult<Vec<U>> {
    let inside = |i, e: FabricError| {
        let dot = if e.at.is_empty() { "" } else { "." };
        FabricError { at: format!("{list}[{i}]{dot}{}", e.at), ..e }
    };
    let numbered = entries.into_iter().enumerate();
    numbered.map(|(i, entry)| check(entry).map_err(|e| inside(i, e))).collect()
}

/// An entry with a name that is unique in its list.
pub(super) trait NamedEntry {
    const WHAT: &'static str;
    fn name(&self) -> &str;
}

macro_rules! entries {
    ($($entry:ident $what:literal)*) => {
        $(impl NamedEntry for $entry {
            const WHAT: &'static str = $what;
            fn name(&self) -> &str {
                &self.name
            }
        })*
    };
}

entries! {
    KeyInfo "kind of key"  WidthInfo "parameter"  EnumerationInfo "enumeration"
    MessageInfo "message"  MessageField "field"  TypeInfo "type"  TypeField "field"
    BlockInfo "block"  InstanceInfo "instance"  PartInfo "part"  RuleInfo "rule"
    SignalSet "signal set"  SignalInfo "signal"  PortInfo "port"  NamedInputInfo "named input"
}

/// Checks that no two entries of a list have the same name.
pub(super) fn unique<T: NamedEntry>(list: &str, entries: &[T]) -> CheckResult {
    let checked = |(i, entry): (usize, &T)| {
        let is_new = entries[..i].iter().all(|earlier| earlier.name() != entry.name());
        fresh(is_new, "name", T::WHAT, entry.name())
    };
    each(list, entries.iter().enumerate(), checked).map(drop)
}

/// Index of the entry with a name.
pub(super) fn position<T: NamedEntry>(entries: &[T], at: &str, name: &str) -> CheckResult<usize> {
    found(entries.iter().position(|entry| entry.name() == name), at, T::WHAT, name)
}

impl EntryRef {
    /// Finds the entry by its name.
    pub(super) fn find<T: NamedEntry>(&mut self, entries: &[T], at: &str) -> CheckResult {
        position(entries, at, &self.name).map(|index| self.at = index)
    }
}
