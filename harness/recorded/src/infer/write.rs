// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the results as statements of a map.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{
    families::{FamilyOutcome, RegisterFamily, RegisterPiece, SURE},
    fingerprint::{EnumerationCode, Fingerprint},
    memory::WritePort,
    number::PathNumber,
    paths::{Paths, WILDCARD},
    runs::CommonSignals,
    solve::{Encoding, Solution},
};
use crate::{
    map::{quoted, word},
    own_map::bare,
};

/// Minimum number of paths with a common prefix for which the prefix is given a name.
const WORTH_A_NAME: usize = 3;
/// Marks the beginning of a path until prefixes have names.
const BEGIN: char = '\u{1}';

/// Writes expressions and keeps the tables that they need.
pub(super) struct ExpressionWriter<'a> {
    pub(super) signals: &'a CommonSignals<'a>,
    pub(super) paths: &'a Paths,
    pub(super) fingerprints: &'a [Fingerprint],
    /// The rows of each table, by its name.
    pub(super) tables: BTreeMap<String, String>,
    /// Number of uses of each prefix, that is, of a path without its last level.
    pub(super) prefixes: BTreeMap<String, usize>,
}

/// An enumeration or a translation: for each value that the signal shows, the value of the register.
fn listed(
    function: &str,
    path: &str,
    rows: impl Iterator<Item = (String, u64)>,
    width: usize,
) -> String {
    let rows: Vec<String> = rows.map(|(from, to)| format!("{from}: {width}'d{to}")).collect();
    format!("{function}({path}, {})", rows.join(", "))
}

