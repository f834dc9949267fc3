// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets as the bits of a word.

/// Numbers of the bits that are 1, ascending.
#[inline]
pub(crate) fn ones(set: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut set = set.into();
    std::iter::from_fn(move || {
        let k = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        k
    })
}
