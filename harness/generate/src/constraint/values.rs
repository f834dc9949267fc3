// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of raw field values, as ranges, because a field can have 25 bits.

use drra_isa::Field;

/// Raw values of a field: inclusive ranges, ascending and not adjacent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueSet {
    ranges: Vec<(u64, u64)>,
    top: u64,
}

impl ValueSet {
    /// The values of a list.
    pub(super) fn of(field: &Field, values: &[u64]) -> Self {
        let ranges = values.iter().map(|v| (*v, *v)).collect();
        Self::joined(ranges, top(field))
    }

    /// The values from `least` to `most`, both inclusive; numbers of a signed field can be negative.
    pub(super) fn between(field: &Field, least: i64, most: i64) -> Self {
        let bits = |number: i64| number as u64 & top(field);
        let ranges = if least < 0 && most >= 0 {
            vec![(0, bits(most)), (bits(least), top(field))]
        } else {
            vec![(bits(least), bits(most))]
        };
        Self::joined(ranges, top(field))
    }

    fn joined(mut ranges: Vec<(u64, u64)>, top: u64) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (from, to) in ranges {
            match joined.last_mut() {
                Some((_, last)) if from <= *last + 1 => *last = to.max(*last),
                _ => joined.push((from, to)),
            }
        }
        Self { ranges: joined, top }
    }

    /// The other values of the field.
    pub(super) fn others(&self) -> Self {
        let mut ranges = Vec::new();
        let mut next = 0;
        for &(from, to) in &self.ranges {
            if from > next {
                ranges.push((next, from - 1));
            }
            next = to + 1;
        }
        if next <= self.top {
            ranges.push((next, self.top));
        }
        Self { ranges, top: self.top }
    }

    /// True if the value is in the set.
    pub(super) fn has(&self, raw: u64) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&raw))
    }

    /// Number of values.
    pub(super) fn count(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from + 1).sum()
    }

    /// The value at an index, modulo the number of values.
    ///
    /// # Panics
    /// If the set is empty.
    pub(super) fn at(&self, position: u64) -> u64 {
        let mut rest = position % self.count();
        for &(from, to) in &self.ranges {
            if rest <= to - from {
                return from + rest;
            }
            rest -= to - from + 1;
        }
        unreachable!("the position is below the count")
    }
}

/// Largest raw value of a field.
fn top(field: &Field) -> u64 {
    (1 << field.width) - 1
}