impl ExpressionWriter<'_> {
    /// The arithmetic for a number in a path plus `added`, as written in a map; its table, if any, is kept in `tables`
    /// unless an equal one is there.
    fn number(&mut self, number: &PathNumber, added: i64) -> String {
        number.text(added, &mut |rows| {
            let rows: Vec<String> =
                rows.iter().map(|(index, row)| format!("{index}: {row}")).collect();
            let rows = rows.join(", ");
            let known = self.tables.iter().find(|(_, known)| **known == rows);
            known.map(|(name, _)| name.clone()).unwrap_or_else(|| {
                let free = |name: &String| !self.tables.contains_key(name);
                let name = (1..).map(|n| format!("table_{n}")).find(free).unwrap_or_default();
                self.tables.insert(name.clone(), rows);
                name
            })
        })
    }

    /// The path of a solution.
    fn path(&mut self, solution: &Solution) -> String {
        let shown = solution.shows.iter().flatten();
        let stars: Vec<&Vec<String>> =
            shown.map(|shows| &self.paths.forms[shows.signal].stars).collect();
        let (mut numbers, mut star) = (solution.numbers.iter(), 0);
        let mut levels = Vec::new();
        for level in solution.form.split('.') {
            if level == "*" {
                let name = &stars[0][star];
                let same = stars.iter().all(|stars| stars[star] == *name);
                levels.push(if same { name.clone() } else { level.to_owned() });
                star += 1;
                continue;
            }
            let mut pieces = level.split(WILDCARD);
            let mut text = pieces.next().unwrap_or_default().to_owned();
            for (piece, number) in pieces.zip(&mut numbers) {
                let braced = match number {
                    PathNumber::Constant(n) => n.to_string(),
                    number => format!("{{{}}}", self.number(number, 0)),
                };
                text.extend([&braced, piece]);
            }
            levels.push(text);
        }
        let path = quoted(&levels.join("."));
        if path.starts_with('"') {
            return path;
        }
        // An index needs no braces.
        let path = bare(&path);
        match path.rsplit_once('.') {
            Some((prefix, _)) => {
                *self.prefixes.entry(prefix.to_owned()).or_default() += 1;
                format!("{BEGIN}{path}")
            }
            None => path,
        }
    }

    /// The expression of a solution; `None` if the codes of an enumeration or a translation contradict each other.
    fn solution(&mut self, solution: &Solution, family: &RegisterFamily<'_>) -> Option<String> {
        let path = self.path(solution);
        match (solution.encoding, solution.numbers.last()?, solution.field.width) {
            (Encoding::Same, _, width) => {
                // If the signal is an enumeration, its literals stand for their positions.
                let shows = solution.shows.iter().flatten().next()?;
                let names = &self.signals.all[shows.signal].literals;
                let plain = names.len() > 1 && names.iter().all(|name| !name.is_empty());
                let rows = names.iter().map(|name| word(name)).zip(0..);
                Some(if plain { listed("enum", &path, rows, width) } else { path })
            }
            (Encoding::Late | Encoding::Early, ..) => Some(path),
            (Encoding::Inverted, ..) => Some(format!("~{path}")),
            // A range of one bit is never an element of an array.
            (Encoding::Part, lsb, width) => {
                let (msb, lsb) = (self.number(lsb, width as i64 - 1), self.number(lsb, 0));
                Some(format!("{path}[{msb}:{lsb}]"))
            }
            (Encoding::Coded, _, width) => self.coded(solution, family, &path, width),
        }
    }

    /// An enumeration or a translation.
    fn coded(
        &self,
        solution: &Solution,
        family: &RegisterFamily<'_>,
        path: &str,
        width: usize,
    ) -> Option<String> {
        let mut codes: BTreeMap<u64, &EnumerationCode> = BTreeMap::new();
        for (instance, shows) in family.instances.iter().zip(&solution.shows) {
            let Some(shows) = shows else { continue };
            for (value, code) in
                instance.fingerprint.codes.iter().zip(&self.fingerprints[shows.signal].codes)
            {
                let EnumerationCode::Number(value) = value else { return None };
                if *codes.entry(*value).or_insert(code) != code {
                    return None;
                }
            }
        }
        let mut values = codes.values().enumerate();
        if values.any(|(i, code)| codes.values().skip(i + 1).any(|other| other == code)) {
            return None;
        }
        let signal = solution.shows.iter().flatten().next()?.signal;
        let names = &self.signals.all[signal].literals;
        let name = |code: &&EnumerationCode| match code {
            EnumerationCode::Text(text) => Some(text.to_string()),
            EnumerationCode::Number(n) => {
                names.get(usize::try_from(*n).ok()?).filter(|l| !l.is_empty()).cloned()
            }
        };
        let literals: Option<Vec<String>> = codes.values().map(name).collect();
        let seen = self.signals.width(signal);
        let constant = |code: &&EnumerationCode| match code {
            EnumerationCode::Number(n) => Some(format!("{seen}'d{n}")),
            EnumerationCode::Text(_) => None,
        };
        let (function, from) = match literals {
            Some(names) => ("enum", names.iter().map(|name| word(name)).collect()),
            None => ("translate", codes.values().map(constant).collect::<Option<Vec<_>>>()?),
        };
        Some(listed(function, path, from.into_iter().zip(codes.into_keys()), width))
    }

    /// The write port of a memory.
    fn memory(&mut self, port: &WritePort, family: &RegisterFamily<'_>) -> Option<String> {
        let enable = self.solution(&port.enable, family)?;
        let (address, data) = (self.path(&port.address), self.path(&port.data));
        Some(format!("memory(enable: {enable}, address: {address}, data: {data})"))
    }

    /// The concatenation of pieces, which are given lowest first.
    fn pieces(&mut self, pieces: &[RegisterPiece], family: &RegisterFamily<'_>) -> Option<String> {
        let mut texts = Vec::new();
        for piece in pieces.iter().rev() {
            texts.push(match piece {
                RegisterPiece::Signal(solution) => self.solution(solution, family)?,
                RegisterPiece::Constant(bits) => {
                    let digits = bits.iter().rev().map(|bit| if *bit { '1' } else { '0' });
                    format!("{}'b{}", bits.len(), digits.collect::<String>())
                }
            });
        }
        if texts.len() == 1 { texts.pop() } else { Some(format!("({})", texts.join(", "))) }
    }

    /// Statements for all families that were found, and for the prefixes and tables that they use; families that cannot
    /// be written are left out, and count as missing.
    pub(super) fn statements(
        &mut self,
        families: &[RegisterFamily<'_>],
        outcomes: &mut [FamilyOutcome],
        taken: &[String],
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for (family, outcome) in families.iter().zip(outcomes) {
            let mut notes = Vec::new();
            if family.different() < SURE {
                notes.push(format!("weak: fewer than {SURE} distinct changes, so check it"));
            }
            let (value, offset) = match outcome {
                FamilyOutcome::Found(pieces, _) => {
                    let mut offset = 0;
                    if let [RegisterPiece::Signal(solution)] = &pieces[..] {
                        offset = solution.encoding.offset();
                        let coded = "values that never occurred have no code here and will be reported as mismatches: add them";
                        notes.extend(
                            (solution.encoding == Encoding::Coded).then(|| coded.to_owned()),
                        );
                    }
                    let constant =
                        pieces.iter().any(|piece| matches!(piece, RegisterPiece::Constant(_)));
                    let check = "bits that never changed are written as constants: check them";
                    notes.extend(constant.then(|| check.to_owned()));
                    (self.pieces(pieces, family), offset)
                }
                FamilyOutcome::Memory(port) => {
                    (self.memory(port, family), port.enable.encoding.offset())
                }
                FamilyOutcome::Quiet | FamilyOutcome::Missing(_) => continue,
            };
            let Some(value) = value else {
                *outcome = FamilyOutcome::Missing(None);
                continue;
            };
            let offset = if offset == 0 { String::new() } else { format!(" offset {offset}") };
            let sign = if notes.is_empty() { "" } else { " # " };
            lines.push(format!("{} = {value}{offset}{sign}{}", family.path, notes.join("; ")));
        }
        let prefixes = self.name_prefixes(&mut lines, taken);
        let tables = self.tables.iter().map(|(name, rows)| format!("table {name} = {rows}"));
        let tables =
            tables.filter(|line| !taken.iter().any(|key| line.starts_with(&format!("{key} "))));
        prefixes.into_iter().chain(tables).chain(lines).collect()
    }

    /// Gives names to prefixes that many entries share, and replaces these prefixes in `lines` by the names. Names in
    /// `taken` are not used. Returns the `let` statements.
    fn name_prefixes(&self, lines: &mut [String], taken: &[String]) -> Vec<String> {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for (prefix, _) in self.prefixes.iter().filter(|(_, count)| **count >= WORTH_A_NAME) {
            let last = prefix.rsplit('.').find(|level| !level.starts_with(['*', '{']));
            let plain = last.unwrap_or_default().split(['[', '{']).next().unwrap_or_default();
            let word = plain.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "");
            let short = word.len() < 2 || !word.starts_with(|c: char| c.is_ascii_alphabetic());
            let word = if short { format!("at_{word}") } else { word };
            let numbered = (2..).map(|n| format!("{word}_{n}"));
            let mut all = std::iter::once(word.clone()).chain(numbered);
            let free = |n: &String| !names.contains_key(n) && !taken.contains(&format!("let {n}"));
            names.extend(all.find(free).map(|name| (name, prefix.as_str())));
        }
        let mut longest: Vec<_> = names.iter().collect();
        longest.sort_by_key(|(_, prefix)| Reverse(prefix.len()));
        for line in lines {
            for (name, prefix) in &longest {
                *line = line.replace(&format!("{BEGIN}{prefix}."), &format!("{{{name}}}."));
            }
            *line = line.replace(BEGIN, "");
        }
        names.into_iter().map(|(name, prefix)| format!("let {name} = {prefix}")).collect()
    }
}
