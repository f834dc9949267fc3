// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACCU arithmetic (chapter 2, section 8).

use drra_fabric::images::SeqShRaccu;
use drra_isa::instructions::RaccuMode;

use crate::bits::sx;

/// The 7-bit result of an operation, or `None` if nothing is written. `old` is the current value of the destination.
pub(crate) fn raccu_alu(op: &SeqShRaccu, old: u8) -> Option<u8> {
    let (a, c, old) = (i32::from(op.a), i32::from(op.b), i32::from(old));
    let value = match op.mode {
        RaccuMode::Idle => return None,
        RaccuMode::Add => a + c,
        RaccuMode::Sub => a - c,
        RaccuMode::ShiftR => (sx(op.a.into(), 7) >> c.min(6)) as i32,
        RaccuMode::ShiftL if c < 7 => a << c,
        RaccuMode::ShiftL => 0,
        RaccuMode::Mult => a * c,
        RaccuMode::MultAdd => a * c + old,
        RaccuMode::MultSub => a * c - old,
    };
    Some((value & 127) as u8)
}
