// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws one of several items.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// One of these items; an item that is listed twice is drawn twice as often.
pub(crate) fn one_of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

/// One of these items by weight; `None`, without drawing, if all weights are 0.
pub(crate) fn weighted<T: Copy>(rng: &mut ChaCha8Rng, all: &[(T, u32)]) -> Option<T> {
    let total: u32 = all.iter().map(|(_, weight)| weight).sum();
    let mut pick = if total > 0 { rng.random_range(0..total) } else { return None };
    let hit = all.iter().find(|(_, weight)| {
        let hit = pick < *weight;
        pick = pick.saturating_sub(*weight);
        hit
    });
    hit.map(|(value, _)| *value)
}

/// The first address of a pattern: any number of `bits` bits or, with an even chance, a number up to three steps before
/// or after a multiple of a power of two, so that carries can reach any bit.
pub(crate) fn address(rng: &mut ChaCha8Rng, bits: u32, step: i64) -> u64 {
    let mask = (1u64 << bits) - 1;
    let any = rng.random_range(0..=mask);
    if rng.random_bool(0.5) {
        return any;
    }
    let multiple = any << rng.random_range(0..=bits);
    let steps = rng.random_range(-3..=3);
    multiple.wrapping_add_signed(steps * step) & mask
}
