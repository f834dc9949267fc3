// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values as simulators show them: each bit is 0, 1 or unknown.

use std::fmt;

use smallvec::SmallVec;

/// A value of a given width in which individual bits may be unknown (`X`, `U`, `Z`, `W`, `-`). An unknown bit is 0 in
/// [`Self::words`], so that equal values are equal in every respect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    words: Words,
    unknown: Words,
}

/// Most values have 64 bits or fewer and are stored inline.
pub(crate) type Words = SmallVec<[u64; 1]>;

impl Bits {
    /// A fully known value of `width` bits from 64-bit words, low word first. Missing words are 0; bits beyond the
    /// width are dropped.
    pub fn new(words: &[u64], width: u32) -> Self {
        Self::with_unknown(words, &[], width)
    }

    /// Like [`Self::new`]; a bit that is 1 in `unknown` is unknown.
    pub fn with_unknown(words: &[u64], unknown: &[u64], width: u32) -> Self {
        let (mut words, unknown) = (take(words, 0, width), take(unknown, 0, width));
        words.iter_mut().zip(&unknown).for_each(|(word, unknown)| *word &= !unknown);
        Self { width, words, unknown }
    }

    /// A value without any known bit.
    pub fn unknown(width: u32) -> Self {
        Self::with_unknown(&[], &vec![u64::MAX; width.div_ceil(64) as usize], width)
    }

    /// The value written as characters, highest bit first: `0` and `L` are 0, `1` and `H` are 1, and the other states
    /// of Verilog and VHDL are unknown. `None` for any other character and for empty text.
    pub fn parse(text: &str) -> Option<Self> {
        let width = u32::try_from(text.len()).ok().filter(|width| *width > 0)?;
        let mut bits = Self::new(&[], width);
        for (position, character) in text.bytes().rev().enumerate() {
            let (word, bit) = (position / 64, 1 << (position % 64));
            match character.to_ascii_uppercase() {
                b'0' | b'L' => {}
                b'1' | b'H' => bits.words[word] |= bit,
                b'X' | b'U' | b'Z' | b'W' | b'-' | b'?' => bits.unknown[word] |= bit,
                _ => return None,
            }
        }
        Some(bits)
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its 64-bit words, low word first; unknown bits read as 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A 1 for every unknown bit, in 64-bit words, low word first.
    pub fn unknown_words(&self) -> &[u64] {
        &self.unknown
    }

    /// True if every bit is known.
    pub fn is_known(&self) -> bool {
        self.unknown.iter().all(|word| *word == 0)
    }

    /// The value as a number, if every bit is known and the value fits.
    pub fn number(&self) -> Option<u64> {
        let low = self.words.first().copied().unwrap_or(0);
        (self.is_known() && self.words.iter().skip(1).all(|word| *word == 0)).then_some(low)
    }

    /// Bit `n`, if it is known; bits beyond the width are 0.
    pub fn bit(&self, n: u32) -> Option<bool> {
        let (word, shift) = ((n / 64) as usize, n % 64);
        let of = |words: &[u64]| words.get(word).is_some_and(|w| w >> shift & 1 == 1);
        (!of(&self.unknown)).then(|| of(&self.words))
    }

    /// `width` bits starting at bit `lsb`; bits beyond the width of the value are 0.
    pub fn slice(&self, lsb: u32, width: u32) -> Self {
        let of = |words: &[u64]| take(words, lsb as usize, width);
        Self::with_unknown(&of(&self.words), &of(&self.unknown), width)
    }

    /// This value with `low` appended below it.
    pub fn above(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        let of = |high: &[u64], low_words: &[u64]| {
            let mut words = Words::from_slice(low_words);
            words.resize(width.div_ceil(64) as usize, 0);
            put(&mut words, low.width as usize, self.width, high);
            words
        };
        let (words, unknown) = (of(&self.words, &low.words), of(&self.unknown, &low.unknown));
        Self::with_unknown(&words, &unknown, width)
    }

    /// Every bit inverted; unknown bits stay unknown.
    pub fn inverted(&self) -> Self {
        let words: Words = self.words.iter().map(|word| !word).collect();
        Self::with_unknown(&words, &self.unknown, self.width)
    }
}

/// Puts a field into an image.
pub(crate) fn put(image: &mut [u64], lsb: usize, width: u32, value: &[u64]) {
    let mut rest = width as usize;
    for (i, word) in value.iter().enumerate() {
        let bits = rest.min(64);
        let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let (at, shift) = ((lsb + 64 * i) / 64, (lsb + 64 * i) % 64);
        image[at] = image[at] & !(ones << shift) | (word & ones) << shift;
        if shift + bits > 64 {
            let high = 64 - shift;
            image[at + 1] = image[at + 1] & !(ones >> high) | (word & ones) >> high;
        }
        rest -= bits;
        if rest == 0 {
            return;
        }
    }
}

/// A field of an image.
pub(crate) fn take(image: &[u64], lsb: usize, width: u32) -> Words {
    let word = |i: usize| image.get(i).copied().unwrap_or(0);
    let join = |i: usize| {
        let (at, shift) = ((lsb + 64 * i) / 64, (lsb + 64 * i) % 64);
        if shift == 0 { word(at) } else { word(at) >> shift | word(at + 1) << (64 - shift) }
    };
    let mut words: Words = (0..width.div_ceil(64) as usize).map(join).collect();
    if let Some(last) = words.last_mut()
        && !width.is_multiple_of(64)
    {
        *last &= (1 << (width % 64)) - 1;
    }
    words
}

/// As hexadecimal digits, `0x1f`; a digit that contains an unknown bit is an `x`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        for digit in (0..self.width.div_ceil(4)).rev() {
            let four = self.slice(4 * digit, 4);
            match four.number() {
                Some(number) => write!(f, "{number:x}")?,
                None => f.write_str("x")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parsed(text: &str) -> Bits {
        Bits::parse(text).unwrap()
    }

    #[test]
    fn characters() {
        assert_eq!(parsed("01HL"), Bits::new(&[0b0110], 4));
        assert_eq!(parsed("1xUz").unknown_words(), [0b0111]);
        assert_eq!(parsed("1xUz").words(), [0b1000]);
        assert_eq!(Bits::parse(""), None);
        assert_eq!(Bits::parse("012"), None);
        let wide = format!("1{}", "0".repeat(64));
        assert_eq!(parsed(&wide).words(), [0, 1]);
    }

    #[test]
    fn numbers() {
        assert_eq!(parsed("101").number(), Some(5));
        assert_eq!(parsed("1x1").number(), None);
        assert_eq!(Bits::new(&[5, 0], 100).number(), Some(5));
        assert_eq!(Bits::new(&[5, 1], 100).number(), None);
        assert_eq!((parsed("1x0").bit(2), parsed("1x0").bit(1)), (Some(true), None));
        assert_eq!(parsed("1").bit(77), Some(false));
    }

    #[test]
    fn slices_and_concatenations() {
        let (high, low) = (parsed("10x1"), Bits::new(&[0x0123_4567_89ab_cdef], 62));
        let both = high.above(&low);
        assert_eq!(both.width(), 66);
        assert_eq!((both.slice(62, 4), both.slice(0, 62)), (high, low));
        assert_eq!(parsed("1x01").slice(1, 2), parsed("x0"));
        assert_eq!(parsed("11").slice(1, 4), parsed("0001"));
        assert_eq!(parsed("1x0").inverted(), parsed("0x1"));
    }

    #[test]
    fn shown() {
        assert_eq!(parsed("1000x0001").to_string(), "0x1x1");
        assert_eq!(Bits::unknown(6).to_string(), "0xxx");
    }
}
