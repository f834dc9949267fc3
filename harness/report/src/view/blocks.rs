// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks by number: the same block is read, passed on and stored many times.

use std::collections::BTreeMap;

use drra_isa::ports::Block;

/// Numbers of different blocks, in the order in which they come up.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    numbers: BTreeMap<Block, usize>,
    all: Vec<Block>,
}

impl Blocks {
    /// Number of a block.
    pub(super) fn number(&mut self, block: Block) -> i64 {
        let all = &mut self.all;
        let number = *self.numbers.entry(block).or_insert_with(|| {
            all.push(block);
            all.len() - 1
        });
        number as i64
    }

    pub(super) fn all(self) -> Vec<Block> {
        self.all
    }
}
