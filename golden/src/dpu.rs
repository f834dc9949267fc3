// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data processing unit (chapter 4). Arithmetic is on `i64` with explicit rounding and saturation.
//!
//! `operands` selects what the channels work on, `channel` executes their operations, `output`
//! formats the accumulators. Beside them work `squash`, the table of the non-linear functions,
//! `divider` and `scaler`. `lanes` has the arithmetic on parts of words.

mod channel;
mod divider;
mod lanes;
mod operands;
mod output;
mod scaler;
mod squash;
mod wires;

use drra_isa::{
    fabric::{
        DpuOperation, DpuStatus, GroupId,
        images::{DpuCfg, DpuInstr, DpuSh},
    },
    instructions::{BwConfig, DpuIoChange, DpuMode},
};

use crate::{observe::DpuWork, rest};

use self::{channel::Arithmetic, lanes::lane_width, operands::conditioned};
pub use self::{
    output::Clamped,
    squash::{Squash, squash},
};

/// Fraction bits of the fixed-point format Q4.11.
const FB: u32 = 11;

/// Fields of a DPU instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuInstruction {
    /// Operation.
    pub mode: DpuMode,
    /// Bit 1 saturation, bit 0 fixed point.
    pub control: u8,
    /// Accumulation count or 8-bit immediate.
    pub acc_clear: u8,
    /// Change of operands or results.
    pub io: DpuIoChange,
}

impl DpuInstruction {
    /// As it is in registers.
    pub(crate) fn image(&self) -> DpuInstr {
        let (mode, io) = (self.mode.code(), self.io.code());
        DpuInstr { mode, control: self.control, cnst: self.acc_clear, io }
    }
}

/// The DPU of one cell.
#[derive(Clone, Debug, Default)]
pub struct Dpu {
    shadow: Option<DpuInstruction>,
    current: DpuInstruction,
    bw_reg: u8,
    acc_cnt: u8,
    acc: [u32; 2],
    status: [DpuStatus; 2],
    prev_op: [DpuOperation; 2],
    ir: [u16; 2],
    sm_reg: u32,
    div: [u32; 3],
    pack_reg: u16,
    pack_phase: u8,
    /// Properties of the mode in force, not registers: it works on lanes; `acc_clear` counts in it;
    /// it does something.
    lane_mode: bool,
    counting: bool,
    active: bool,
    /// Not registers: what the last cycle worked on.
    work: Option<DpuWork>,
}

impl Dpu {
    /// A DPU in reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// `cond_status`: 0 less, 1 greater, 2 equal.
    #[inline]
    pub fn cond_status(&self) -> u8 {
        self.status[0] as u8
    }

    /// The mode in force.
    #[inline]
    pub fn mode(&self) -> DpuMode {
        self.current.mode
    }

    /// True if an instruction waits in the shadow register.
    #[inline]
    pub fn waiting(&self) -> bool {
        self.shadow.is_some()
    }

    /// The instruction that waits in the shadow register.
    #[inline]
    pub fn shadow(&self) -> Option<&DpuInstruction> {
        self.shadow.as_ref()
    }

    /// What the last cycle worked on; `None` if the DPU was at rest.
    #[inline]
    pub fn work(&self) -> Option<&DpuWork> {
        self.work.as_ref()
    }

    /// The instruction launched in this cycle, if one is.
    fn launched(&self, immediate: bool, issued: Option<&DpuInstruction>) -> Option<DpuInstruction> {
        if immediate { issued.copied().or(self.shadow) } else { None }
    }

    /// Lane width of arithmetic (`bw_reg`) or output formatting (`cfg_bw`).
    fn lanes(&self, bw: u8) -> u32 {
        if self.lane_mode { lane_width(bw) } else { 16 }
    }

    fn fixed_point(&self, cfg_bw: u8) -> bool {
        self.lanes(cfg_bw) == 16
            && (self.current.control & 1 == 1 || cfg_bw == BwConfig::Fx16.code())
    }

    fn saturating(&self) -> bool {
        self.current.control & 2 == 2
    }

    /// True if in the mode in force nothing but the cycle count can change and both outputs are 0,
    /// as long as nothing is launched: it is an idle one (section 7), its tail cycle (5.3) is over, and the divider
    /// (section 10) is empty.
    #[inline]
    fn rests(&self) -> bool {
        rest::allowed()
            && !self.active
            && self.prev_op == [DpuOperation::Idle; 2]
            && self.acc == [0; 2]
            && self.div == [0; 3]
            && self.pack_phase == 0
    }

    /// Executes the edge of a cycle in which it rests: `acc_cnt` counts in every cycle (5.5).
    #[inline]
    pub(crate) fn rest(&mut self) {
        self.acc_cnt = self.acc_cnt.wrapping_add(1);
    }

