// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found, as statements of a map.

use std::{collections::BTreeMap, ops::Range};

use super::{
    SURE,
    fingerprint::{Code, Fingerprint},
    memory::Port,
    number::Number,
    paths::{Paths, WILDCARD},
    patterns::{Outcome, Pattern, Piece},
    runs::Signals,
    solve::{Solution, Way},
};
use crate::{
    map::{self, quoted, word},
    own_map::register_pattern,
};

/// Registers of one prefix that are worth a name for it.
const WORTH_A_NAME: usize = 3;

/// Writes expressions; the tables that they need are kept.
pub(super) struct Writer<'a> {
    pub(super) signals: &'a Signals<'a>,
    pub(super) paths: &'a Paths,
    pub(super) fingerprints: &'a [Fingerprint],
    /// The rows of each table, by its name.
    pub(super) tables: BTreeMap<String, String>,
}

/// The entry of a pattern.
struct Entry<'a> {
    pattern: &'a Pattern<'a>,
    value: String,
    /// Offset and note.
    rest: String,
}

/// The name of a table with these rows, which is added if it is new.
fn table<T: ToString, U: ToString>(
    tables: &mut BTreeMap<String, String>,
    rows: impl Iterator<Item = (T, U)>,
) -> String {
    let rows: Vec<String> =
        rows.map(|(index, row)| format!("{}: {}", index.to_string(), row.to_string())).collect();
    let rows = rows.join(", ");
    let known = tables.iter().find(|(_, known)| **known == rows).map(|(name, _)| name.clone());
    known.unwrap_or_else(|| {
        let name = format!("table_{}", tables.len() + 1);
        tables.insert(name.clone(), rows);
        name
    })
}

/// An enumeration or a translation: what the signal shows, and the value of the register.
fn listed(
    function: &str,
    path: &str,
    rows: impl Iterator<Item = (String, u64)>,
    width: usize,
) -> String {
    let rows: Vec<String> = rows.map(|(from, to)| format!("{from}: {width}'d{to}")).collect();
    format!("{function}({path}, {})", rows.join(", "))
}

