// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output formatting and output select of the DPU (chapter 4, 5.4 and section 6).

use drra_fabric::DpuStatus;
use drra_isa::instructions::{DpuIoChange, DpuMode as Mode};

use super::{
    control::{FB, InForce, Registers},
    lanes::{absolute, clamp, map2},
};
use crate::bits::sx;

impl Registers {
    /// `out0`, `out1` of this cycle, `dpu_outputs` of section 8.
    #[inline]
    pub(super) fn outputs(&self, g: &InForce) -> [u16; 2] {
        let f = |ch, product| self.format(g, ch, product);
        let both = |product| (f(0, product), f(1, product));
        let w = g.lw_o;
        let greater = |ch: usize| self.status[ch] == DpuStatus::Greater;
        let (o0, o1) = match g.mode {
            Mode::Add
            | Mode::SumAcc
            | Mode::AddConst
            | Mode::Subt
            | Mode::MaxMinAcc
            | Mode::MaxMinConst
            | Mode::MaxMin
            | Mode::ShiftL
            | Mode::ShiftR => both(false),
            Mode::Mult | Mode::MultConst | Mode::Mac | Mode::Axpy | Mode::MacInter => both(true),
            Mode::MultAdd => (f(0, true), f(1, false)),
            Mode::SubtAbs => (absolute(f(0, false), w), absolute(f(1, false), w)),
            Mode::Sigm | Mode::Tanhyp | Mode::Expon => (self.acc[0] as u16, 0),
            Mode::LkRelu => (if greater(0) { f(0, false) } else { f(1, true) }, 0),
            Mode::Relu => {
                (if greater(0) { f(0, false) } else { 0 }, if greater(1) { f(1, false) } else { 0 })
            }
            Mode::Div | Mode::DivSoftmax => (f(0, false), 0),
            Mode::AccSoftmax => (0, f(1, false)),
            Mode::ScaleDw | Mode::ScaleUp => (self.pack_reg, 0),
            Mode::Idle | Mode::Mode6 | Mode::LdIr | Mode::Mode15 | Mode::LdAcc | Mode::Mode31 => {
                (0, 0)
            }
        };
        match g.cur_io {
            DpuIoChange::AbsOut => [absolute(o0, w), absolute(o1, w)],
            _ => [o0, o1],
        }
    }

    /// `fmt` of 5.4: the accumulator of a channel as an output word; `product` is true if the mode's operation is a
    /// product.
    pub(super) fn format(&self, g: &InForce, ch: usize, product: bool) -> u16 {
        let (w, acc) = (g.lw_o, self.acc[ch]);
        if w == 16 {
            let v = sx(acc.into(), 32) >> if product && g.fx { FB } else { 0 };
            return if g.sat { clamp(v, 16) as u16 } else { v as u16 };
        }
        map2(acc, 0, 2 * w, w, 16 / w, |v, _| if g.sat { clamp(v, w) } else { v }) as u16
    }
}
