// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two's complement and packed registers.

/// The low `width` bits read as a two's-complement number.
#[inline]
pub(crate) fn sx(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

/// Packs fields into a word, first field in the upper bits, as the chapters list them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Packer(pub(crate) u64);

impl Packer {
    /// Appends a field below the ones before.
    #[inline]
    pub(crate) fn put(self, value: impl Into<u64>, width: u32) -> Self {
        Self(self.0 << width | value.into())
    }
}
