// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths of signals in a form in which those of all instances are equal: numbers are holes, and levels that are
//! the only ones at their place are `*`.

use std::collections::{HashMap, HashSet};

use super::common::Common;
use crate::names::{Part, parts};

/// What stands for a number.
pub(super) const HOLE: char = '#';

/// The path of a signal.
#[derive(Clone, Debug)]
pub(super) struct PathForm {
    /// Levels with dots between, numbers as holes, levels without alternative as `*`.
    pub(super) form: String,
    /// What is in the holes.
    pub(super) numbers: Vec<i64>,
    /// The levels without alternative, as they are.
    pub(super) stars: Vec<String>,
}

impl PathForm {
    /// The form without the last level.
    pub(super) fn scope(form: &str) -> &str {
        form.rsplit_once('.').map_or("", |(scope, _)| scope)
    }

    /// The last level of a form.
    pub(super) fn leaf(form: &str) -> &str {
        form.rsplit_once('.').map_or(form, |(_, leaf)| leaf)
    }
}

/// The paths of all common signals.
pub(super) struct Paths {
    pub(super) forms: Vec<PathForm>,
    /// By form and numbers: the signal; `None` if there are several.
    known: HashMap<String, HashMap<Vec<i64>, Option<usize>>>,
}

/// The levels of a path in normal form; a level is a name with its indices.
fn levels(path: &str) -> Vec<String> {
    let mut levels: Vec<String> = Vec::new();
    for part in parts(path) {
        match part {
            Part::Name(text) => levels.push(text.into()),
            Part::Index(text) | Part::Bit(text) => match levels.last_mut() {
                Some(level) => *level += &format!("[{text}]"),
                None => levels.push(format!("[{text}]")),
            },
        }
    }
    levels
}

/// A level with holes, and what is in them. A number with leading zeros is text.
fn with_holes(level: &str, numbers: &mut Vec<i64>) -> String {
    let mut form = String::new();
    let mut rest = level;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let end =
            rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| start + n);
        let digits = &rest[start..end];
        form += &rest[..start];
        match digits.parse::<i64>() {
            Ok(number) if number.to_string() == digits && number < 1 << 20 => {
                numbers.push(number);
                form.push(HOLE);
            }
            _ => form += digits,
        }
        rest = &rest[end..];
    }
    form + rest
}

impl Paths {
    pub(super) fn new(common: &Common) -> Self {
        let all: Vec<Vec<String>> = common.signals.iter().map(|s| levels(&s.path)).collect();
        let mut scopes: HashMap<&[String], HashSet<&str>> = HashMap::new();
        for levels in &all {
            for (i, level) in levels.iter().enumerate().take(levels.len().saturating_sub(1)) {
                scopes.entry(&levels[..i]).or_default().insert(level);
            }
        }
        let form = |levels: &Vec<String>| {
            let mut path = PathForm { form: String::new(), numbers: Vec::new(), stars: Vec::new() };
            for (i, level) in levels.iter().enumerate() {
                if i > 0 {
                    path.form.push('.');
                }
                let only = scopes.get(&levels[..i]).is_some_and(|names| names.len() == 1);
                if i > 0 && i + 1 < levels.len() && only {
                    path.form.push('*');
                    path.stars.push(level.clone());
                } else {
                    path.form += &with_holes(level, &mut path.numbers);
                }
            }
            path
        };
        let forms: Vec<PathForm> = all.iter().map(form).collect();
        let mut known: HashMap<String, HashMap<Vec<i64>, Option<usize>>> = HashMap::new();
        for (n, path) in forms.iter().enumerate() {
            let of_form = known.entry(path.form.clone()).or_default();
            of_form.entry(path.numbers.clone()).and_modify(|n| *n = None).or_insert(Some(n));
        }
        Self { forms, known }
    }

    /// The signal of a form with these numbers.
    pub(super) fn find(&self, form: &str, numbers: &[i64]) -> Option<usize> {
        *self.known.get(form)?.get(numbers)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_holes() {
        let mut numbers = Vec::new();
        assert_eq!(with_holes("mem[3][12]", &mut numbers), "mem[#][#]");
        assert_eq!(with_holes("agu_0x", &mut numbers), "agu_#x");
        assert_eq!(with_holes("r007", &mut numbers), "r007");
        assert_eq!(numbers, [3, 12, 0]);
    }

    #[test]
    fn a_level_has_its_indices() {
        assert_eq!(levels("tb.rows(3).mem.[1]"), ["tb", "rows[3]", "mem[1]"]);
    }
}
