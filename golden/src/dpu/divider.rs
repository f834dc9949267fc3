// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divider of the DPU (chapter 4, section 10).

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
        1 => num,
        _ => num / den,
    };
    quotient as u32
}

impl Registers {
    /// Dividend and divisor when channel 0 executes `op` on `x` and `y`.
    #[inline]
    pub(super) fn division(&self, op: Op, x: u16, y: u16) -> (i64, i64) {
        let pa = sx(x.into(), 16);
        match op {
            Op::Idle | Op::Sigm | Op::Tanh => (0, 1),
            Op::Exp => (1 << FB, pwl(x as i16, op)),
            Op::Div if self.cfg.instr.mode == Mode::DivSoftmax => (pa, sx(self.sm_reg.into(), 32)),
            Op::Div => (pa, sx(y.into(), 16)),
            _ => (1, 1),
        }
    }
}
