// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data processing unit (chapter 4). Arithmetic is on `i64` with explicit rounding and saturation.
//!
//! `control` has the registers and the settings in force, `operands` selects the operands of the channels, `channel`
//! executes their operations, and `output` formats the accumulators. `squash` evaluates the non-linear functions from a
//! table; `divider` and `scaler` are the units of these names. `lanes` has the arithmetic on parts of words.

mod channel;
pub(crate) mod control;
mod divider;
mod lanes;
mod operands;
mod output;
mod scaler;
pub(crate) mod show;
pub(crate) mod squash;

use drra_fabric::{
    DpuOperation, GroupId, Slots,
    images::{DpuCfg, DpuInstr, DpuSh, SeqDpu},
};
use drra_isa::instructions::{BwConfig, DpuMode};

use self::{
    control::{InForce, Registers},
    divider::divide,
    operands::{Task, conditioned},
};
use crate::idle::Clocked;

/// The DPU of one cell. `acc_cnt` changes in almost every cycle. It is kept separate, with [`Dpu::hit`] as an input, so
/// that a DPU in which only the count changes is skipped as idle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dpu {
    registers: Registers,
    acc_cnt: u8,
}

/// The inputs of the DPU in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuInputs {
    /// `immediate` of the sequencer.
    pub immediate: bool,
    /// Outputs of the sequencer.
    pub issue: SeqDpu,
    /// Inputs 0 to 3.
    pub input: [u16; 4],
    /// The count has reached the constant of a counting mode; see [`Dpu::hit`].
    pub hit: bool,
}

/// Signals of the DPU in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct DpuSignals {
    /// The settings in force.
    pub in_force: InForce,
    /// `ir0`, `ir1` before the edge.
    ir: [u16; 2],
    tasks: [Task; 2],
    /// The operations that the channels execute.
    ope: [DpuOperation; 2],
    /// Dividend and divisor.
    division: (i64, i64),
    clear: bool,
    /// The count of cycles restarts.
    restarts: bool,
    next: Registers,
}

impl Dpu {
    /// A DPU in reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// `dpu_control` of section 8.
    #[inline]
    pub fn in_force(&self, immediate: bool, i: &SeqDpu) -> InForce {
        self.registers.in_force(immediate, i)
    }

    /// `dpu_outputs` of section 8: `out0`, `out1` of this cycle.
    #[inline]
    pub fn outputs(&self, g: &InForce) -> [u16; 2] {
        self.registers.outputs(g)
    }

    /// True if the count has reached the constant of a counting mode, and the constant is not 0 (5.5).
    #[inline]
    pub fn hit(&self, g: &InForce) -> bool {
        g.mode.info().counts && g.cur_const != 0 && self.acc_cnt == g.cur_const
    }

    /// The edge of the count of cycles (5.5).
    #[inline]
    pub fn count(&mut self, s: &DpuSignals) {
        self.acc_cnt = if s.restarts { 0 } else { self.acc_cnt.wrapping_add(1) };
    }

    /// Writes the configuration with the count into the image of a cell.
    #[inline]
    pub(crate) fn pack_count(&self, slots: &Slots, image: &mut [u64]) {
        let cfg = DpuCfg { acc_cnt: self.acc_cnt, ..self.registers.cfg };
        image[slots.of(GroupId::DpuCfg)] = cfg.pack();
    }

