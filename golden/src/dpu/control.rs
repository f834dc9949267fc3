// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the DPU, and the settings in force in a cycle (chapter 4, section 3 and 4.1 to 4.3).

use drra_fabric::{
    DpuOperation, DpuStatus,
    images::{DpuCfg, DpuInstr, DpuSh, SeqDpu},
};
use drra_isa::instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode};

use super::lanes::lane_width;

/// Number of fraction bits of the fixed-point format Q4.11.
pub(super) const FB: u32 = 11;

/// Registers of section 3. `acc_cnt` is not among them: `cfg.acc_cnt` stays 0 here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    pub(super) sh: DpuSh,
    pub(super) cfg: DpuCfg,
    pub(super) acc: [u32; 2],
    pub(super) status: [DpuStatus; 2],
    pub(super) prev_op: [DpuOperation; 2],
    /// `ir0`, `ir1`.
    pub(super) ir: [u16; 2],
    pub(super) sm_reg: u32,
    /// `div_p1`, `div_p2`, `div_p3`.
    pub(super) div: [u32; 3],
    pub(super) pack_reg: u16,
    pub(super) pack_phase: u8,
}

/// The settings in force in a cycle, `dpu_control` of section 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct InForce {
    pub(super) mode: DpuMode,
    pub(super) control: DpuControl,
    pub(super) bw_reg: BwConfig,
    /// The instruction that is launched in this cycle.
    pub(super) launch: Option<DpuInstr>,
    pub(super) cur_const: u8,
    pub(super) cur_io: DpuIoChange,
    pub(super) lw_c: u32,
    pub(super) lw_o: u32,
    pub(super) fx: bool,
    pub(super) sat: bool,
}

impl Registers {
    /// Launch stage, operand width and number format of this cycle (4.1 to 4.3).
    #[inline]
    pub(super) fn in_force(&self, immediate: bool, i: &SeqDpu) -> InForce {
        let Registers { sh, cfg, .. } = self;
        let new = if i.dpu_start { i.instr } else { sh.sh_instr };
        let launch = (immediate && (i.dpu_start || sh.sh_valid)).then_some(new);
        let lanes = cfg.instr.mode.info().lanes;
        let width = |bw| if lanes { lane_width(bw) } else { 16 };
        let lw_o = width(i.cfg_bw);
        let DpuInstr { mode, control, .. } = cfg.instr;
        InForce {
            mode,
            control,
            bw_reg: cfg.bw_reg,
            launch,
            cur_const: launch.map_or(cfg.instr.cnst, |new| new.cnst),
            cur_io: launch.map_or(cfg.instr.io, |new| new.io),
            lw_c: width(cfg.bw_reg),
            lw_o,
            fx: lw_o == 16 && (control.code() & 1 == 1 || i.cfg_bw == BwConfig::Fx16),
            sat: control.code() & 2 == 2,
        }
    }
}
