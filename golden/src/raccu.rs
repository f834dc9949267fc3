// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACCU (chapter 2, section 8) and its shadow register (section 7).

use drra_fabric::images::SeqShRaccu;
use drra_isa::instructions::RaccuMode;

use crate::bits::sx;

/// `pending` of section 10, for the shadow register of RACCU or LOOP (section 7): what takes effect in this cycle, and
/// the register in the next one.
pub(crate) fn pending<T: Default>(imm_now: bool, op: T, valid: bool, shadow: T) -> (T, T) {
    let latest = if valid { op } else { shadow };
    if imm_now { (latest, T::default()) } else { (T::default(), latest) }
}

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

/// `raccu` of section 10; `iter_value` is what each loop slot writes. Returns both registers in the next cycle.
pub(crate) fn raccu(
    sh_raccu: SeqShRaccu,
    raccu_reg: &[u8; 16],
    imm_now: bool,
    op: SeqShRaccu,
    iter_value: &[Option<u8>; 4],
) -> (SeqShRaccu, [u8; 16]) {
    let (rx, sh_raccu) = pending(imm_now, op, op.mode != RaccuMode::Idle, sh_raccu);
    let mut reg = *raccu_reg;
    for (k, value) in iter_value.iter().enumerate() {
        reg[15 - k] = value.unwrap_or(reg[15 - k]);
    }
    let dst = usize::from(rx.dst);
    if let Some(result) = raccu_alu(&rx, raccu_reg[dst]) {
        reg[dst] = result; // wins over the loop controller
    }
    (sh_raccu, reg)
}
