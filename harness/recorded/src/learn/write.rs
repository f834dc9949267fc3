// SPDX-License-Identifier: MIT OR Apache-2.0
//! The map of what was found.

use std::{collections::BTreeMap, ops::Range};

use drra_isa::fabric::RegisterId;

use super::{
    index::Way,
    join::has_constants,
    patterns::{Outcome, Pattern},
    prints::Registers,
    report::SURE,
    solve::Instance,
    terms::Terms,
    track::Track,
};
use crate::map::{self, Golden, quoted};

/// Registers of one prefix that are worth a name for it.
const WORTH_A_NAME: usize = 3;

/// The path of a pattern, with `key` for its key if that has a name.
pub(super) fn register_path(id: RegisterId, key: Option<&str>) -> String {
    let info = id.info();
    let path = match info.path.split_once('{').and_then(|(a, b)| Some((a, b.split_once('}')?.1))) {
        None => info.path.clone(),
        Some((before, after)) => match key {
            Some(key) => format!("{before}{key}{after}"),
            None if before.ends_with('[') => format!("{before}k{after}"),
            None => format!("{before}{{k}}{after}"),
        },
    };
    format!("{}{path}", map::of_unit(info.unit))
}

/// The path of a pattern.
pub(super) fn pattern_path(pattern: &Pattern) -> String {
    register_path(pattern.id, key_name(pattern).as_deref())
}

/// The name of the key of a pattern.
fn key_name(pattern: &Pattern) -> Option<String> {
    let (key, location) = (pattern.key?, pattern.locations.first()?);
    debug_assert_eq!(location.register.key(), key);
    let template = &pattern.id.info().path;
    let (before, after) = template.split_once('{')?;
    let after = after.split_once('}')?.1;
    let path = location.register.to_string();
    Some(path.strip_prefix(before)?.strip_suffix(after)?.to_owned())
}

/// An entry, and one before entries of several keys are put together.
struct Draft {
    id: RegisterId,
    key: Option<String>,
    value: String,
    offset: i32,
    condition: Option<Golden>,
    note: Option<String>,
}

/// An entry of the map.
pub(super) struct Entry {
    register: String,
    pub(super) value: String,
    /// Offset, condition and note.
    rest: String,
}

impl Entry {
    fn new(register: String, draft: Draft) -> Self {
        let mut rest = String::new();
        if draft.offset != 0 {
            rest += &format!(" offset {}", draft.offset);
        }
        if let Some(Golden { register, equals, value, .. }) = &draft.condition {
            rest +=
                &format!(" while golden {register} {} {value}", if *equals { "==" } else { "!=" });
        }
        if let Some(note) = &draft.note {
            rest += &format!(" # {note}");
        }
        Self { register, value: draft.value, rest }
    }

    /// Its line.
    pub(super) fn line(&self) -> String {
        format!("{} = {}{}", self.register, self.value, self.rest)
    }
}

/// Changes of all registers of a pattern together.
pub(super) fn changes(instances: &[Instance], registers: &[Track]) -> u64 {
    instances.iter().map(|i| u64::from(registers[i.register].changes)).sum()
}

/// The entries of all patterns.
pub(super) fn entries(
    patterns: &[Pattern],
    outcomes: &[Outcome],
    registers: &Registers,
    terms: &mut Terms<'_>,
) -> Vec<Entry> {
    let (mut drafts, mut exceptions) = (Vec::new(), Vec::new());
    for (pattern, outcome) in patterns.iter().zip(outcomes) {
        let (value, offset, note) = match outcome {
            Outcome::Signal { best, .. } => {
                for (instance, shows) in &best.exceptions {
                    let value = quoted(&terms.common.signals[shows.signal].path);
                    let location = pattern.locations[*instance].to_string();
                    if matches!(best.way, Way::Same | Way::Late | Way::Early) {
                        let (id, offset) = (pattern.id, best.way.offset());
                        let draft =
                            Draft { id, key: None, value, offset, condition: None, note: None };
                        exceptions.push(Entry::new(location, draft));
                    }
                }
                let offset = best.way.offset();
                let coded = (best.way == Way::Coded).then(|| {
                    "values that never occurred have no code: they are findings until they are added"
                        .to_owned()
                });
                (terms.solution(best, &pattern.instances), offset, coded)
            }
            Outcome::Joined(pieces) => {
                let note = has_constants(pieces).then(|| {
                    "bits that never changed are written as constants: check them".to_owned()
                });
                (terms.joined(pieces, &pattern.instances), 0, note)
            }
            Outcome::Conditional { best, .. } => {
                let note = "it agrees only while this condition holds: check it".to_owned();
                (terms.solution(best, &pattern.instances), 0, Some(note))
            }
            Outcome::Memory(port) => (port.term(terms), port.offset, port.note()),
            Outcome::Quiet | Outcome::Missing(_) => continue,
        };
        let Some(value) = value else { continue };
        let weak = registers.different_changes(&pattern.instances) < SURE;
        let weak =
            weak.then(|| format!("weak: it has fewer than {SURE} different changes: check it"));
        let notes: Vec<String> = weak.into_iter().chain(note).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let condition = match outcome {
            Outcome::Conditional { condition, .. } => Some(condition.clone()),
            _ => None,
        };
        let key = key_name(pattern);
        drafts.push(Draft { id: pattern.id, key, value, offset, condition, note });
    }
    let mut entries = merged(drafts, patterns, terms);
    entries.extend(exceptions);
    entries
}

