// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divider of the DPU (chapter 4, section 10), and `dpu_unit` of section 8, which selects it or the non-linear unit.

use drra_fabric::DpuOperation as Op;
use drra_isa::instructions::DpuMode as Mode;

use super::{
    control::{FB, Registers},
    squash::pwl,
};
use crate::bits::sx;

/// The numerator, shifted left by the number of fraction bits, divided by the denominator and truncated toward zero;
/// fixed values for a denominator of 0.
pub(super) fn divide(num: i64, den: i64) -> u32 {
    let num = num << FB;
    let quotient = match den {
        0 if num > 0 => 0x000f_ffff,
        0 => -0x10_0000,
        _ => num / den,
    };
    quotient as u32
}

impl Registers {
    /// `dpu_unit` of section 8: the result of the non-linear unit or the divider when channel 0 executes `ope` on `x`
    /// and `y`, and the dividend and divisor of this cycle.
    pub(super) fn dpu_unit(&self, ope: Op, x: u16, y: u16) -> (u32, i64, i64) {
        let (x, y, q) = (x as i16, y as i16, self.div[2]);
        match ope {
            Op::Idle => (0, 0, 1),
            Op::Sigm | Op::Tanh => (pwl(x, ope) as u32, 0, 1),
            Op::Exp => (q & 0x7ff | (q >> 12 & 1) << 11, 1 << FB, pwl(x, ope)),
            Op::Div if self.instr.mode == Mode::DivSoftmax => {
                (q, x.into(), sx(self.sm_reg.into(), 32))
            }
            Op::Div => (q, x.into(), y.into()),
            _ => (0, 1, 1),
        }
    }
}
