// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a DPU (chapter 4, 5.1).

use drra_isa::{
    fabric::{DpuOperation as Op, SignalId},
    instructions::DpuMode as Mode,
};

use super::{
    Dpu, DpuInstruction, conditioned, lane_width,
    operands::Task,
    squash::{Squash, squash},
};
use crate::wires::Wires;

impl Dpu {
    /// Puts the signals of this cycle; `input` is what is on the inputs.
    pub(crate) fn wires(
        &self,
        immediate: bool,
        issued: Option<&DpuInstruction>,
        cfg_bw: u8,
        input: [u16; 4],
        out: &mut Wires<'_>,
    ) {
        let now = self.current;
        let launch = self.launched(immediate, issued);
        let constant = launch.map_or(now.acc_clear, |i| i.acc_clear);
        let io = launch.map_or(now.io, |i| i.io);
        let lanes = self.lanes(self.bw_reg);
        let tasks = self.tasks(input, conditioned(input, io, lanes), constant, lanes, cfg_bw);
        let hit = self.counting && constant != 0 && self.acc_cnt == constant;
        let clear = hit || launch.is_some() && now.mode != Mode::LdAcc;
        out.put(SignalId::CondStatus, self.cond_status());
        out.put(SignalId::DpuLaunch, launch.is_some());
        out.put(SignalId::DpuConst, constant);
        for (channel, task) in tasks.iter().enumerate() {
            task.wires(channel, out);
            out.put_at(SignalId::DpuAccOut, channel, self.acc[channel]);
            if now.mode == Mode::MaxMinAcc {
                out.put_at(SignalId::DpuFormat, channel, self.format(channel, false, cfg_bw));
            }
        }
        out.put(SignalId::DpuLanes, (16 / lanes).ilog2());
        out.put(SignalId::DpuFx, self.fixed_point(cfg_bw));
        out.put(SignalId::DpuSat, self.saturating());
        out.put(SignalId::DpuClear, clear);
        out.put(SignalId::DpuScaleDown, now.mode == Mode::ScaleDw);
        out.put(SignalId::DpuScaleUp, now.mode == Mode::ScaleUp);
        out.put(SignalId::DpuScaleLanes, (16 / lane_width(self.bw_reg)).ilog2());
        out.put(SignalId::PackRegOut, self.pack_reg);
        self.unit_wires(tasks[0], out);
    }

    /// Non-linear unit and divider, which work on the operands of channel 0.
    fn unit_wires(&self, task: Task, out: &mut Wires<'_>) {
        let op = if task.op == Op::Idle { self.prev_op[0] } else { task.op };
        out.put(SignalId::DpuOpe, op.value());
        let function = match op {
            Op::Sigm => Some(Squash::Sigmoid),
            Op::Tanh => Some(Squash::Tanh),
            Op::Exp => Some(Squash::Exp),
            _ => None,
        };
        if let Some(function) = function {
            let value = squash(task.x as i16, function);
            out.put(SignalId::DpuSquash, value as u16);
        }
        // What such an operation leaves in the accumulator is what the unit gives.
        if function.is_some() || op == Op::Div {
            let how = super::Arithmetic { w: 16, fx: false, sat: false };
            let given = self.clone().channel(0, op, task, how);
            out.put(SignalId::DpuUnit, given);
        }
        let (dividend, divisor) = self.division(op, task.x, task.y);
        out.put(SignalId::DpuDividend, dividend as u16);
        out.put(SignalId::DpuDivisor, divisor as u32);
        out.put(SignalId::DivP3Out, self.div[2]);
    }
}

impl Task {
    fn wires(&self, channel: usize, out: &mut Wires<'_>) {
        out.put_at(SignalId::DpuOp, channel, self.op.value());
        out.put_at(SignalId::DpuX, channel, self.x);
        out.put_at(SignalId::DpuY, channel, self.y);
        out.put_at(SignalId::DpuAddendValid, channel, self.addend.is_some());
        if let Some(addend) = self.addend {
            out.put_at(SignalId::DpuAddend, channel, addend);
        }
    }
}
