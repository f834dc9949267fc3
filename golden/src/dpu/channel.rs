// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations of the two channels of the DPU (chapter 4, 5.3).

use std::cmp::Ordering;

use drra_isa::fabric::{DpuOperation as Op, DpuStatus};

use super::{
    Dpu, FB,
    lanes::{add, mul, widen},
    operands::Task,
    squash::{Squash, squash},
};
use crate::bits::sx;

/// How the channels calculate in one cycle.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic {
    /// Width of the lanes of the operands.
    pub(super) w: u32,
    /// Addends are in the fixed-point format.
    pub(super) fx: bool,
    /// Sums saturate.
    pub(super) sat: bool,
}

impl Dpu {
    /// The operation that a channel executes when its mode selects `op`: in the first cycle of
    /// idleness it is the previous one. Moves `prev_op` on.
    #[inline]
    pub(super) fn executed(&mut self, ch: usize, op: Op) -> Op {
        let previous = std::mem::replace(&mut self.prev_op[ch], op);
        if op == Op::Idle { previous } else { op }
    }

    /// Executes `op` on the operands of `task`. Returns the next accumulator, unless it is cleared;
    /// a comparison writes the status.
    #[inline]
    pub(super) fn channel(&mut self, ch: usize, op: Op, task: Task, how: Arithmetic) -> u32 {
        let Task { x, y, addend, .. } = task;
        let Arithmetic { w, fx, sat } = how;
        let (a, b) = (sx(x.into(), 16), sx(y.into(), 16));
        let old = self.acc[ch];
        match op {
            Op::Idle => 0,
            Op::Mac => {
                let term = match addend {
                    None => old,
                    Some(v) if fx => (sx(v.into(), 16) << FB) as u32,
                    Some(v) => widen(v, w),
                };
                add(mul(x, y, w), term, w, sat)
            }
            Op::Sigm => squash(x as i16, Squash::Sigmoid) as u32,
            Op::Tanh => squash(x as i16, Squash::Tanh) as u32,
            Op::Exp => {
                let q = self.div[2];
                q & 0x7ff | (q >> 12 & 1) << 11
            }
            Op::Mul => mul(x, y, w),
            Op::Add => add(widen(x, w), widen(y, w), w, sat),
            Op::Acc => add(widen(x, w), old, w, sat),
            Op::Ld => widen(x, w),
            Op::Div => self.div[2],
            Op::Shl if y < 32 => (a << y) as u32,
            Op::Shl => 0,
            Op::Shr => (a >> y.min(31)) as u32,
            Op::Max | Op::Min => {
                self.status[ch] = match a.cmp(&b) {
                    Ordering::Less => DpuStatus::Less,
                    Ordering::Greater => DpuStatus::Greater,
                    Ordering::Equal => DpuStatus::Equal,
                };
                (if op == Op::Max { a.max(b) } else { a.min(b) }) as u32
            }
        }
    }
}
