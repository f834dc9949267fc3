// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations of the two channels of the DPU (chapter 4, 5.3).

use std::cmp::Ordering;

use drra_fabric::{DpuOperation as Op, DpuStatus};

use super::{
    control::{FB, InForce, Registers},
    lanes::{add, mul, widen},
    operands::Task,
    squash::pwl,
};
use crate::bits::sx;

impl Registers {
    /// Executes `op` on the operands of `task`. Returns the next accumulator, which is not used in a cycle that clears
    /// the accumulators, and the next status, which only a comparison changes.
    #[inline]
    pub(super) fn channel(&self, g: &InForce, ch: usize, op: Op, task: &Task) -> (u32, DpuStatus) {
        let Task { x, y, addend, .. } = *task;
        let (w, sat) = (g.lw_c, g.sat);
        let (pa, pb) = (sx(x.into(), 16), sx(y.into(), 16));
        let (acc, mut status) = (self.acc[ch], self.status[ch]);
        let res = match op {
            Op::Idle => 0,
            Op::Mac => {
                let t = match addend {
                    None => acc,
                    Some(v) if g.fx => (sx(v.into(), 16) << FB) as u32,
                    Some(v) => widen(v, w),
                };
                add(mul(x, y, w), t, w, sat)
            }
            Op::Mul => mul(x, y, w),
            Op::Add => add(widen(x, w), widen(y, w), w, sat),
            Op::Acc => add(widen(x, w), acc, w, sat),
            Op::Ld => widen(x, w),
            Op::Shl if y < 32 => (pa << y) as u32,
            Op::Shl => 0,
            Op::Shr => (pa >> y.min(31)) as u32,
            Op::Max | Op::Min => {
                status = match pa.cmp(&pb) {
                    Ordering::Less => DpuStatus::Less,
                    Ordering::Greater => DpuStatus::Greater,
                    Ordering::Equal => DpuStatus::Equal,
                };
                (if op == Op::Max { pa.max(pb) } else { pa.min(pb) }) as u32
            }
            Op::Sigm | Op::Tanh | Op::Exp | Op::Div => self.unit(op, x),
        };
        (res, status)
    }

    /// The result of the non-linear unit or the divider for an operation of channel 0.
    pub(super) fn unit(&self, op: Op, x: u16) -> u32 {
        let q = self.div[2];
        match op {
            Op::Sigm | Op::Tanh => pwl(x as i16, op) as u32,
            Op::Exp => q & 0x7ff | (q >> 12 & 1) << 11,
            _ => q,
        }
    }
}
