// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations of the two channels of the DPU (chapter 4, 5.3).

use std::cmp::Ordering;

use drra_fabric::{DpuOperation as Op, DpuStatus};

use super::{
    control::{DpuSettings, FB, Registers},
    lanes::{add, mul, widen},
    operands::ChannelOperation,
};
use crate::bits::sx;

impl Registers {
    /// `dpu_channel` of section 8: executes `ope` on the operands of `task`; `unit` is the first result of
    /// `dpu_unit`. Returns the accumulator and status in the next cycle.
    pub(super) fn dpu_channel(
        &self,
        g: &DpuSettings,
        ch: usize,
        ope: Op,
        task: &ChannelOperation,
        unit: u32,
    ) -> (u32, DpuStatus) {
        let ChannelOperation { x, y, addend, .. } = *task;
        let (lw, sat) = (g.lw_c, g.sat);
        let (pa, pb) = (sx(x.into(), 16), sx(y.into(), 16));
        let (acc, mut status) = (self.acc[ch], self.status[ch]);
        let res = match ope {
            Op::Idle => 0,
            Op::Mac => {
                let t = match addend {
                    None => acc,
                    Some(v) if g.fx => (sx(v.into(), 16) << FB) as u32,
                    Some(v) => widen(v, lw),
                };
                add(mul(x, y, lw), t, lw, sat)
            }
            Op::Mul => mul(x, y, lw),
            Op::Add => add(widen(x, lw), widen(y, lw), lw, sat),
            Op::Acc => add(widen(x, lw), acc, lw, sat),
            Op::Ld => widen(x, lw),
            Op::Shl if y < 32 => (pa << y) as u32,
            Op::Shl => 0,
            Op::Shr => (pa >> y.min(31)) as u32,
            Op::Max | Op::Min => {
                status = match pa.cmp(&pb) {
                    Ordering::Less => DpuStatus::Less,
                    Ordering::Greater => DpuStatus::Greater,
                    Ordering::Equal => DpuStatus::Equal,
                };
                (if ope == Op::Max { pa.max(pb) } else { pa.min(pb) }) as u32
            }
            Op::Sigm | Op::Tanh | Op::Exp | Op::Div => unit,
        };
        (if g.clear { 0 } else { res }, status)
    }
}
