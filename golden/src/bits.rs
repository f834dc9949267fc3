// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two's complement and packed registers.

/// The low `width` bits read as a two's-complement number.
pub(crate) fn sx(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

/// The registers of a packed array, `width` bits each, as one number with the first register in the lowest bits.
pub(crate) fn packed<const N: usize>(elements: [u64; N], width: u32) -> u128 {
    elements.iter().rev().fold(0, |all, &element| all << width | u128::from(element))
}
