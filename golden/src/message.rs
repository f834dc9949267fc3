// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to the NoC and to the I/O units (chapter 6, section 3, and chapter 7, A3).

use crate::bits::field;

pub(crate) const KIND_IO: u8 = 1;
pub(crate) const KIND_ROUTE: u8 = 2;
pub(crate) const KIND_SRAM: u8 = 3;

/// Message inside a cell; `kind` 0 means none, otherwise `valid` is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellMessage {
    pub(crate) kind: u8,
    pub(crate) payload: u64,
}

impl CellMessage {
    /// The 67 bits `{valid, kind, payload}` as two words, low word first.
    pub(crate) fn words(self) -> [u64; 2] {
        let valid = u64::from(self.kind != 0);
        [self.payload, valid << 2 | u64::from(self.kind)]
    }

    /// The 63-bit form for the tiles, for kinds 2 and 3.
    pub(crate) fn to_noc(self) -> NocMessage {
        match self.kind {
            KIND_ROUTE | KIND_SRAM => {
                NocMessage(1 << 62 | u64::from(self.kind) << 60 | self.payload & ((1 << 60) - 1))
            }
            _ => NocMessage::NONE,
        }
    }
}

/// Message on the NoC: 63 bits `{valid, kind, payload}`, all 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NocMessage(pub(crate) u64);

impl NocMessage {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn is_route(self) -> bool {
        self.kind() == KIND_ROUTE
    }

    pub(crate) fn is_sram(self) -> bool {
        self.kind() == KIND_SRAM
    }

    fn kind(self) -> u8 {
        if field(self.0, 62, 1) == 1 { field(self.0, 60, 2) as u8 } else { 0 }
    }

    pub(crate) fn vhops(self) -> u64 {
        field(self.0, 9, 3)
    }

    pub(crate) fn hhops(self) -> u64 {
        field(self.0, 13, 3)
    }

    pub(crate) fn north(self) -> bool {
        field(self.0, 8, 1) == 1
    }

    pub(crate) fn east(self) -> bool {
        field(self.0, 12, 1) == 1
    }

    pub(crate) fn is_read(self) -> bool {
        field(self.0, 25, 1) == 1
    }

    pub(crate) fn hops(self) -> u64 {
        field(self.0, 54, 4)
    }

    /// One vertical move less to go.
    pub(crate) fn minus_vhop(self) -> Self {
        Self(self.0 - (1 << 9))
    }

    /// One horizontal move less to go.
    pub(crate) fn minus_hhop(self) -> Self {
        Self(self.0 - (1 << 13))
    }

    /// One tile less to pass.
    pub(crate) fn minus_hop(self) -> Self {
        Self(self.0 - (1 << 54))
    }
}
