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
use crate::map::{BitTerm, EnumTerm, Number, SliceTerm, Table, Term, TranslateTerm};

/// Makes expressions, and the tables that they need.
pub(super) struct Terms<'a> {
    pub(super) common: &'a Common,
    pub(super) paths: &'a Paths,
    pub(super) signals: &'a [Track],
    pub(super) registers: &'a [Track],
    pub(super) tables: BTreeMap<String, Table>,
}

impl Terms<'_> {
    /// The name of a table, which is added if it is new.
    pub(super) fn table(&mut self, table: Table) -> String {
        if let Some((name, _)) = self.tables.iter().find(|(_, known)| **known == table) {
            return name.clone();
        }
        let name = format!("table_{}", self.tables.len() + 1);
        self.tables.insert(name.clone(), table);
        name
    }

    fn rows(&mut self, rows: &BTreeMap<i64, i64>) -> String {
        let number = |n: &i64| Number::Value(n.unsigned_abs());
        let names = rows.iter().map(|(index, n)| (index.to_string(), number(n)));
        self.table(Table::Names(names.collect()))
    }

    fn braced(&mut self, sum: &Sum) -> String {
        let text = sum.text(&mut |rows| self.rows(rows));
        if matches!(sum, Sum::Constant(_)) { text } else { format!("{{{text}}}") }
    }

    fn number(&mut self, sum: &Sum, plus: u32) -> Number {
        match sum {
            Sum::Constant(n) => Number::Value(n.unsigned_abs() + u64::from(plus)),
            sum if plus == 0 => Number::Text(self.braced(sum)),
            sum => Number::Text(format!("{{{}+{plus}}}", sum.text(&mut |rows| self.rows(rows)))),
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
    pub(super) fn solution(&mut self, solution: &Solution, instances: &[Instance]) -> Option<Term> {
        let path = self.path(solution);
        let text = Term::Text(path.clone());
        let width = solution.field.width;
        Some(match solution.way {
            Way::Same => match self.literals(solution) {
                Some(literals) => Term::Enum(EnumTerm {
                    signal: path,
                    width: (least_width(literals.len() as u64 - 1) != width).then_some(width),
                    literals,
                    values: None,
                }),
                None => text,
            },
            Way::Late | Way::Early => text,
            Way::Inverted => Term::Not { not: Box::new(text) },
            Way::Part => {
                let first = solution.sums.last()?;
                let (lsb, msb) = (self.number(first, 0), self.number(first, width - 1));
                match width {
                    1 => Term::Bit(BitTerm { bit: Box::new(text), index: lsb }),
                    _ => Term::Slice(SliceTerm { slice: Box::new(text), msb, lsb }),
                }
            }
            Way::Coded => return self.coded(solution, instances, path),
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
    fn coded(&self, solution: &Solution, instances: &[Instance], path: String) -> Option<Term> {
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
            let values = Some(codes.keys().copied().collect());
            return Some(Term::Enum(EnumTerm {
                signal: path,
                literals,
                values,
                width: Some(width),
            }));
        }
        let seen = self.common.width(signal);
        let constant = |(value, code): (u64, &Code)| match code {
            Code::Number(n) => Some((format!("{seen}'d{n}"), format!("{width}'d{value}"))),
            Code::Text(_) => None,
        };
        let values: Option<BTreeMap<String, String>> =
            codes.iter().map(|(value, code)| constant((*value, code))).collect();
        let translate = Box::new(Term::Text(path));
        Some(Term::Translate(TranslateTerm { translate, values: values? }))
    }

    /// The expression of fields side by side.
    pub(super) fn joined(&mut self, pieces: &[Piece], instances: &[Instance]) -> Option<Term> {
        let mut concat = Vec::new();
        for piece in pieces {
            concat.push(match piece {
                Piece::Signal(solution) => self.solution(solution, instances)?,
                Piece::Constant(bits) => {
                    let digit = |bit: &bool| if *bit { '1' } else { '0' };
                    let digits: String = bits.iter().rev().map(digit).collect();
                    Term::Text(format!("{}'b{digits}", bits.len()))
                }
            });
        }
        match concat.len() {
            1 => concat.pop(),
            _ => Some(Term::Concat { concat }),
        }
    }
}

/// Bits of a number.
fn least_width(largest: u64) -> u32 {
    (64 - largest.leading_zeros()).max(1)
}
