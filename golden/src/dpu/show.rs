// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns the signals of a DPU to their identities (chapter 5, 7.4), and shows its work, for observers.

use drra_fabric::{
    DpuOperation as Op, SignalId,
    images::{DpuInstr, SeqDpu},
};
use drra_isa::instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode as Mode};

use super::{
    Dpu, DpuSignals,
    control::{DpuSettings, Registers},
    lanes::lane_width,
    operands::ChannelOperation,
    squash::pwl,
};
use crate::signals::SignalCollector;

/// The work of a DPU in its last cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuActivity {
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

impl Registers {
    /// The work of the DPU in a cycle; `None` if its mode is idle, and no instruction arrives or is launched.
    pub(super) fn work(&self, g: &DpuSettings, i: &SeqDpu, input: [u16; 4]) -> Option<DpuActivity> {
        let Self { instr: DpuInstr { mode, control, .. }, bw_reg, ir, .. } = *self;
        let works = !mode.info().is_idle() || i.dpu_start || g.launch.is_some();
        let (io, cfg_bw) = (g.cur_io, i.cfg_bw);
        works.then_some(DpuActivity { mode, control, io, bw_reg, cfg_bw, input, ir })
    }
}

impl DpuSignals {
    /// Adds the signals of a cycle; `before` has its registers, and `input` are inputs 0 to 3.
    pub(crate) fn show(&self, input: &[u16], before: &Dpu, out: &mut SignalCollector<'_>) {
        let (s, mode, g) = (&before.registers, before.mode(), &self.in_force);
        for (operand, value) in input.iter().enumerate() {
            out.put_at(SignalId::DpuOperand, operand, *value);
        }
        out.put(SignalId::CondStatus, s.status[0].value());
        out.put(SignalId::DpuLaunch, g.launch.is_some());
        out.put(SignalId::DpuConst, g.cur_const);
        for (channel, task) in self.channels.iter().enumerate() {
            task.show(channel, out);
            out.put_at(SignalId::DpuAccOut, channel, s.acc[channel]);
            if mode == Mode::MaxMinAcc {
                // The new operands are compared with the formatted accumulators.
                out.put_at(SignalId::DpuFormat, channel, task.y);
            }
        }
        out.put(SignalId::DpuLanes, (16 / g.lw_c).ilog2());
        out.put(SignalId::DpuFx, g.fx);
        out.put(SignalId::DpuSat, g.sat);
        out.put(SignalId::DpuClear, g.clear);
        out.put(SignalId::DpuScaleDown, mode == Mode::ScaleDw);
        out.put(SignalId::DpuScaleUp, mode == Mode::ScaleUp);
        out.put(SignalId::DpuScaleLanes, (16 / lane_width(s.bw_reg)).ilog2());
        out.put(SignalId::PackRegOut, s.pack_reg);
        self.show_units(out);
        out.put(SignalId::DivP3Out, s.div[2]);
    }

    /// Non-linear unit and divider, which work on the operands of channel 0.
    fn show_units(&self, out: &mut SignalCollector<'_>) {
        let (op, x) = (self.ope[0], self.channels[0].x);
        out.put(SignalId::DpuOpe, op.value());
        let squashes = matches!(op, Op::Sigm | Op::Tanh | Op::Exp);
        out.put_some(SignalId::DpuSquash, 0, squashes.then(|| pwl(x as i16, op) as u16));
        if squashes || op == Op::Div {
            out.put(SignalId::DpuUnit, self.unit);
        }
        out.put(SignalId::DpuDividend, self.dividend as u16);
        out.put(SignalId::DpuDivisor, self.divisor as u32);
    }
}

impl ChannelOperation {
    fn show(&self, channel: usize, out: &mut SignalCollector<'_>) {
        out.put_at(SignalId::DpuOp, channel, self.op.value());
        out.put_at(SignalId::DpuX, channel, self.x);
        out.put_at(SignalId::DpuY, channel, self.y);
        out.put_at(SignalId::DpuAddendValid, channel, self.addend.is_some());
        out.put_some(SignalId::DpuAddend, channel, self.addend);
    }
}
