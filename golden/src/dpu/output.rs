// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output formatting and output select of the DPU (chapter 4, 5.4 and section 6).

use drra_isa::{
    fabric::DpuStatus,
    instructions::{DpuIoChange, DpuMode as Mode},
};

use super::{
    Dpu, DpuInstruction, FB,
    lanes::{absolute, clamp, map2},
};
use crate::bits::sx;

impl Dpu {
    /// `out0`, `out1` of this cycle: combinational from registers, the launch and `cfg_bw`.
    #[inline]
    pub fn outputs(
        &self,
        immediate: bool,
        issued: Option<&DpuInstruction>,
        cfg_bw: u8,
    ) -> (u16, u16) {
        if !self.active {
            return (0, 0);
        }
        let f = |ch, product| self.format(ch, product, cfg_bw);
        let both = |product| (f(0, product), f(1, product));
        let w = self.lanes(cfg_bw);
        let greater = |ch: usize| self.status[ch] == DpuStatus::Greater;
        let (o0, o1) = match self.current.mode {
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
        let io = self.launched(immediate, issued).map_or(self.current.io, |i| i.io);
        if io == DpuIoChange::AbsOut { (absolute(o0, w), absolute(o1, w)) } else { (o0, o1) }
    }

    /// Accumulator of a channel as an output word; `product` if the mode's operation is one.
    pub(super) fn format(&self, ch: usize, product: bool, cfg_bw: u8) -> u16 {
        let w = self.lanes(cfg_bw);
        let sat = self.saturating();
        let scale = product && self.fixed_point(cfg_bw);
        if w == 16 {
            let v = sx(self.acc[ch].into(), 32) >> if scale { FB } else { 0 };
            return if sat { clamp(v, 16) as u16 } else { v as u16 };
        }
        map2(self.acc[ch], 0, 2 * w, w, 16 / w, |v, _| if sat { clamp(v, w) } else { v }) as u16
    }

    /// Channel whose accumulator an output shows, and whether its operation is a product, in a mode
    /// whose results saturate.
    fn shown(&self) -> [Option<(usize, bool)>; 2] {
        let mode = self.current.mode;
        let info = mode.info();
        if !info.saturates {
            return [None; 2];
        }
        let of = |output: usize| {
            let product = match mode {
                Mode::Mult | Mode::MultConst | Mode::Mac | Mode::Axpy | Mode::MacInter => true,
                Mode::MultAdd => output == 0,
                Mode::LkRelu => self.status[0] != DpuStatus::Greater,
                _ => false,
            };
            // The product of a leaky ReLU is on channel 1.
            let channel = if mode == Mode::LkRelu && product { 1 } else { output };
            info.outputs[output].then_some((channel, product))
        };
        [of(0), of(1)]
    }

    /// Lanes of the outputs of the current cycle that saturation replaces by a bound, before any
    /// absolute value is taken (5.4).
    pub fn clamped(&self, cfg_bw: u8) -> Clamped {
        let mut clamped = Clamped::default();
        if !self.saturating() {
            return clamped;
        }
        let w = self.lanes(cfg_bw);
        for (output, shown) in self.shown().into_iter().enumerate() {
            let Some((channel, product)) = shown else { continue };
            let acc = u64::from(self.acc[channel]);
            for lane in 0..16 / w {
                let scale = product && self.fixed_point(cfg_bw);
                let value = sx(acc >> (2 * w * lane), 2 * w) >> if scale { FB } else { 0 };
                clamped.above[output] |= u8::from(value > clamp(value, w)) << lane;
                clamped.below[output] |= u8::from(value < clamp(value, w)) << lane;
            }
        }
        clamped
    }
}

/// Lanes of both outputs that saturation replaces; bit i: lane i, counted from the low bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clamped {
    /// Values above the range of a lane.
    pub above: [u8; 2],
    /// Values below it.
    pub below: [u8; 2],
}
