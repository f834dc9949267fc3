// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two's complement and packed registers.

/// The low `width` bits read as a two's-complement number.
#[inline]
pub(crate) fn sx(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}
