// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data processing unit (chapter 4). Arithmetic is on `i64` with explicit truncation and saturation.
//!
//! `control` has the registers and the settings in force, `operands` selects the operands of the channels, `channel`
//! executes their operations, and `output` formats the accumulators. `squash` evaluates the non-linear functions from a
//! table; `divider` and `scaler` are the units of these names. `lanes` has the arithmetic on parts of words.

mod channel;
pub(crate) mod control;
mod divider;
mod lanes;
mod operands;
pub(crate) mod output;
mod scaler;
pub(crate) mod show;
pub(crate) mod squash;

use drra_fabric::{
    DpuOperation, GroupId, GroupOffsets,
    images::{DpuCfg, DpuInstr, DpuSh, SeqDpu},
};
use drra_isa::instructions::{BwConfig, DpuMode};

use self::{
    control::{DpuSettings, Registers},
    divider::divide,
    operands::{ChannelOperation, Operand},
    output::DpuOutputs,
    show::DpuActivity,
};
use crate::idle::Clocked;

/// The DPU of one cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dpu {
    registers: Registers,
    /// Counts in every cycle, so it is the free-running counter of the block.
    acc_cnt: u8,
    pub(crate) signals: DpuSignals,
}

/// The inputs of the DPU in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DpuInputs {
    /// `immediate` of the sequencer.
    pub immediate: bool,
    /// Outputs of the sequencer.
    pub issue: SeqDpu,
    /// The result of [`Dpu::dpu_control`] for both.
    pub in_force: DpuSettings,
    /// Inputs 0 to 3.
    pub input: [u16; 4],
}

/// Signals of the DPU in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct DpuSignals {
    in_force: DpuSettings,
    channels: [ChannelOperation; 2],
    /// The operations that the channels execute.
    ope: [DpuOperation; 2],
    /// Result of the non-linear unit or the divider.
    unit: u32,
    dividend: i64,
    divisor: i64,
    pub(crate) work: Option<DpuActivity>,
}

impl Dpu {
    /// A DPU in reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// `dpu_control` of section 8.
    pub fn dpu_control(&self, immediate: bool, i: &SeqDpu) -> DpuSettings {
        self.registers.dpu_control(self.acc_cnt, immediate, i)
    }

    /// `dpu_outputs` of section 8.
    pub fn dpu_outputs(&self, g: &DpuSettings) -> DpuOutputs {
        self.registers.dpu_outputs(g)
    }

    /// Writes the configuration with `acc_cnt` into the image of a cell.
    pub(crate) fn pack_count(&self, slots: &GroupOffsets, image: &mut [u64]) {
        let Registers { instr, bw_reg, .. } = self.registers;
        image[slots.of(GroupId::DpuCfg)] = DpuCfg { instr, bw_reg, acc_cnt: self.acc_cnt }.pack();
    }

    /// Writes the other registers into the image of a cell.
    pub(crate) fn pack(&self, slots: &GroupOffsets, image: &mut [u64]) {
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
    pub fn cond_status(&self) -> u8 {
        self.registers.status[0] as u8
    }

    /// `acc_cnt`.
    pub fn acc_cnt(&self) -> u8 {
        self.acc_cnt
    }

    /// The mode in force.
    pub fn mode(&self) -> DpuMode {
        self.registers.instr.mode
    }

    /// The instruction waiting in the shadow register.
    pub fn shadow(&self) -> Option<&DpuInstr> {
        self.registers.sh.sh_valid.then_some(&self.registers.sh.sh_instr)
    }
}

impl Clocked for Dpu {
    type Inputs = DpuInputs;

    /// `dpu_next` of section 8.
    fn next(&mut self, inputs: &DpuInputs) -> bool {
        let DpuInputs { immediate, issue, in_force: g, input } = inputs;
        let s = self.registers;
        let mode = s.instr.mode;
        let n = &mut self.registers;

        let channels = s.dpu_operands(g, *input);
        let executed = |ch: usize| match channels[ch].op {
            DpuOperation::Idle => s.prev_op[ch],
            op => op,
        };
        let ope = [executed(0), executed(1)];
        let (unit, dividend, divisor) = s.dpu_unit(ope[0], channels[0].x, channels[0].y);
        for ch in 0..2 {
            (n.acc[ch], n.status[ch]) = s.dpu_channel(g, ch, ope[ch], &channels[ch], [unit, 0][ch]);
            n.prev_op[ch] = channels[ch].op;
        }
        self.acc_cnt = g.acc_cnt(self.acc_cnt);
        if mode == DpuMode::LdIr {
            n.ir = [Operand::X0, Operand::X2].map(|name| s.operand(g, *input, name));
        }
        if mode == DpuMode::AccSoftmax {
            n.sm_reg = s.acc[1];
        }
        n.div = [divide(dividend, divisor), s.div[0], s.div[1]];
        (n.pack_reg, n.pack_phase) = s.dpu_scaler(g, input[0]);
        if let Some(new) = g.launch {
            n.instr = new;
        }
        if *immediate {
            n.sh = DpuSh::default();
        } else if issue.dpu_start {
            n.sh = DpuSh { sh_valid: true, sh_instr: issue.instr };
        }
        n.bw_reg = match issue.cfg_bw {
            BwConfig::Fx16 => BwConfig::Int16,
            other => other,
        };
        self.signals = DpuSignals {
            in_force: *g,
            channels,
            ope,
            unit,
            dividend,
            divisor,
            work: s.work(g, issue, *input),
        };
        self.registers != s || g.hit
    }

    fn counts(&self) -> bool {
        // Everything in force but `hit` is that of the last cycle.
        !self.registers.hit(self.acc_cnt, self.signals.in_force.cur_const)
    }

    fn count(&mut self) {
        self.acc_cnt = self.signals.in_force.acc_cnt(self.acc_cnt);
    }
}