/// Entries; those of all keys of a register become one if their paths differ at one place only.
fn merged(drafts: Vec<Draft>, patterns: &[Pattern], terms: &mut Terms<'_>) -> Vec<Entry> {
    let mut by_id: Vec<(RegisterId, Vec<Draft>)> = Vec::new();
    for draft in drafts {
        match by_id.last_mut() {
            Some((id, list)) if *id == draft.id => list.push(draft),
            _ => by_id.push((draft.id, vec![draft])),
        }
    }
    let mut entries = Vec::new();
    for (id, mut list) in by_id {
        let all = list.len() == patterns.iter().filter(|p| p.id == id).count();
        let same = list.iter().all(|d| d.offset == list[0].offset && d.note == list[0].note)
            && list.iter().all(|d| d.condition.is_none());
        let keys: Option<Vec<&str>> = list.iter().map(|d| d.key.as_deref()).collect();
        let values: Vec<&str> = list.iter().map(|d| d.value.as_str()).collect();
        let one = keys
            .filter(|keys| all && same && keys.len() > 1)
            .and_then(|keys| together(&keys, &values, terms));
        match one {
            Some(value) => {
                let draft = Draft { value, ..list.swap_remove(0) };
                entries.push(Entry::new(register_path(id, None), draft));
            }
            None => entries.extend(
                list.into_iter()
                    .map(|draft| Entry::new(register_path(id, draft.key.as_deref()), draft)),
            ),
        }
    }
    entries
}

/// One expression for several keys: words in the same places, of which paths may differ.
fn together(keys: &[&str], values: &[&str], terms: &mut Terms<'_>) -> Option<String> {
    let split: Vec<Vec<&str>> = values.iter().map(|text| text.split(' ').collect()).collect();
    let length = split.first()?.len();
    if split.iter().any(|words| words.len() != length) {
        return None;
    }
    let mut joined = Vec::new();
    for place in 0..length {
        let words: Vec<&str> = split.iter().map(|words| words[place]).collect();
        joined.push(match words.iter().all(|word| *word == words[0]) {
            true => words[0].to_owned(),
            false => with_table(keys, &words, terms)?,
        });
    }
    let joined = joined.join(" ");
    map::paths(&joined).map(|_| joined)
}

/// One path for several keys: what differs comes from a table.
fn with_table(keys: &[&str], texts: &[&str], terms: &mut Terms<'_>) -> Option<String> {
    let first = texts.first()?;
    let common = |a: &mut dyn Iterator<Item = (char, char)>| a.take_while(|(x, y)| x == y).count();
    let shortest = texts.iter().map(|t| t.len()).min()?;
    if !texts.iter().all(|t| t.is_ascii()) {
        return None;
    }
    let mut before =
        texts.iter().map(|t| common(&mut t.chars().zip(first.chars()))).min()?.min(shortest);
    // A word that differs is taken as a whole.
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    while before > 0 && is_word(first.as_bytes()[before - 1]) {
        before -= 1;
    }
    let mut after = texts
        .iter()
        .map(|t| common(&mut t[before..].chars().rev().zip(first[before..].chars().rev())))
        .min()?;
    let end = first.len() - after;
    let tail = first.as_bytes()[end..].iter().take_while(|c| is_word(**c)).count();
    after -= tail;
    let middle: Vec<&str> = texts.iter().map(|t| &t[before..t.len() - after]).collect();
    // A row of a table is a part of a path: no half of an index, and no bits.
    let is_part = |m: &str| !m.is_empty() && m.bytes().all(|c| is_word(c) || c == b'.');
    if !middle.iter().all(|m| is_part(m)) {
        return None;
    }
    let row = |(key, text): (&&str, &&str)| ((*key).to_owned(), (*text).to_owned());
    let table = terms.table(keys.iter().zip(&middle).map(row));
    Some(format!("{}{{{table}[k]}}{}", &first[..before], &first[first.len() - after..]))
}

/// Gives names to the prefixes that many entries have, other names than those `taken`, and uses them.
pub(super) fn name_prefixes(entries: &mut [Entry], taken: &[String]) -> BTreeMap<String, String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries.iter() {
        let mut scopes: Vec<&str> = scopes(&entry.value).map(|at| &entry.value[at]).collect();
        scopes.sort_unstable();
        scopes.dedup();
        scopes.into_iter().for_each(|scope| *counts.entry(scope.to_owned()).or_default() += 1);
    }
    counts.retain(|_, count| *count >= WORTH_A_NAME);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for prefix in counts.into_keys() {
        let last =
            prefix.rsplit('.').find(|level| !level.starts_with(['*', '{'])).unwrap_or_default();
        let plain = last.split(['[', '{']).next().unwrap_or_default();
        let mut word: String =
            plain.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if word.len() < 2 || !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            word = format!("at_{word}");
        }
        let mut name = word.clone();
        let mut number = 2;
        while names.contains_key(&name) || taken.contains(&format!("let {name}")) {
            name = format!("{word}_{number}");
            number += 1;
        }
        names.insert(name, prefix);
    }
    for entry in entries.iter_mut() {
        let all: Vec<Range<usize>> = scopes(&entry.value).collect();
        for at in all.into_iter().rev() {
            let scope = &entry.value[at.clone()];
            let inside = |prefix: &str| {
                scope
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let fits = names.iter().filter(|(_, prefix)| inside(prefix));
            if let Some((name, prefix)) = fits.max_by_key(|(_, prefix)| prefix.len()) {
                entry
                    .value
                    .replace_range(at.start..at.start + prefix.len(), &format!("{{{name}}}"));
            }
        }
    }
    names
}

/// Where the paths of an expression stand without their last levels, from left to right; those between quotation
/// marks and those of one level are left out.
fn scopes(value: &str) -> impl DoubleEndedIterator<Item = Range<usize>> + use<'_> {
    map::paths(value).unwrap_or_default().into_iter().filter_map(|at| {
        let end = value[at.clone()].rfind('.').filter(|_| !value[at.clone()].starts_with('"'))?;
        Some(at.start..at.start + end)
    })
}
