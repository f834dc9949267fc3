// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of registers, signals and ports.

use std::fmt;

use drra_isa::fabric::Layout;

/// A value of a given width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    words: Vec<u64>,
    width: u32,
}

impl Value {
    /// A value of `width` bits (at least one) in 64-bit words, low word first. Missing words are 0; what is
    /// beyond the width is dropped.
    pub fn new(mut words: Vec<u64>, width: u32) -> Self {
        words.resize(width.div_ceil(64) as usize, 0);
        if let Some(last) = words.last_mut()
            && !width.is_multiple_of(64)
        {
            *last &= (1 << (width % 64)) - 1;
        }
        Self { words, width }
    }

    /// Its 64-bit words, low word first.
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

    /// Bit n; what is beyond the width is 0.
    pub fn bit(&self, n: u32) -> bool {
        self.words.get((n / 64) as usize).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// Numbers of the bits in which the other value of this width differs, highest first.
    pub fn bits_that_differ(&self, other: &Self) -> Vec<u32> {
        (0..self.width.max(other.width)).rev().filter(|n| self.bit(*n) != other.bit(*n)).collect()
    }
}

/// `0x..` with as many digits as the width needs.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Layout::hex(&self.words, self.width))
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
}
