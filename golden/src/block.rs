// SPDX-License-Identifier: MIT OR Apache-2.0
//! 256-bit blocks of 16 words.

pub(crate) use drra_fabric::ports::{Block, ZERO_BLOCK};

/// Word `k` of a block.
#[inline]
pub(crate) fn word(block: &Block, k: usize) -> u16 {
    (block[k / 4] >> (16 * (k % 4))) as u16
}

/// The block with these words.
pub(crate) fn from_words(words: &[u16; 16]) -> Block {
    std::array::from_fn(|i| (0..4).fold(0, |q, j| q | u64::from(words[4 * i + j]) << (16 * j)))
}

/// The words of a block.
pub(crate) fn to_words(block: &Block) -> [u16; 16] {
    std::array::from_fn(|k| word(block, k))
}

/// `new` where the mask bit of a word is 0, `old` where it is 1.
pub(crate) fn merge(old: &Block, new: &Block, mask: u16) -> Block {
    std::array::from_fn(|i| {
        let keep =
            (0..4).filter(|j| mask >> (4 * i + j) & 1 == 1).fold(0, |m, j| m | 0xffff << (16 * j));
        old[i] & keep | new[i] & !keep
    })
}
