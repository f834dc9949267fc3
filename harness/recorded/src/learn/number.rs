// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in the paths of instances, as arithmetic with their indices.

use std::collections::BTreeMap;

/// Largest factor of an index that is tried.
const FACTORS: [i64; 4] = [1, 2, 4, 8];

/// The indices of an instance: letters with their values.
pub(super) type Indices = Vec<(char, i64)>;

/// A number of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// Always the same.
    Constant(i64),
    /// An index and a number.
    Plus(char, i64),
    /// A number minus an index.
    Minus(i64, char),
    /// A multiple of an index, another one, and a number.
    Two { factor: i64, of: char, and: char, plus: i64 },
    /// By a table, from an index.
    Table { of: char, rows: BTreeMap<i64, i64> },
}

fn value(indices: &Indices, letter: char) -> Option<i64> {
    indices.iter().find(|(l, _)| *l == letter).map(|(_, value)| *value)
}

impl Sum {
    /// Its value for an instance; `None` if it has none that counts from 0.
    pub(super) fn value(&self, indices: &Indices) -> Option<i64> {
        self.any_value(indices).filter(|n| *n >= 0)
    }

    fn any_value(&self, indices: &Indices) -> Option<i64> {
        match self {
            Self::Constant(n) => Some(*n),
            Self::Plus(letter, n) => Some(value(indices, *letter)? + n),
            Self::Minus(n, letter) => Some(n - value(indices, *letter)?),
            Self::Two { factor, of, and, plus } => {
                Some(factor * value(indices, *of)? + value(indices, *and)? + plus)
            }
            Self::Table { of, rows } => rows.get(&value(indices, *of)?).copied(),
        }
    }

    /// How far-fetched the sums of a path are; a letter that another sum has is, too.
    pub(super) fn oddity(sums: &[Self]) -> usize {
        let mut letters: Vec<char> = Vec::new();
        let mut oddity = 0;
        for sum in sums {
            let (letter, odd) = match sum {
                Self::Constant(_) => continue,
                Self::Plus(letter, 0) => (letter, 0),
                Self::Plus(letter, _) | Self::Minus(_, letter) => (letter, 2),
                Self::Table { of, .. } => (of, 3),
                Self::Two { of, .. } => (of, 4),
            };
            oddity += odd + if letters.contains(letter) { 3 } else { 0 };
            letters.push(*letter);
        }
        oddity
    }

    /// As it is written between braces; `table` gives a table its name.
    pub(super) fn text(&self, table: &mut dyn FnMut(&BTreeMap<i64, i64>) -> String) -> String {
        let signed = |n: i64| match n {
            0 => String::new(),
            n => format!("{n:+}"),
        };
        match self {
            Self::Constant(n) => n.to_string(),
            Self::Plus(letter, n) => format!("{letter}{}", signed(*n)),
            Self::Minus(n, letter) => format!("{n}-{letter}"),
            Self::Two { factor: 1, of, and, plus } => format!("{of}+{and}{}", signed(*plus)),
            Self::Two { factor, of, and, plus } => format!("{factor}*{of}+{and}{}", signed(*plus)),
            Self::Table { of, rows } => format!("{}[{of}]", table(rows)),
        }
    }
}

/// Sums that have one of the allowed values for most of the instances, simple ones first. `all` are the indices
/// of all instances, also of those without allowed values.
pub(super) fn sums(allowed: &[(&Indices, Vec<i64>)], all: &[&Indices]) -> Vec<Sum> {
    let Some((indices, values)) = allowed.first() else { return Vec::new() };
    let mut tried = Vec::new();
    let last = |letter| all.iter().filter_map(|i| value(i, letter)).max().unwrap_or(0);
    for &v in values {
        let same = indices.iter().filter(|(_, x)| *x == v);
        tried.extend(same.map(|(letter, _)| Sum::Plus(*letter, 0)));
        tried.push(Sum::Constant(v));
    }
    for &v in values {
        for &(letter, x) in indices.iter() {
            tried.push(Sum::Plus(letter, v - x));
            tried.push(Sum::Minus(v + x, letter));
        }
        for &(of, x) in indices.iter() {
            for &(and, y) in indices.iter().filter(|(and, _)| *and != of) {
                let factors = FACTORS.into_iter().chain([last(and) + 1]);
                tried.extend(factors.map(|factor| Sum::Two {
                    factor,
                    of,
                    and,
                    plus: v - factor * x - y,
                }));
            }
        }
    }
    tried.extend(indices.iter().filter_map(|(letter, _)| table(allowed, all, *letter)));
    // Every instance has some number, whether it is known or not.
    tried.retain(|sum| all.iter().all(|indices| sum.value(indices).is_some()));
    let score = |sum: &Sum| {
        let fits = |(indices, values): &&(&Indices, Vec<i64>)| {
            sum.value(indices).is_some_and(|v| values.contains(&v))
        };
        allowed.iter().filter(fits).count()
    };
    let most = tried.iter().map(score).max().unwrap_or(0);
    let mut best: Vec<Sum> = Vec::new();
    for sum in tried {
        if score(&sum) == most && !best.contains(&sum) {
            best.push(sum);
        }
    }
    best
}

/// A table from an index, if every value of the index has a number of its own that fits all instances with it.
fn table(allowed: &[(&Indices, Vec<i64>)], all: &[&Indices], letter: char) -> Option<Sum> {
    let mut rows: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (indices, values) in allowed {
        let row = rows.entry(value(indices, letter)?).or_insert_with(|| values.clone());
        row.retain(|v| values.contains(v));
    }
    let complete = all.iter().all(|i| value(i, letter).is_some_and(|x| rows.contains_key(&x)));
    if !complete || rows.len() < 2 {
        return None;
    }
    let rows: Option<BTreeMap<i64, i64>> =
        rows.into_iter().map(|(x, values)| Some((x, *values.first()?))).collect();
    Some(Sum::Table { of: letter, rows: rows? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first sum for numbers of all cells of a fabric of 2 x 4.
    #[track_caller]
    fn check(number: impl Fn(i64, i64) -> i64, expected: &str) {
        let all: Vec<Indices> =
            (0..2).flat_map(|r| (0..4).map(move |c| vec![('r', r), ('c', c)])).collect();
        // Beside each number stands another one that is no sum of the indices.
        let other = |r: i64, c: i64| 90 + 3 * r + 5 * c * c;
        let numbers = |i: &Indices| vec![other(i[0].1, i[1].1), number(i[0].1, i[1].1)];
        let allowed: Vec<_> = all.iter().map(|i| (i, numbers(i))).collect();
        let best = sums(&allowed, &all.iter().collect::<Vec<_>>());
        let text = best[0].text(&mut |rows| format!("t{}", rows[&1]));
        assert_eq!(text, expected);
    }

    #[test]
    fn numbers_of_paths() {
        check(|_, c| c, "c");
        check(|_, c| c + 3, "c+3");
        check(|r, _| 1 - r, "1-r");
        check(|_, _| 7, "7");
        check(|r, c| 4 * r + c, "4*r+c");
        check(|_, c| [2, 0, 3, 1][c as usize], "t0[c]");
    }
}