impl Writer<'_> {
    /// A number, with another one added.
    fn number(&mut self, number: &Number, added: i64) -> String {
        number.text(added, &mut |rows| table(&mut self.tables, rows.iter()))
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
                    Number::Constant(n) => n.to_string(),
                    number => format!("{{{}}}", self.number(number, 0)),
                };
                text.extend([&braced, piece]);
            }
            levels.push(text);
        }
        quoted(&levels.join("."))
    }

    /// The expression of a solution; `None` if the codes of an enumeration contradict each other.
    fn solution(&mut self, solution: &Solution, pattern: &Pattern<'_>) -> Option<String> {
        let path = self.path(solution);
        match (solution.way, solution.numbers.last()?, solution.field.width) {
            (Way::Same, _, width) => {
                // An enumeration by position.
                let shows = solution.shows.iter().flatten().next()?;
                let names = &self.signals.all[shows.signal].literals;
                let plain = names.len() > 1 && names.iter().all(|name| !name.is_empty());
                let rows = names.iter().map(|name| word(name)).zip(0..);
                Some(if plain { listed("enum", &path, rows, width) } else { path })
            }
            (Way::Late | Way::Early, ..) => Some(path),
            (Way::Inverted, ..) => Some(format!("~{path}")),
            (Way::Part, lsb, 1) => Some(format!("{path}[{}]", self.number(lsb, 0))),
            (Way::Part, lsb, width) => {
                let (msb, lsb) = (self.number(lsb, width as i64 - 1), self.number(lsb, 0));
                Some(format!("{path}[{msb}:{lsb}]"))
            }
            (Way::Coded, _, width) => self.coded(solution, pattern, &path, width),
        }
    }

    /// An enumeration or a translation.
    fn coded(
        &self,
        solution: &Solution,
        pattern: &Pattern<'_>,
        path: &str,
        width: usize,
    ) -> Option<String> {
        let mut codes: BTreeMap<u64, &Code> = BTreeMap::new();
        for (instance, shows) in pattern.instances.iter().zip(&solution.shows) {
            let Some(shows) = shows else { continue };
            for (value, code) in
                instance.fingerprint.codes.iter().zip(&self.fingerprints[shows.signal].codes)
            {
                let Code::Number(value) = value else { return None };
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
        let name = |code: &&Code| match code {
            Code::Text(text) => Some(text.to_string()),
            Code::Number(n) => {
                names.get(usize::try_from(*n).ok()?).filter(|l| !l.is_empty()).cloned()
            }
        };
        let literals: Option<Vec<String>> = codes.values().map(name).collect();
        let seen = self.signals.width(signal);
        let constant = |code: &&Code| match code {
            Code::Number(n) => Some(format!("{seen}'d{n}")),
            Code::Text(_) => None,
        };
        let (function, from) = match literals {
            Some(names) => ("enum", names.iter().map(|name| word(name)).collect()),
            None => ("translate", codes.values().map(constant).collect::<Option<Vec<_>>>()?),
        };
        Some(listed(function, path, from.into_iter().zip(codes.into_keys()), width))
    }

    /// The write port of a memory.
    fn memory(&mut self, port: &Port, pattern: &Pattern<'_>) -> Option<String> {
        let enable = self.solution(&port.enable, pattern)?;
        let (address, data) = (self.path(&port.address), self.path(&port.data));
        Some(format!("memory(enable: {enable}, address: {address}, data: {data})"))
    }

    /// The expression of pieces, the lowest first.
    fn pieces(&mut self, pieces: &[Piece], pattern: &Pattern<'_>) -> Option<String> {
        let mut texts = Vec::new();
        for piece in pieces.iter().rev() {
            texts.push(match piece {
                Piece::Signal(solution) => self.solution(solution, pattern)?,
                Piece::Constant(bits) => {
                    let digits = bits.iter().rev().map(|bit| if *bit { '1' } else { '0' });
                    format!("{}'b{}", bits.len(), digits.collect::<String>())
                }
            });
        }
        if texts.len() == 1 { texts.pop() } else { Some(format!("({})", texts.join(", "))) }
    }

    /// Statements for all patterns that were found, with what each defines. What cannot be written is missing.
    pub(super) fn statements(
        &mut self,
        patterns: &[Pattern<'_>],
        outcomes: &mut [Outcome],
        taken: &[String],
    ) -> Vec<String> {
        let mut entries = Vec::new();
        for (pattern, outcome) in patterns.iter().zip(outcomes) {
            let (value, offset) = match outcome {
                Outcome::Found(pieces, _) => {
                    let offset = match &pieces[..] {
                        [Piece::Signal(solution)] => solution.way.offset(),
                        _ => 0,
                    };
                    (self.pieces(pieces, pattern), offset)
                }
                Outcome::Memory(port) => (self.memory(port, pattern), port.enable.way.offset()),
                Outcome::Quiet | Outcome::Missing(_) => continue,
            };
            let Some(value) = value else {
                *outcome = Outcome::Missing(None);
                continue;
            };
            let mut notes = Vec::new();
            let mut rest = if offset == 0 { String::new() } else { format!(" offset {offset}") };
            let pieces = if let Outcome::Found(pieces, _) = outcome { &pieces[..] } else { &[] };
            if pattern.different() < SURE {
                notes.push(format!("weak: it has fewer than {SURE} different changes: check it"));
            }
            match pieces {
                [Piece::Signal(Solution { way: Way::Coded, .. })] => notes.push(
                    "values that never occurred have no code: they are findings until they are added"
                        .to_owned(),
                ),
                _ if pieces.iter().any(|piece| matches!(piece, Piece::Constant(_))) => notes.push(
                    "bits that never changed are written as constants: check them".to_owned(),
                ),
                _ => {}
            }
            if !notes.is_empty() {
                rest += &format!(" # {}", notes.join("; "));
            }
            entries.push(Entry { pattern, value, rest });
        }
        let mut lines: Vec<(String, String, String)> = Vec::new();
        for of_id in entries.chunk_by(|a, b| a.pattern.id == b.pattern.id) {
            let all =
                of_id.len() == patterns.iter().filter(|p| p.id == of_id[0].pattern.id).count();
            let one = Some(of_id).filter(|_| all).and_then(|entries| self.together(entries));
            let line = |e: &Entry<'_>| (e.pattern.path.clone(), e.value.clone(), e.rest.clone());
            match one {
                Some(value) => {
                    let path = register_pattern(of_id[0].pattern.id, None);
                    lines.push((path, value, of_id[0].rest.clone()));
                }
                None => lines.extend(of_id.iter().map(line)),
            }
        }
        let names = name_prefixes(&mut lines, taken);
        let prefixes = names.into_iter().map(|(name, path)| format!("let {name} = {path}"));
        let tables = self.tables.iter().map(|(name, rows)| format!("table {name} = {rows}"));
        let tables =
            tables.filter(|line| !taken.iter().any(|key| line.starts_with(&format!("{key} "))));
        let lines = lines.iter().map(|(path, value, rest)| format!("{path} = {value}{rest}"));
        prefixes.chain(tables).chain(lines).collect()
    }

    /// One value for all keys of a register.
    fn together(&mut self, entries: &[Entry<'_>]) -> Option<String> {
        let keys: Vec<&str> = entries.iter().map(|e| e.pattern.key).collect::<Option<_>>()?;
        let values: Vec<&str> = entries.iter().map(|e| e.value.as_str()).collect();
        let same = entries.iter().all(|entry| entry.rest == entries[0].rest);
        same.then(|| joined(&keys, &values, &mut self.tables)).flatten()
    }
}

/// One value for all keys of a register: words in which the values differ come from tables.
fn joined(keys: &[&str], values: &[&str], known: &mut BTreeMap<String, String>) -> Option<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = |value: &&str| -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for c in value.chars() {
            match words.last_mut() {
                Some(word) if is_word(c) && word.ends_with(is_word) => word.push(c),
                _ => words.push(c.to_string()),
            }
        }
        words
    };
    let split: Vec<Vec<String>> = values.iter().map(words).collect();
    if split.iter().any(|words| words.len() != split[0].len()) {
        return None;
    }
    let (mut text, mut tables) = (String::new(), known.clone());
    for (place, first) in split[0].iter().enumerate() {
        let here = split.iter().map(|words| &words[place]);
        if here.clone().all(|word| word == first) {
            text += first;
        } else if here.clone().all(|word| word.starts_with(is_word)) {
            let index = text.ends_with(['[', '(', ':']);
            // A row of a table is no arithmetic: a letter there would be a name.
            if index && !here.clone().all(|word| word.parse::<u64>().is_ok()) {
                return None;
            }
            let row = table(&mut tables, keys.iter().zip(here));
            text += &if index { format!("{row}[k]") } else { format!("{{{row}[k]}}") };
        } else {
            return None;
        }
    }
    map::paths(&text)?;
    *known = tables;
    Some(text)
}

/// Gives names to the prefixes that many entries have, other names than those `taken`, and uses them.
fn name_prefixes(
    lines: &mut [(String, String, String)],
    taken: &[String],
) -> BTreeMap<String, String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, value, _) in lines.iter() {
        let mut scopes: Vec<&str> = scopes(value).into_iter().map(|at| &value[at]).collect();
        scopes.sort_unstable();
        scopes.dedup();
        scopes.into_iter().for_each(|scope| *counts.entry(scope.to_owned()).or_default() += 1);
    }
    counts.retain(|_, count| *count >= WORTH_A_NAME);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for prefix in counts.into_keys() {
        let last = prefix.rsplit('.').find(|level| !level.starts_with(['*', '{']));
        let plain = last.unwrap_or_default().split(['[', '{']).next().unwrap_or_default();
        let word: String =
            plain.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let short = word.len() < 2 || !word.starts_with(|c: char| c.is_ascii_alphabetic());
        let word = if short { format!("at_{word}") } else { word };
        let numbered = (2..).map(|n| format!("{word}_{n}"));
        let mut all = std::iter::once(word.clone()).chain(numbered);
        let free = |n: &String| !names.contains_key(n) && !taken.contains(&format!("let {n}"));
        names.extend(all.find(free).map(|name| (name, prefix)));
    }
    for (_, value, _) in lines.iter_mut() {
        for at in scopes(value).into_iter().rev() {
            let scope = &value[at.clone()];
            let inside = |prefix: &str| {
                scope.strip_prefix(prefix).is_some_and(|r| r.is_empty() || r.starts_with('.'))
            };
            let fits = names.iter().filter(|(_, prefix)| inside(prefix));
            if let Some((name, prefix)) = fits.max_by_key(|(_, prefix)| prefix.len()) {
                value.replace_range(at.start..at.start + prefix.len(), &format!("{{{name}}}"));
            }
        }
    }
    names
}

