// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks at rest.
//!
//! What an edge makes of the registers of a block depends on these registers and on what reaches the block in
//! the cycle, on nothing else. So where an edge has changed no register, the next one changes none either as
//! long as the same reaches the block. Such a block is at rest: it is not executed, and its image is not written
//! again. Every block has one predicate that says when it is.

/// False in a test that executes every block in every cycle.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn allowed() -> bool {
    true
}

#[cfg(test)]
pub(crate) use tests::allowed;

#[cfg(test)]
mod tests;
