// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in the paths of instances as functions of one of their indices.

use std::collections::BTreeMap;

/// Maximum number of allowed numbers tried for a value of an index.
const MAX_NUMBERS: usize = 40;

/// The indices of an instance: letters with their values.
pub(super) type Indices = Vec<(char, i64)>;

/// A number in a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PathNumber {
    /// A constant.
    Constant(i64),
    /// A multiple of an index plus a number.
    Line { factor: i64, letter: char, plus: i64 },
    /// Looked up in a table by an index.
    Table { letter: char, rows: BTreeMap<i64, i64> },
}

fn index(indices: &Indices, letter: char) -> Option<i64> {
    indices.iter().find(|(l, _)| *l == letter).map(|(_, value)| *value)
}

impl PathNumber {
    /// The value for an instance; `None` if it has no value, or the value is negative.
    pub(super) fn value(&self, indices: &Indices) -> Option<i64> {
        let value = match self {
            Self::Constant(n) => *n,
            Self::Line { factor, letter, plus } => factor * index(indices, *letter)? + plus,
            Self::Table { letter, rows } => *rows.get(&index(indices, *letter)?)?,
        };
        (value >= 0).then_some(value)
    }

    /// A measure of how implausible the numbers of a path are; a letter that is used by more than one number increases
    /// it.
    pub(super) fn oddity(numbers: &[Self]) -> usize {
        let mut letters: Vec<char> = Vec::new();
        let mut oddity = 0;
        for number in numbers {
            let (letter, odd) = match number {
                Self::Constant(_) => continue,
                Self::Line { factor: 1, letter, plus: 0 } => (letter, 0),
                Self::Line { letter, .. } => (letter, 2),
                Self::Table { letter, .. } => (letter, 3),
            };
            oddity += odd + if letters.contains(letter) { 3 } else { 0 };
            letters.push(*letter);
        }
        oddity
    }

    /// The arithmetic for this number plus `added`, as written in a map; `table` returns the name of a table.
    pub(super) fn text(
        &self,
        added: i64,
        table: &mut dyn FnMut(&BTreeMap<i64, i64>) -> String,
    ) -> String {
        let signed = |n: i64| if n == 0 { String::new() } else { format!("{n:+}") };
        let times = |n: i64, letter: &char| match n {
            1 => letter.to_string(),
            _ => format!("{n}*{letter}"),
        };
        match self {
            Self::Constant(n) => (n + added).to_string(),
            Self::Line { factor, letter, plus } if *factor < 0 => {
                format!("{}-{}", plus + added, times(-factor, letter))
            }
            Self::Line { factor, letter, plus } => times(*factor, letter) + &signed(plus + added),
            Self::Table { letter, rows } => format!("{}[{letter}]{}", table(rows), signed(added)),
        }
    }
}

/// Formulas that yield an allowed number for every instance with a list of allowed numbers, simple formulas first.
/// `all` are the indices of all instances.
pub(super) fn numbers(allowed: &[(&Indices, Vec<i64>)], all: &[&Indices]) -> Vec<PathNumber> {
    let Some((first, values)) = allowed.first() else { return Vec::new() };
    let mut tried: Vec<PathNumber> = values.iter().map(|v| PathNumber::Constant(*v)).collect();
    for &(letter, x) in first.iter() {
        // For each value of this index, the numbers allowed by all instances with this value.
        let mut rows: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (indices, values) in allowed {
            let Some(x) = index(indices, letter) else { continue };
            rows.entry(x).or_insert_with(|| values.clone()).retain(|v| values.contains(v));
        }
        let second = rows.iter().find(|(y, _)| **y != x);
        for &v in rows[&x].iter().take(MAX_NUMBERS) {
            let through = |(y, values): (&i64, &Vec<i64>)| {
                let factor = |w: &i64| ((w - v) % (y - x) == 0).then(|| (w - v) / (y - x));
                values.iter().take(MAX_NUMBERS).filter_map(factor).collect::<Vec<_>>()
            };
            let factors = [1, -1].into_iter().chain(second.into_iter().flat_map(through));
            let line = |factor| PathNumber::Line { factor, letter, plus: v - factor * x };
            tried.extend(factors.filter(|factor| *factor != 0).map(line));
        }
        let rows: Option<BTreeMap<i64, i64>> =
            rows.into_iter().map(|(x, values)| Some((x, *values.first()?))).collect();
        let table =
            rows.filter(|rows| rows.len() > 1).map(|rows| PathNumber::Table { letter, rows });
        tried.extend(table);
    }
    tried.sort_by_key(|number| PathNumber::oddity(std::slice::from_ref(number)));
    let mut fit: Vec<PathNumber> = Vec::new();
    for number in tried {
        let allows = |(indices, values): &(&Indices, Vec<i64>)| {
            number.value(indices).is_some_and(|v| values.contains(&v))
        };
        // Every instance must have a number, whether or not its allowed numbers are known.
        let fits =
            allowed.iter().all(allows) && all.iter().all(|indices| number.value(indices).is_some());
        if fits && !fit.contains(&number) {
            fit.push(number);
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the best formula for all cells of a 2 x 4 fabric.
    #[track_caller]
    fn check(number: impl Fn(i64, i64) -> i64, expected: &str) {
        let all: Vec<Indices> =
            (0..2).flat_map(|r| (0..4).map(move |c| vec![('r', r), ('c', c)])).collect();
        // Each instance also allows another number, which depends on both indices.
        let other = |r: i64, c: i64| 90 + 3 * r + 5 * c * c;
        let values = |i: &Indices| vec![other(i[0].1, i[1].1), number(i[0].1, i[1].1)];
        let allowed: Vec<_> = all.iter().map(|i| (i, values(i))).collect();
        let best = numbers(&allowed, &all.iter().collect::<Vec<_>>());
        let text = best[0].text(0, &mut |rows| format!("t{}", rows[&1]));
        assert_eq!(text, expected);
    }

    #[test]
    fn numbers_of_paths() {
        check(|_, c| c, "c");
        check(|_, c| c + 3, "c+3");
        check(|r, _| 1 - r, "1-r");
        check(|_, _| 7, "7");
        check(|_, c| 81 - 27 * c, "81-27*c");
        check(|_, c| [2, 0, 3, 1][c as usize], "t0[c]");
    }
}
