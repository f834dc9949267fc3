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
        _ => num / den,
    };
    quotient as u32
}

impl Registers {
    /// From `dpu_unit` of section 8: dividend and divisor when channel 0 executes `ope` on `x` and `y`.
    pub(super) fn division(&self, ope: Op, x: u16, y: u16) -> (i64, i64) {
        let x = x as i16;
        match ope {
            Op::Idle | Op::Sigm | Op::Tanh => (0, 1),
            Op::Exp => (1 << FB, pwl(x, ope)),
            Op::Div if self.instr.mode == Mode::DivSoftmax => {
                (x.into(), sx(self.sm_reg.into(), 32))
            }
            Op::Div => (x.into(), (y as i16).into()),
            _ => (1, 1),
        }
    }
}
