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

#[cfg(test)]
mod tests {
    use drra_isa::Opcode;

    use super::*;

    fn field(opcode: Opcode, name: &str) -> &'static Field {
        opcode.fields().iter().find(|f| f.field.name == name).unwrap().field
    }

    /// LOOP.start has 6 bits in two's complement: -3 is 61.
    #[test]
    fn ranges_of_signed_fields() {
        let start = field(Opcode::Loop, "start");
        let set = ValueSet::between(start, -3, 1);
        let members: Vec<u64> = (0..64).filter(|v| set.has(*v)).collect();
        assert_eq!(members, [0, 1, 61, 62, 63]);
        assert_eq!((set.count(), set.others().count()), (5, 59));
        assert_eq!((0..6).map(|k| set.at(k)).collect::<Vec<_>>(), [0, 1, 61, 62, 63, 0]);
    }

    #[test]
    fn lists_and_their_complements() {
        let config = field(Opcode::Bw, "config");
        let set = ValueSet::of(config, &[2, 0, 1]);
        assert_eq!((set.count(), set.others().at(7)), (3, 3));
        assert_eq!(ValueSet::of(config, &[3, 0, 1, 2]).others().count(), 0);
    }
}