/// Where the paths of an expression stand without their last levels, from left to right; those between quotation
/// marks and those of one level are left out.
fn scopes(value: &str) -> Vec<Range<usize>> {
    let scope = |at: Range<usize>| {
        let end = value[at.clone()].rfind('.').filter(|_| !value[at.clone()].starts_with('"'))?;
        Some(at.start..at.start + end)
    };
    map::paths(value).unwrap_or_default().into_iter().filter_map(scope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table has numbers and parts of names; a letter stays in an entry of its own.
    #[test]
    fn values_of_several_keys_are_joined_by_tables() {
        let join = |values: [&str; 2]| {
            let mut tables = BTreeMap::new();
            let text = joined(&["rd", "wr"], &values, &mut tables)?;
            Some((text, tables.into_values().collect::<Vec<_>>().join("; ")))
        };
        let two = |text: &str, rows: &str| Some((text.to_owned(), rows.to_owned()));
        assert_eq!(join(["t.g[r].q[4]", "t.g[r].q[4]"]), two("t.g[r].q[4]", ""));
        assert_eq!(
            join(["t.g[r].q[4]", "t.g[r].q[7]"]),
            two("t.g[r].q[table_1[k]]", "rd: 4, wr: 7")
        );
        assert_eq!(join(["t.u_rd.q", "t.u_wr.q"]), two("t.{table_1[k]}.q", "rd: u_rd, wr: u_wr"));
        assert_eq!(join(["t.g[r].q", "t.g[0].q"]), None);
        assert_eq!(join(["t.g[0].q", "t.g[c].q"]), None);
        assert_eq!(join(["t.q", "t.q[3]"]), None);
    }
}
