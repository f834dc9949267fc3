// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bit fields and two's complement.

/// Bits `lsb .. lsb+width-1` of a value.
#[inline]
pub(crate) fn field(value: u64, lsb: u32, width: u32) -> u64 {
    value >> lsb & ((1 << width) - 1)
}

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
