// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divider of the DPU (chapter 4, section 10).

use drra_isa::{fabric::DpuOperation as Op, instructions::DpuMode as Mode};

use super::{
    Dpu, FB,
    squash::{Squash, squash},
};
use crate::bits::sx;

/// Numerator shifted left by the fraction bits, over the denominator, truncated toward zero.
fn divide(num: i64, den: i64) -> u32 {
    let num = num << FB;
    let quotient = match den {
        0 if num > 0 => 0x000f_ffff,
        0 => -0x10_0000,
        1 => num,
        _ => num / den,
    };
    quotient as u32
}

impl Dpu {
    /// Executes the edge of the divider pipeline; `op`, `x` and `y` are those that channel 0
    /// executes in this cycle.
    #[inline]
    pub(super) fn divide(&mut self, op: Op, x: u16, y: u16) {
        let (dividend, divisor) = self.division(op, x, y);
        self.div = [divide(dividend, divisor), self.div[0], self.div[1]];
    }

    /// Dividend and divisor when channel 0 executes `op` on `x` and `y`.
    #[inline]
    pub(super) fn division(&self, op: Op, x: u16, y: u16) -> (i64, i64) {
        let a = sx(x.into(), 16);
        match op {
            Op::Idle | Op::Sigm | Op::Tanh => (0, 1),
            Op::Exp => (1 << FB, squash(x as i16, Squash::Exp)),
            Op::Div if self.current.mode == Mode::DivSoftmax => (a, sx(self.sm_reg.into(), 32)),
            Op::Div => (a, sx(y.into(), 16)),
            _ => (1, 1),
        }
    }
}