    /// Executes the edge that ends a cycle with these operands. Returns whether any register
    /// besides the cycle count may have changed.
    pub fn step(
        &mut self,
        immediate: bool,
        issued: Option<&DpuInstruction>,
        cfg_bw: u8,
        input: [u16; 4],
    ) -> bool {
        let next_bw = match BwConfig::from_bits(cfg_bw.into()) {
            BwConfig::Fx16 => BwConfig::Int16.code(),
            other => other.code(),
        };
        let launch = self.launched(immediate, issued);
        if launch.is_none() && issued.is_none() && self.bw_reg == next_bw && self.rests() {
            self.rest();
            self.work = None;
            return false;
        }

        let now = self.current;
        let constant = launch.map_or(now.acc_clear, |i| i.acc_clear);
        let io = launch.map_or(now.io, |i| i.io);
        let DpuInstruction { mode, control, .. } = now;
        let (bw_reg, ir) = (self.bw_reg, self.ir);
        self.work = Some(DpuWork { mode, control, io, bw_reg, cfg_bw, input, ir });
        let w = self.lanes(self.bw_reg);
        let how = Arithmetic { w, fx: self.fixed_point(cfg_bw), sat: self.saturating() };
        let x = conditioned(input, io, w);
        let tasks = self.tasks(input, x, constant, w, cfg_bw);
        let ops = [self.executed(0, tasks[0].op), self.executed(1, tasks[1].op)];
        let acc = [self.channel(0, ops[0], tasks[0], how), self.channel(1, ops[1], tasks[1], how)];
        self.divide(ops[0], tasks[0].x, tasks[0].y);
        match now.mode {
            DpuMode::LdIr => self.ir = [x[0], x[2]],
            DpuMode::AccSoftmax => self.sm_reg = self.acc[1],
            _ => {}
        }
        self.scale(input[0], constant, launch.is_some());

        // Accumulators and their count.
        let hit = self.counting && constant != 0 && self.acc_cnt == constant;
        let clear = hit || launch.is_some() && now.mode != DpuMode::LdAcc;
        self.acc = if clear { [0; 2] } else { acc };
        self.acc_cnt = if launch.is_some() || hit { 0 } else { self.acc_cnt.wrapping_add(1) };

        self.launch(immediate, issued, launch);
        self.bw_reg = next_bw;
        true
    }

    /// Launch stage (4.1): executes the edge of the instruction in force and of the waiting one.
    #[inline]
    fn launch(
        &mut self,
        immediate: bool,
        issued: Option<&DpuInstruction>,
        launch: Option<DpuInstruction>,
    ) {
        if let Some(new) = launch {
            self.current = new;
            let info = new.mode.info();
            self.lane_mode = info.lanes;
            self.counting = info.counts;
            self.active = !info.is_idle();
        }
        if immediate {
            self.shadow = None;
        } else if let Some(new) = issued {
            self.shadow = Some(*new);
        }
    }

    /// `{sh_valid, sh_mode, sh_control, sh_const, sh_io}`.
    pub fn shadow_word(&self) -> u64 {
        self.shadow.map_or(0, |i| DpuSh { sh_valid: true, sh_instr: i.image() }.pack())
    }

    /// `{mode_reg, control_reg, const_reg, io_reg, bw_reg, acc_cnt}`.
    #[inline]
    pub fn config_word(&self) -> u64 {
        let instr = self.current.image();
        DpuCfg { instr, bw_reg: self.bw_reg, acc_cnt: self.acc_cnt }.pack()
    }

    /// Registers that stand alone, each with its channel, which is 0 where there is one register for both.
    #[inline]
    pub fn data_words(&self) -> [(GroupId, usize, u64); 14] {
        let [acc_0, acc_1] = self.acc.map(u64::from);
        let [status_0, status_1] = self.status.map(DpuStatus::value);
        let [op_0, op_1] = self.prev_op.map(DpuOperation::value);
        [
            (GroupId::DpuAcc, 0, acc_0),
            (GroupId::DpuAcc, 1, acc_1),
            (GroupId::DpuStatus, 0, status_0),
            (GroupId::DpuStatus, 1, status_1),
            (GroupId::DpuPrevOp, 0, op_0),
            (GroupId::DpuPrevOp, 1, op_1),
            (GroupId::DpuIr0, 0, self.ir[0].into()),
            (GroupId::DpuIr1, 0, self.ir[1].into()),
            (GroupId::DpuSmReg, 0, self.sm_reg.into()),
            (GroupId::DpuDivP1, 0, self.div[0].into()),
            (GroupId::DpuDivP2, 0, self.div[1].into()),
            (GroupId::DpuDivP3, 0, self.div[2].into()),
            (GroupId::DpuPackReg, 0, self.pack_reg.into()),
            (GroupId::DpuPackPhase, 0, self.pack_phase.into()),
        ]
    }
}
