// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of registers, signals and ports.

use std::fmt;

use drra_fabric::Layout;
use smallvec::SmallVec;

/// A value of a given width in which individual bits may be unknown (`X`, `U`, `Z`, `W`, `-`). An unknown bit is 0 in
/// [`Self::words`], so that values with the same known and unknown bits compare equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    width: u32,
    words: ValueWords,
    unknown: ValueWords,
}

/// 64-bit words, low word first. Most values have 64 bits or fewer and are stored inline.
pub type ValueWords = SmallVec<[u64; 1]>;

impl Value {
    /// A fully known value of `width` bits from 64-bit words, low word first. Missing words are 0; bits beyond the
    /// width are dropped.
    pub fn new(words: impl AsRef<[u64]>, width: u32) -> Self {
        Self::with_unknown(words, [], width)
    }

    /// Like [`Self::new`]; a bit that is 1 in `unknown` is unknown.
    pub fn with_unknown(words: impl AsRef<[u64]>, unknown: impl AsRef<[u64]>, width: u32) -> Self {
        let (mut words, unknown) =
            (take(words.as_ref(), 0, width), take(unknown.as_ref(), 0, width));
        words.iter_mut().zip(&unknown).for_each(|(word, unknown)| *word &= !unknown);
        Self { width, words, unknown }
    }

    /// A value without any known bit.
    pub fn unknown(width: u32) -> Self {
        Self::with_unknown([], vec![u64::MAX; width.div_ceil(64) as usize], width)
    }

    /// The value written as characters, highest bit first: `0` and `L` are 0, `1` and `H` are 1, and the other states
    /// of Verilog and VHDL are unknown. `None` for any other character and for empty text.
    pub fn parse(text: &str) -> Option<Self> {
        let width = u32::try_from(text.len()).ok().filter(|width| *width > 0)?;
        let mut value = Self::new([], width);
        for (position, character) in text.bytes().rev().enumerate() {
            let (word, bit) = (position / 64, 1 << (position % 64));
            match character.to_ascii_uppercase() {
                b'0' | b'L' => {}
                b'1' | b'H' => value.words[word] |= bit,
                b'X' | b'U' | b'Z' | b'W' | b'-' | b'?' => value.unknown[word] |= bit,
                _ => return None,
            }
        }
        Some(value)
    }

    /// The 64-bit words of the value, low word first; unknown bits read as 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A 1 for every unknown bit, in 64-bit words, low word first.
    pub fn unknown_words(&self) -> &[u64] {
        &self.unknown
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The lowest 64 bits.
    pub fn low(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// The value as a number, if every bit is known and the value fits in 64 bits.
    pub fn number(&self) -> Option<u64> {
        let fits = self.words.iter().skip(1).all(|word| *word == 0);
        (self.is_known() && fits).then_some(self.low())
    }

    /// True if every bit is known.
    pub fn is_known(&self) -> bool {
        self.unknown.iter().all(|word| *word == 0)
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
        Self::with_unknown(of(&self.words), of(&self.unknown), width)
    }

    /// This value with `low` appended below it.
    pub fn above(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        let of = |high: &[u64], low_words: &[u64]| {
            let mut words = ValueWords::from_slice(low_words);
            words.resize(width.div_ceil(64) as usize, 0);
            put(&mut words, low.width as usize, self.width, high);
            words
        };
        let (words, unknown) = (of(&self.words, &low.words), of(&self.unknown, &low.unknown));
        Self::with_unknown(words, unknown, width)
    }

    /// Every bit inverted; unknown bits stay unknown.
    pub fn inverted(&self) -> Self {
        let words: ValueWords = self.words.iter().map(|word| !word).collect();
        Self::with_unknown(words, &self.unknown, self.width)
    }

    /// Numbers of the bits that differ from another value of this width, or that are unknown in either value, highest
    /// first.
    pub fn bits_that_differ(&self, other: &Self) -> Vec<u32> {
        let differs = |n: &u32| self.bit(*n).is_none() || self.bit(*n) != other.bit(*n);
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

/// Numbers of bits, highest first, with successive bits as ranges.
pub fn bit_list(bits: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &bit in bits {
        match ranges.last_mut() {
            Some((_, low)) if bit + 1 == *low => *low = bit,
            _ => ranges.push((bit, bit)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(high, low)| if high == low { high.to_string() } else { format!("{high} to {low}") })
        .collect();
    texts.join(", ")
}

/// Writes a field into an image of 64-bit words, low word first.
pub fn put(image: &mut [u64], lsb: usize, width: u32, value: &[u64]) {
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

/// Reads a field of an image; missing words are 0.
pub fn take(image: &[u64], lsb: usize, width: u32) -> ValueWords {
    let word = |i: usize| image.get(i).copied().unwrap_or(0);
    let join = |i: usize| {
        let (at, shift) = ((lsb + 64 * i) / 64, (lsb + 64 * i) % 64);
        if shift == 0 { word(at) } else { word(at) >> shift | word(at + 1) << (64 - shift) }
    };
    let mut words = match width {
        1..=64 => ValueWords::from_buf([join(0)]),
        _ => (0..width.div_ceil(64) as usize).map(join).collect(),
    };
    if let Some(last) = words.last_mut()
        && !width.is_multiple_of(64)
    {
        *last &= (1 << (width % 64)) - 1;
    }
    words
}