    /// Writes the other registers into the image of a cell.
    #[inline]
    pub(crate) fn pack(&self, slots: &Slots, image: &mut [u64]) {
        let s = &self.registers;
        let mut put = |group, k: usize, word| image[slots.of(group) + k] = word;
        put(GroupId::DpuSh, 0, s.sh.pack());
        for ch in 0..2 {
            put(GroupId::DpuAcc, ch, s.acc[ch].into());
            put(GroupId::DpuStatus, ch, s.status[ch].value());
            put(GroupId::DpuPrevOp, ch, s.prev_op[ch].value());
        }
        put(GroupId::DpuIr0, 0, s.ir[0].into());
        put(GroupId::DpuIr1, 0, s.ir[1].into());
        put(GroupId::DpuSmReg, 0, s.sm_reg.into());
        put(GroupId::DpuDivP1, 0, s.div[0].into());
        put(GroupId::DpuDivP2, 0, s.div[1].into());
        put(GroupId::DpuDivP3, 0, s.div[2].into());
        put(GroupId::DpuPackReg, 0, s.pack_reg.into());
        put(GroupId::DpuPackPhase, 0, s.pack_phase.into());
    }

    /// `cond_status`: 0 less, 1 greater, 2 equal.
    #[inline]
    pub fn cond_status(&self) -> u8 {
        self.registers.status[0] as u8
    }

    /// The mode in force.
    #[inline]
    pub fn mode(&self) -> DpuMode {
        self.registers.cfg.instr.mode
    }

    /// The instruction waiting in the shadow register.
    #[inline]
    pub fn shadow(&self) -> Option<&DpuInstr> {
        self.registers.sh.sh_valid.then_some(&self.registers.sh.sh_instr)
    }
}

impl Clocked for Dpu {
    type Inputs<'a> = DpuInputs;
    type Kept = DpuInputs;
    type Signals = DpuSignals;

    #[inline]
    fn keep(inputs: &DpuInputs) -> DpuInputs {
        *inputs
    }

    /// `dpu_next` of section 8. `out.in_force` is an input as well: the cell has set it, because [`Self::outputs`]
    /// needs it first.
    #[inline]
    fn eval(&self, inputs: &DpuInputs, out: &mut DpuSignals) {
        let DpuInputs { immediate, issue: i, input, hit } = *inputs;
        let (s, g, n) = (&self.registers, &out.in_force, &mut out.next);
        *n = *s;
        out.ir = s.ir;

        // Stages A and B, operand select.
        let x = conditioned(input, g.cur_io, g.lw_c);
        let tasks = s.tasks(g, input, x);
        let executed = |ch: usize| match tasks[ch].op {
            DpuOperation::Idle => s.prev_op[ch],
            op => op,
        };
        let ope = [executed(0), executed(1)];
        (out.tasks, out.ope) = (tasks, ope);

        // Stage C.
        for ch in 0..2 {
            (n.acc[ch], n.status[ch]) = s.channel(g, ch, ope[ch], &tasks[ch]);
            n.prev_op[ch] = tasks[ch].op;
        }

        // Clearing (5.5).
        let clear = hit || g.launch.is_some() && g.mode != DpuMode::LdAcc;
        if clear {
            n.acc = [0; 2];
        }
        out.clear = clear;
        out.restarts = g.launch.is_some() || hit;

        // Internal registers (5.6), divider, scaler.
        match g.mode {
            DpuMode::LdIr => n.ir = [x[0], x[2]],
            DpuMode::AccSoftmax => n.sm_reg = s.acc[1],
            _ => {}
        }
        out.division = s.division(ope[0], tasks[0].x, tasks[0].y);
        n.div = [divide(out.division.0, out.division.1), s.div[0], s.div[1]];
        (n.pack_reg, n.pack_phase) = s.scaled(g, input[0]);

        // Launch stage (4.1).
        if let Some(new) = g.launch {
            n.cfg.instr = new;
        }
        if immediate {
            n.sh = DpuSh::default();
        } else if i.dpu_start {
            n.sh = DpuSh { sh_valid: true, sh_instr: i.instr };
        }
        n.cfg.bw_reg = match i.cfg_bw {
            BwConfig::Fx16 => BwConfig::Int16,
            other => other,
        };
    }

    /// The edge of everything except the count. Returns whether anything has changed.
    #[inline]
    fn commit(&mut self, s: &DpuSignals) -> bool {
        let changed = self.registers != s.next;
        self.registers = s.next;
        changed
    }
}
