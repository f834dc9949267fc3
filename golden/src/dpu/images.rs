// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the DPU as words (chapter 5, 7.1).

use drra_isa::fabric::DpuOperation;
use drra_isa::fabric::DpuStatus;
use drra_isa::fabric::GroupId;
use drra_isa::fabric::images::DpuCfg;
use drra_isa::fabric::images::DpuInstr;
use drra_isa::fabric::images::DpuSh;

use super::Dpu;
use super::DpuInstruction;

impl DpuInstruction {
    /// As it is in registers.
    pub(crate) fn image(&self) -> DpuInstr {
        let (mode, io) = (self.mode.code(), self.io.code());
        DpuInstr { mode, control: self.control, cnst: self.acc_clear, io }
    }
}

impl Dpu {
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
