// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths of signals in a form shared by all instances: numbers become wildcards, and levels without alternatives
//! become `*`.

use std::collections::{HashMap, HashSet};

use super::runs::CommonSignals;
use crate::names::{PathPart, parts};

/// Placeholder for a number; [`parts`] leaves it in no name.
pub(super) const WILDCARD: char = '#';

/// The path of a signal in the form that it shares with other instances.
#[derive(Clone, Debug, Default)]
pub(super) struct PathForm {
    /// Levels separated by dots, with wildcards for numbers and `*` for levels without alternatives.
    pub(super) form: String,
    /// The values of the wildcards.
    pub(super) numbers: Vec<i64>,
    /// The levels without alternatives, unchanged.
    pub(super) stars: Vec<String>,
}

/// A form split into everything before its last level, and the last level.
pub(super) fn split(form: &str) -> (&str, &str) {
    form.rsplit_once('.').unwrap_or(("", form))
}

/// The paths of all signals.
pub(super) struct Paths {
    pub(super) forms: Vec<PathForm>,
    /// The signal for each form and its numbers; `None` if there are several signals.
    known: HashMap<String, HashMap<Vec<i64>, Option<usize>>>,
}

/// The levels of a path in normal form; a level is a name with its indices.
pub(super) fn levels(path: &str) -> Vec<String> {
    let mut levels: Vec<String> = Vec::new();
    for part in parts(path) {
        match (part, levels.last_mut()) {
            (PathPart::Name(text), _) => levels.push(text.into()),
            (PathPart::Index(text) | PathPart::Bit(text), Some(level)) => {
                *level += &format!("[{text}]")
            }
            (PathPart::Index(text) | PathPart::Bit(text), None) => levels.push(format!("[{text}]")),
        }
    }
    levels
}

/// A level with wildcards, and their values. A number with leading zeros, or of 2^20 or more, is text.
fn with_wildcards(level: &str, numbers: &mut Vec<i64>) -> String {
    let mut form = String::new();
    for piece in level.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = piece.trim_end_matches(|c: char| !c.is_ascii_digit());
        match digits.parse::<i64>() {
            Ok(number) if number.to_string() == digits && number < 1 << 20 => {
                numbers.push(number);
                form.push(WILDCARD);
                form += &piece[digits.len()..];
            }
            _ => form += piece,
        }
    }
    form
}

impl Paths {
    pub(super) fn new(signals: &CommonSignals<'_>) -> Self {
        let all: Vec<Vec<String>> = signals.all.iter().map(|s| levels(&s.path)).collect();
        let mut scopes: HashMap<&[String], HashSet<&str>> = HashMap::new();
        for levels in &all {
            for (i, level) in levels.iter().enumerate().take(levels.len().saturating_sub(1)) {
                scopes.entry(&levels[..i]).or_default().insert(level);
            }
        }
        let mut paths = Self { forms: Vec::new(), known: HashMap::new() };
        for levels in &all {
            let mut path = PathForm::default();
            let mut form = Vec::new();
            for (i, level) in levels.iter().enumerate() {
                let only = scopes.get(&levels[..i]).is_some_and(|names| names.len() == 1);
                // A level with the name `*` has a wildcard in a map, too.
                if i > 0 && i + 1 < levels.len() && only || level == "*" {
                    form.push("*".to_owned());
                    path.stars.push(level.clone());
                } else {
                    form.push(with_wildcards(level, &mut path.numbers));
                }
            }
            path.form = form.join(".");
            let of_form = paths.known.entry(path.form.clone()).or_default();
            let signal = Some(paths.forms.len());
            of_form.entry(path.numbers.clone()).and_modify(|n| *n = None).or_insert(signal);
            paths.forms.push(path);
        }
        paths
    }

    /// The signal of a form with these numbers.
    pub(super) fn find(&self, form: &str, numbers: &[i64]) -> Option<usize> {
        *self.known.get(form)?.get(numbers)?
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;

    use super::*;
    use crate::{
        map::{MapFile, SignalMap, quoted},
        names::{SignalKind, SignalNames},
    };

    #[test]
    fn numbers_become_holes() {
        let mut numbers = Vec::new();
        assert_eq!(with_wildcards("mem[3][12]", &mut numbers), "mem[#][#]");
        assert_eq!(with_wildcards("agu_0x", &mut numbers), "agu_#x");
        assert_eq!(with_wildcards("r007", &mut numbers), "r007");
        assert_eq!(numbers, [3, 12, 0]);
    }

    #[test]
    fn a_level_has_its_indices() {
        assert_eq!(levels("tb.rows(3).mem.[1]"), ["tb", "rows[3]", "mem[1]"]);
    }

    /// The path that a map has for a signal leads to that signal, whatever characters the name contains.
    #[test]
    fn written_paths_find_their_signals() {
        let paths = r#"t.\a.b |t.\c d\|t.\e[3+1] |t.e[4]|t.g[0].x|t.g[w].$y|t.\q"{1}#2 |t.[-1]|t.\0<5> |t.memory(3)|
            enum|memory(3)|t.v [5:0]|t.w [5]|t.n[007]|t.\h(i] |T.e[4]|t.é|t.core_q_reg[pc][3].Q"#;
        let mut names = SignalNames::default();
        for path in paths.split('|').map(str::trim_start) {
            names.add(path, SignalKind::Bits { width: 1 }, Vec::new());
        }
        for (id, signal) in names.all() {
            let path = quoted(&levels(&signal.path).join("."));
            let map = MapFile::parse("map", &format!("clock rising {path}\ncycle_0 when {path}"));
            let map = SignalMap::without_registers(&map.unwrap(), &names, &Geometry::default());
            assert_eq!(map.unwrap_or_else(|e| panic!("{e}")).clock.signal, id, "{path}");
        }
    }
}
