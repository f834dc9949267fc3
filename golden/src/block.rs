// SPDX-License-Identifier: MIT OR Apache-2.0
//! 256-bit blocks of 16 words.

pub(crate) use drra_fabric::ports::{Block, ZERO_BLOCK};

/// The block with these words.
pub(crate) fn from_words(words: &[u16; 16]) -> Block {
    std::array::from_fn(|i| (0..4).fold(0, |q, j| q | u64::from(words[4 * i + j]) << (16 * j)))
}

/// The words of a block.
pub(crate) fn to_words(block: &Block) -> [u16; 16] {
    std::array::from_fn(|k| (block[k / 4] >> (16 * (k % 4))) as u16)
}

/// `drop` of chapter 7: the block with the words whose mask bit is 1 set to 0.
pub(crate) fn drop_masked(block: &Block, mask: u16) -> Block {
    let words = to_words(block);
    from_words(&std::array::from_fn(|k| if mask >> k & 1 == 0 { words[k] } else { 0 }))
}
