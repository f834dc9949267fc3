// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the memories of tiles.

use drra_isa::ports::{Block, ZERO_BLOCK};

use crate::{
    Bits,
    plan::{Plan, RowSource},
    stimulus::block,
};

/// A row of a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) words: Block,
    /// A 1 for every unknown bit.
    pub(super) unknown: Block,
    /// Its content was seen at some time.
    pub(super) seen: bool,
}

impl Row {
    /// A row before its first write.
    pub(super) fn new(plan: &Plan, source: Option<RowSource>) -> Self {
        let reset = |n: usize| plan.memories.get(n).is_some_and(|m| !m.unknown);
        let seen = matches!(source, Some(RowSource::Memory(n)) if reset(n));
        Self { words: ZERO_BLOCK, unknown: ZERO_BLOCK, seen }
    }
}

/// A row that shows these bits.
pub(super) fn seen(bits: &Bits) -> Row {
    let mut unknown = ZERO_BLOCK;
    unknown.iter_mut().zip(bits.unknown_words()).for_each(|(to, from)| *to = *from);
    Row { words: block(bits), unknown, seen: true }
}
