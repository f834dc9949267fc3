// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output formatting and output select of the DPU (chapter 4, 5.4 and section 6).

use drra_fabric::{DpuOperation as Op, DpuStatus};
use drra_isa::instructions::{DpuIoChange, DpuMode as Mode};

use super::{
    control::{DpuSettings, FB, Registers},
    lanes::{absv, clamp, for_width, place, split},
    operands::select,
};

/// Lanes of both outputs that are saturated; bit i is lane i, counted from the low bits. All bits are 0 at an output
/// that the mode does not drive or does not saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaturatedLanes {
    /// Lanes with values above their range.
    pub above: [u8; 2],
    /// Lanes with values below their range.
    pub below: [u8; 2],
}

/// The outputs of the DPU in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct DpuOutputs {
    /// `out0`, `out1`.
    pub out: [u16; 2],
    /// Lanes that are saturated, before any absolute value is taken, as far as the mode saturates.
    pub clamped: SaturatedLanes,
}

/// An output word, and its lanes with values above and below their range.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FormattedOutput {
    pub(super) word: u16,
    above: u8,
    below: u8,
}

impl FormattedOutput {
    fn plain(word: u16) -> Self {
        Self { word, ..Self::default() }
    }

    fn absv(self, w: u32) -> Self {
        Self { word: absv(self.word, w), ..self }
    }
}

impl SaturatedLanes {
    /// Saturation of the outputs, only where it belongs to the function of the mode.
    fn of(mode: Mode, shown: [FormattedOutput; 2]) -> Self {
        let info = mode.info();
        let seen = |output: usize| info.saturates && info.outputs[output];
        let [first, second] =
            [0, 1].map(|k| if seen(k) { shown[k] } else { FormattedOutput::default() });
        Self { above: [first.above, second.above], below: [first.below, second.below] }
    }
}

impl Registers {
    /// `dpu_outputs` of section 8.
    pub(super) fn dpu_outputs(&self, g: &DpuSettings) -> DpuOutputs {
        let mode = self.instr.mode;
        let f = |ch| self.fmt(g, ch);
        let greater = |ch: usize| self.status[ch] == DpuStatus::Greater;
        let zero = FormattedOutput::default();
        let shown = match mode {
            Mode::Add
            | Mode::SumAcc
            | Mode::AddConst
            | Mode::Subt
            | Mode::Mult
            | Mode::MultAdd
            | Mode::MultConst
            | Mode::Mac
            | Mode::Axpy
            | Mode::MaxMinAcc
            | Mode::MaxMinConst
            | Mode::MaxMin
            | Mode::ShiftL
            | Mode::ShiftR
            | Mode::MacInter => [f(0), f(1)],
            Mode::SubtAbs => [f(0).absv(g.lw_o), f(1).absv(g.lw_o)],
            Mode::Sigm | Mode::Tanhyp | Mode::Expon => {
                [FormattedOutput::plain(self.acc[0] as u16), zero]
            }
            Mode::LkRelu => [if greater(0) { f(0) } else { f(1) }, zero],
            Mode::Relu => [0, 1].map(|ch| if greater(ch) { f(ch) } else { zero }),
            Mode::Div | Mode::DivSoftmax => [f(0), zero],
            Mode::AccSoftmax => [zero, f(1)],
            Mode::ScaleDw | Mode::ScaleUp => [FormattedOutput::plain(self.pack_reg), zero],
            Mode::Idle | Mode::Mode6 | Mode::LdIr | Mode::Mode15 | Mode::LdAcc | Mode::Mode31 => {
                [zero, zero]
            }
        };
        let out = shown.map(|shown| match g.cur_io {
            DpuIoChange::AbsOut => absv(shown.word, g.lw_o),
            _ => shown.word,
        });
        DpuOutputs { out, clamped: SaturatedLanes::of(mode, shown) }
    }

    /// `fmt` of section 8: the accumulator of a channel as an output word.
    pub(super) fn fmt(&self, g: &DpuSettings, ch: usize) -> FormattedOutput {
        let product = matches!(select(self.instr.mode)[ch].0, Op::Mul | Op::Mac);
        let scale = if g.fx && product { FB } else { 0 };
        for_width(g.lw_o, |w| {
            let mut out = FormattedOutput::default();
            for (v, k) in split(self.acc[ch], 2 * w, 16 / w).map(|v| v >> scale).zip(0..) {
                let shown = if g.sat { clamp(v, w) } else { v };
                out.word |= place(shown, k, w) as u16;
                out.above |= u8::from(v > shown) << k;
                out.below |= u8::from(v < shown) << k;
            }
            out
        })
    }
}
