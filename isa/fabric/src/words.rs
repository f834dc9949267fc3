// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bit fields of numbers that take several 64-bit words.

/// A bit field of at most 64 bits in words, low word first; missing words are read as 0.
pub(crate) fn bits(words: &[u64], lsb: u32, width: u32) -> u64 {
    let (word, shift) = ((lsb / 64) as usize, lsb % 64);
    let at = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
    let both = (at(word) | at(word + 1) << 64) >> shift;
    (both & ((1u128 << width.min(64)) - 1)) as u64
}

/// A bit field of any width, low word first.
pub(crate) fn wide(words: &[u64], lsb: u32, width: u32) -> Vec<u64> {
    (0..width.div_ceil(64)).map(|i| bits(words, lsb + 64 * i, (width - 64 * i).min(64))).collect()
}
