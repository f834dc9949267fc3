// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the DPU as words (chapter 5, 7.1).

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

    /// Registers that stand alone: one value, or one for each channel.
    #[inline]
    pub fn data_words(&self) -> [(GroupId, [Option<u64>; 2]); 11] {
        let one = |value: u64| [Some(value), None];
        [
            (GroupId::DpuAcc, self.acc.map(|a| Some(a.into()))),
            (GroupId::DpuStatus, self.status.map(|s| Some(s.value()))),
            (GroupId::DpuPrevOp, self.prev_op.map(|op| Some(op.value()))),
            (GroupId::DpuIr0, one(self.ir[0].into())),
            (GroupId::DpuIr1, one(self.ir[1].into())),
            (GroupId::DpuSmReg, one(self.sm_reg.into())),
            (GroupId::DpuDivP1, one(self.div[0].into())),
            (GroupId::DpuDivP2, one(self.div[1].into())),
            (GroupId::DpuDivP3, one(self.div[2].into())),
            (GroupId::DpuPackReg, one(self.pack_reg.into())),
            (GroupId::DpuPackPhase, one(self.pack_phase.into())),
        ]
    }
}
