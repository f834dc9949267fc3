// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACCU arithmetic (chapter 2, section 8).

use drra_isa::instructions::RaccuMode;

use drra_isa::fabric::images::SeqShRaccu;

use crate::bits::sx;

/// A RACCU operation; mode `idle` is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RaccuOp {
    pub(crate) mode: RaccuMode,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) dst: u8,
}

impl RaccuOp {
    /// As it waits in its shadow register.
    pub(crate) fn pack(&self) -> u64 {
        let (mode, a, b, dst) = (self.mode.code(), self.a, self.b, self.dst);
        SeqShRaccu { mode, a, b, dst }.pack()
    }

    /// The 7-bit result, or `None` if nothing is written. `old` is the present value of the
    /// destination.
    pub(crate) fn result(&self, old: u8) -> Option<u8> {
        let (a, c, old) = (i32::from(self.a), i32::from(self.b), i32::from(old));
        let value = match self.mode {
            RaccuMode::Idle => return None,
            RaccuMode::Add => a + c,
            RaccuMode::Sub => a - c,
            RaccuMode::ShiftR => (sx(self.a.into(), 7) >> c.min(6)) as i32,
            RaccuMode::ShiftL if c < 7 => a << c,
            RaccuMode::ShiftL => 0,
            RaccuMode::Mult => a * c,
            RaccuMode::MultAdd => a * c + old,
            RaccuMode::MultSub => a * c - old,
        };
        Some((value & 127) as u8)
    }
}
