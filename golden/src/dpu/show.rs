// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns the signals of a DPU to their identities (chapter 5, 7.4), and shows its work, for observers.

use drra_fabric::{DpuOperation as Op, DpuStatus, SignalId, images::SeqDpu};
use drra_isa::instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode as Mode};

use super::{
    Dpu, DpuInputs, DpuSignals,
    control::FB,
    lanes::{clamp, lane_width},
    operands::Task,
    squash::pwl,
};
use crate::{bits::sx, signals::Shown};

/// The work of a DPU in its last cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuWork {
    /// The mode in force.
    pub mode: Mode,
    /// `control` of the instruction in force.
    pub control: DpuControl,
    /// `io_change` in this cycle; in a launch cycle, already the new value.
    pub io: DpuIoChange,
    /// Lane width in force for operands (`bw_reg`).
    pub bw_reg: BwConfig,
    /// Lane width requested by BW (`cfg_bw`).
    pub cfg_bw: BwConfig,
    /// Inputs 0 to 3 before any negation.
    pub input: [u16; 4],
    /// Constant registers before the edge.
    pub ir: [u16; 2],
}

/// Lanes of both outputs that are saturated; bit i is lane i, counted from the low bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clamped {
    /// Lanes with values above their range.
    pub above: [u8; 2],
    /// Lanes with values below their range.
    pub below: [u8; 2],
}

impl Dpu {
    /// For each output of a mode with saturating results: the channel whose accumulator the output shows, and whether
    /// the operation of the channel is a product.
    fn clampable(&self) -> [Option<(usize, bool)>; 2] {
        let mode = self.mode();
        let info = mode.info();
        if !info.saturates {
            return [None; 2];
        }
        let of = |output: usize| {
            let product = match mode {
                Mode::Mult | Mode::MultConst | Mode::Mac | Mode::Axpy | Mode::MacInter => true,
                Mode::MultAdd => output == 0,
                Mode::LkRelu => self.registers.status[0] != DpuStatus::Greater,
                _ => false,
            };
            // The product of a leaky ReLU is on channel 1.
            let channel = if mode == Mode::LkRelu && product { 1 } else { output };
            info.outputs[output].then_some((channel, product))
        };
        [of(0), of(1)]
    }

    /// Lanes of the outputs that are saturated in the current cycle, before any absolute value is taken (5.4).
    pub fn clamped(&self, cfg_bw: BwConfig) -> Clamped {
        let g = self.in_force(false, &SeqDpu { cfg_bw, ..SeqDpu::default() });
        let mut clamped = Clamped::default();
        if !g.sat {
            return clamped;
        }
        let w = g.lw_o;
        for (output, shown) in self.clampable().into_iter().enumerate() {
            let Some((channel, product)) = shown else { continue };
            let acc = u64::from(self.registers.acc[channel]);
            for lane in 0..16 / w {
                let shift = if product && g.fx { FB } else { 0 };
                let value = sx(acc >> (2 * w * lane), 2 * w) >> shift;
                clamped.above[output] |= u8::from(value > clamp(value, w)) << lane;
                clamped.below[output] |= u8::from(value < clamp(value, w)) << lane;
            }
        }
        clamped
    }
}

impl DpuSignals {
    /// The work of the DPU with these inputs; `None` if its mode is idle, no instruction arrives or is launched, and
    /// nothing but the cycle count changes (`changed` is false).
    #[inline]
    pub(crate) fn work(&self, i: &DpuInputs, changed: bool) -> Option<DpuWork> {
        let g = &self.in_force;
        if g.mode.info().is_idle() && !i.issue.dpu_start && g.launch.is_none() && !changed {
            return None;
        }
        Some(DpuWork {
            mode: g.mode,
            control: g.control,
            io: g.cur_io,
            bw_reg: g.bw_reg,
            cfg_bw: i.issue.cfg_bw,
            input: i.input,
            ir: self.ir,
        })
    }

    /// Adds the signals of the cycle with these inputs; `before` has its registers.
    pub(crate) fn show(&self, i: &DpuInputs, before: &Dpu, out: &mut Shown<'_>) {
        let (s, g) = (&before.registers, &self.in_force);
        for (operand, value) in i.input.iter().enumerate() {
            out.put_at(SignalId::DpuOperand, operand, *value);
        }
        out.put(SignalId::CondStatus, s.status[0].value());
        out.put(SignalId::DpuLaunch, g.launch.is_some());
        out.put(SignalId::DpuConst, g.cur_const);
        for (channel, task) in self.tasks.iter().enumerate() {
            task.show(channel, out);
            out.put_at(SignalId::DpuAccOut, channel, s.acc[channel]);
            if g.mode == Mode::MaxMinAcc {
                // The new operands are compared with the formatted accumulators.
                out.put_at(SignalId::DpuFormat, channel, task.y);
            }
        }
        out.put(SignalId::DpuLanes, (16 / g.lw_c).ilog2());
        out.put(SignalId::DpuFx, g.fx);
        out.put(SignalId::DpuSat, g.sat);
        out.put(SignalId::DpuClear, self.clear);
        out.put(SignalId::DpuScaleDown, g.mode == Mode::ScaleDw);
        out.put(SignalId::DpuScaleUp, g.mode == Mode::ScaleUp);
        out.put(SignalId::DpuScaleLanes, (16 / lane_width(g.bw_reg)).ilog2());
        out.put(SignalId::PackRegOut, s.pack_reg);
        self.show_units(before, out);
    }

    /// Non-linear unit and divider, which work on the operands of channel 0.
    fn show_units(&self, before: &Dpu, out: &mut Shown<'_>) {
        let (op, x) = (self.ope[0], self.tasks[0].x);
        out.put(SignalId::DpuOpe, op.value());
        let squashes = matches!(op, Op::Sigm | Op::Tanh | Op::Exp);
        out.put_some(SignalId::DpuSquash, 0, squashes.then(|| pwl(x as i16, op) as u16));
        if squashes || op == Op::Div {
            out.put(SignalId::DpuUnit, before.registers.unit(op, x));
        }
        out.put(SignalId::DpuDividend, self.division.0 as u16);
        out.put(SignalId::DpuDivisor, self.division.1 as u32);
        out.put(SignalId::DivP3Out, before.registers.div[2]);
    }
}

impl Task {
    fn show(&self, channel: usize, out: &mut Shown<'_>) {
        out.put_at(SignalId::DpuOp, channel, self.op.value());
        out.put_at(SignalId::DpuX, channel, self.x);
        out.put_at(SignalId::DpuY, channel, self.y);
        out.put_at(SignalId::DpuAddendValid, channel, self.addend.is_some());
        out.put_some(SignalId::DpuAddend, channel, self.addend);
    }
}
