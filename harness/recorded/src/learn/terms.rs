// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found, as expressions of a map.

use std::collections::BTreeMap;

use super::{
    common::Common,
    index::Way,
    join::Piece,
    number::Sum,
    paths::{HOLE, Paths},
    solve::{Instance, Solution},
    track::{Code, Track},
};
use crate::map::quoted;

/// Makes expressions, and the tables that they need.
pub(super) struct Terms<'a> {
    pub(super) common: &'a Common,
    pub(super) paths: &'a Paths,
    pub(super) signals: &'a [Track],
    pub(super) registers: &'a [Track],
    /// The rows of each table, as they are written.
    pub(super) tables: BTreeMap<String, String>,
}

impl Terms<'_> {
    /// The name of a table, which is added if it is new.
    pub(super) fn table(&mut self, rows: impl Iterator<Item = (String, String)>) -> String {
        let text = |row: String| if row.contains('.') { format!("\"{row}\"") } else { row };
        let rows: Vec<String> =
            rows.map(|(index, row)| format!("{index}: {}", text(row))).collect();
        let rows = rows.join(", ");
        if let Some((name, _)) = self.tables.iter().find(|(_, known)| **known == rows) {
            return name.clone();
        }
        let name = format!("table_{}", self.tables.len() + 1);
        self.tables.insert(name.clone(), rows);
        name
    }

    fn text(&mut self, sum: &Sum) -> String {
        sum.text(&mut |rows| {
            self.table(rows.iter().map(|(index, n)| (index.to_string(), n.to_string())))
        })
    }

    fn braced(&mut self, sum: &Sum) -> String {
        let text = self.text(sum);
        if matches!(sum, Sum::Constant(_)) { text } else { format!("{{{text}}}") }
    }

    fn number(&mut self, sum: &Sum, plus: u32) -> String {
        match sum {
            Sum::Constant(n) => (n.unsigned_abs() + u64::from(plus)).to_string(),
            sum if plus == 0 => self.text(sum),
            sum => format!("{}+{plus}", self.text(sum)),
        }
    }

    /// The path of a solution.
    fn path(&mut self, solution: &Solution) -> String {
        let signals: Vec<usize> = solution.shows.iter().flatten().map(|s| s.signal).collect();
        let (mut sums, mut star) = (solution.sums.iter(), 0);
        let mut path = String::new();
        for (i, level) in solution.form.split('.').enumerate() {
            if i > 0 {
                path.push('.');
            }
            if level == "*" {
                let of = |n: &usize| &self.paths.forms[*n].stars[star];
                let first = signals.first().map(of);
                let same = signals.iter().all(|n| Some(of(n)) == first);
                path += first.filter(|_| same).map_or("*", String::as_str);
                star += 1;
                continue;
            }
            for character in level.chars() {
                match (character, character == HOLE) {
                    (_, true) => path += &sums.next().map_or_else(String::new, |s| self.braced(s)),
                    (character, false) => path.push(character),
                }
            }
        }
        path
    }

    /// The expression of a solution; `None` if the codes of an enumeration contradict each other.
    pub(super) fn solution(
        &mut self,
        solution: &Solution,
        instances: &[Instance],
    ) -> Option<String> {
        let path = quoted(&self.path(solution));
        let width = solution.field.width;
        Some(match solution.way {
            Way::Same => match self.literals(solution) {
                Some(literals) => {
                    let least = least_width(literals.len() as u64 - 1) == width;
                    let literal = |(n, literal): (usize, &String)| match least {
                        true => word(literal),
                        false => format!("{}: {width}'d{n}", word(literal)),
                    };
                    let literals: Vec<String> = literals.iter().enumerate().map(literal).collect();
                    format!("enum({path}, {})", literals.join(", "))
                }
                None => path,
            },
            Way::Late | Way::Early => path,
            Way::Inverted => format!("~{path}"),
            Way::Part => {
                let first = solution.sums.last()?;
                let (lsb, msb) = (self.number(first, 0), self.number(first, width - 1));
                if width == 1 { format!("{path}[{lsb}]") } else { format!("{path}[{msb}:{lsb}]") }
            }
            Way::Coded => return self.coded(solution, instances, &path),
        })
    }

    /// The literals, if the signals are enumerations by position.
    fn literals(&self, solution: &Solution) -> Option<Vec<String>> {
        let signal = solution.shows.iter().flatten().next()?.signal;
        let literals = &self.common.signals[signal].literals;
        let plain = literals.len() > 1 && literals.iter().all(|l| !l.is_empty());
        let fit = || least_width(literals.len() as u64 - 1) <= solution.field.width;
        (plain && fit() && solution.field.width <= 64).then(|| literals.clone())
    }

    /// An enumeration or a translation.
    fn coded(&self, solution: &Solution, instances: &[Instance], path: &str) -> Option<String> {
        let mut codes: BTreeMap<u64, Code> = BTreeMap::new();
        for (instance, shows) in instances.iter().zip(&solution.shows) {
            let Some(shows) = shows else { continue };
            let register = &self.registers[instance.register].shape.codes;
            for (value, code) in register.iter().zip(&self.signals[shows.signal].shape.codes) {
                let Code::Number(value) = value else { return None };
                if codes.entry(*value).or_insert_with(|| code.clone()) != code {
                    return None;
                }
            }
        }
        let different =
            codes.values().enumerate().all(|(i, c)| codes.values().skip(i + 1).all(|d| d != c));
        if !different {
            return None;
        }
        let signal = solution.shows.iter().flatten().next()?.signal;
        let width = solution.field.width;
        let known = &self.common.signals[signal].literals;
        let name = |code: &Code| match code {
            Code::Text(text) => Some(text.to_string()),
            Code::Number(n) => {
                known.get(usize::try_from(*n).ok()?).filter(|l| !l.is_empty()).cloned()
            }
        };
        let literals: Option<Vec<String>> = codes.values().map(name).collect();
        if let Some(literals) = literals {
            let literal =
                |(literal, value): (&String, &u64)| format!("{}: {width}'d{value}", word(literal));
            let literals: Vec<String> = literals.iter().zip(codes.keys()).map(literal).collect();
            return Some(format!("enum({path}, {})", literals.join(", ")));
        }
        let seen = self.common.width(signal);
        let constant = |(value, code): (&u64, &Code)| match code {
            Code::Number(n) => Some(format!("{seen}'d{n}: {width}'d{value}")),
            Code::Text(_) => None,
        };
        let codes: Option<Vec<String>> = codes.iter().map(constant).collect();
        Some(format!("translate({path}, {})", codes?.join(", ")))
    }

    /// The expression of fields side by side.
    pub(super) fn joined(&mut self, pieces: &[Piece], instances: &[Instance]) -> Option<String> {
        let mut concat = Vec::new();
        for piece in pieces {
            concat.push(match piece {
                Piece::Signal(solution) => self.solution(solution, instances)?,
                Piece::Constant(bits) => {
                    let digit = |bit: &bool| if *bit { '1' } else { '0' };
                    let digits: String = bits.iter().rev().map(digit).collect();
                    format!("{}'b{digits}", bits.len())
                }
            });
        }
        match concat.len() {
            1 => concat.pop(),
            _ => Some(format!("({})", concat.join(", "))),
        }
    }
}

/// A literal as it is written in a map.
fn word(literal: &str) -> String {
    let plain = literal.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { literal.to_owned() } else { format!("\"{literal}\"") }
}

/// Bits of a number.
fn least_width(largest: u64) -> u32 {
    (64 - largest.leading_zeros()).max(1)
}
