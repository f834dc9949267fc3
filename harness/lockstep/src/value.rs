// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of registers, signals and ports.

use std::fmt;

use drra_isa::fabric::Layout;

/// A value of a given width in which individual bits may be unknown. An unknown bit is 0 in [`Self::words`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    words: Vec<u64>,
    /// A 1 for every unknown bit; empty if all bits are known, so that equal values are equal.
    unknown: Vec<u64>,
    width: u32,
}

impl Value {
    /// A value of `width` bits (at least one) from 64-bit words, low word first. Missing words are 0; bits beyond the
    /// width are dropped.
    pub fn new(words: Vec<u64>, width: u32) -> Self {
        Self { words: fit(words, width), unknown: Vec::new(), width }
    }

    /// Like [`Self::new`]; a bit that is 1 in `unknown` is unknown.
    pub fn with_unknown(words: Vec<u64>, unknown: Vec<u64>, width: u32) -> Self {
        let unknown = fit(unknown, width);
        let mut value = Self::new(words, width);
        if unknown.iter().any(|word| *word != 0) {
            value.words.iter_mut().zip(&unknown).for_each(|(word, unknown)| *word &= !unknown);
            value.unknown = unknown;
        }
        value
    }

    /// The 64-bit words of the value, low word first; unknown bits read as 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The lowest 64 bits.
    pub fn low(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// True if every bit is known.
    pub fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Bit n; unknown bits and bits beyond the width are 0.
    pub fn bit(&self, n: u32) -> bool {
        bit(&self.words, n)
    }

    /// True if bit n is neither 0 nor 1.
    pub fn is_unknown_bit(&self, n: u32) -> bool {
        bit(&self.unknown, n)
    }

    /// Numbers of the bits that differ from another value of this width, or that are unknown in either value, highest
    /// first.
    pub fn bits_that_differ(&self, other: &Self) -> Vec<u32> {
        let differs = |n: &u32| {
            self.bit(*n) != other.bit(*n) || self.is_unknown_bit(*n) || other.is_unknown_bit(*n)
        };
        (0..self.width.max(other.width)).rev().filter(differs).collect()
    }

    /// True if the two values differ in a bit that is known in both.
    pub fn contradicts(&self, other: &Self) -> bool {
        let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
        (0..self.words.len().max(other.words.len())).any(|i| {
            let unknown = word(&self.unknown, i) | word(&other.unknown, i);
            (word(&self.words, i) ^ word(&other.words, i)) & !unknown != 0
        })
    }
}

/// Words for a width: missing words are 0, and bits beyond the width are dropped.
fn fit(mut words: Vec<u64>, width: u32) -> Vec<u64> {
    words.resize(width.div_ceil(64) as usize, 0);
    if let Some(last) = words.last_mut()
        && !width.is_multiple_of(64)
    {
        *last &= (1 << (width % 64)) - 1;
    }
    words
}

fn bit(words: &[u64], n: u32) -> bool {
    words.get((n / 64) as usize).is_some_and(|word| word >> (n % 64) & 1 == 1)
}

/// `0x..` with as many digits as the width needs; a digit with an unknown bit is an `x`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = Layout::hex(&self.words, self.width);
        if self.is_known() {
            return f.write_str(&digits);
        }
        let unknown = Layout::hex(&self.unknown, self.width);
        let shown = digits.chars().zip(unknown.chars()).enumerate();
        let shown = shown.map(|(i, (digit, u))| if i > 1 && u != '0' { 'x' } else { digit });
        f.write_str(&shown.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn digits_and_bits() {
        let wide = Value::new(vec![0x10, 7], 67);
        assert_eq!(wide.to_string(), "0x70000000000000010");
        assert_eq!((wide.low(), wide.bit(66), wide.bit(67)), (0x10, true, false));
        assert_eq!(Value::new(vec![u64::MAX], 6).to_string(), "0x3f");
        let other = Value::new(vec![0x11, 3], 67);
        assert_eq!(wide.bits_that_differ(&other), [66, 0]);
        assert!(wide.bits_that_differ(&wide).is_empty());
    }

    #[test]
    fn unknown_bits() {
        let some = Value::with_unknown(vec![0x1f3], vec![0x010], 9);
        assert_eq!(some.to_string(), "0x1x3");
        assert_eq!(
            (some.words(), some.is_known(), some.is_unknown_bit(4)),
            (&[0x1e3][..], false, true)
        );
        assert_eq!(Value::with_unknown(vec![5], vec![0x100], 8), Value::new(vec![5], 8));
        let known = Value::new(vec![0x1f3], 9);
        assert_eq!((known.bits_that_differ(&some), known.contradicts(&some)), (vec![4], false));
        assert!(Value::new(vec![0x1f2], 9).contradicts(&some));
    }
}
