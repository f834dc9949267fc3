// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the DPU, and the settings in force in a cycle (chapter 4, section 3, 4.1 to 4.3, 5.5).

use drra_fabric::{
    DpuOperation, DpuStatus,
    images::{DpuInstr, DpuSh, SeqDpu},
};
use drra_isa::instructions::{BwConfig, DpuIoChange, DpuMode};

use super::lanes::lane_width;

/// Number of fraction bits of the fixed-point format Q4.11.
pub(super) const FB: u32 = 11;

/// Registers of section 3 except `acc_cnt`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Registers {
    /// First, because a comparison then finds most changes at once.
    pub(super) acc: [u32; 2],
    pub(super) sh: DpuSh,
    /// `mode_reg`, `control_reg`, `const_reg`, `io_reg`.
    pub(super) instr: DpuInstr,
    pub(super) bw_reg: BwConfig,
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

/// The settings in force in a cycle: the result of `dpu_control` of section 8.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DpuSettings {
    /// The instruction that is launched in this cycle.
    pub(super) launch: Option<DpuInstr>,
    pub(super) cur_const: u8,
    pub(super) cur_io: DpuIoChange,
    pub(super) lw_c: u32,
    pub(super) lw_o: u32,
    pub(super) fx: bool,
    pub(super) sat: bool,
    /// `acc_cnt` has reached the count in force.
    pub(super) hit: bool,
    /// The accumulators are cleared.
    pub(super) clear: bool,
}

/// `LANE` of section 8: modes that work on lanes.
fn has_lanes(mode: DpuMode) -> bool {
    use DpuMode::*;
    matches!(
        mode,
        Add | SumAcc
            | AddConst
            | Subt
            | SubtAbs
            | Mult
            | MultAdd
            | MultConst
            | Mac
            | LdIr
            | Axpy
            | LdAcc
            | MacInter
    )
}

/// `COUNTING` of section 8.
fn is_counting(mode: DpuMode) -> bool {
    matches!(mode, DpuMode::SumAcc | DpuMode::Mac | DpuMode::MacInter | DpuMode::MaxMinAcc)
}

impl DpuSettings {
    /// `acc_cnt'` of 5.5.
    pub(super) fn acc_cnt(&self, acc_cnt: u8) -> u8 {
        if self.launch.is_some() || self.hit { 0 } else { acc_cnt.wrapping_add(1) }
    }
}

impl Registers {
    /// `hit` of 5.5.
    pub(super) fn hit(&self, acc_cnt: u8, cur_const: u8) -> bool {
        is_counting(self.instr.mode) && cur_const != 0 && acc_cnt == cur_const
    }

    /// `dpu_control` of section 8.
    pub(super) fn dpu_control(&self, acc_cnt: u8, immediate: bool, i: &SeqDpu) -> DpuSettings {
        let Self { sh, instr: DpuInstr { mode, control, cnst, io }, bw_reg, .. } = *self;
        let new = if i.dpu_start { i.instr } else { sh.sh_instr };
        let launch = (immediate && (i.dpu_start || sh.sh_valid)).then_some(new);
        let cur_const = launch.map_or(cnst, |new| new.cnst);
        let lanes = has_lanes(mode);
        let width = |bw| if lanes { lane_width(bw) } else { 16 };
        let lw_o = width(i.cfg_bw);
        let hit = self.hit(acc_cnt, cur_const);
        DpuSettings {
            launch,
            cur_const,
            cur_io: launch.map_or(io, |new| new.io),
            lw_c: width(bw_reg),
            lw_o,
            fx: lw_o == 16 && (control.code() & 1 == 1 || i.cfg_bw == BwConfig::Fx16),
            sat: control.code() & 2 == 2,
            hit,
            clear: hit || launch.is_some() && mode != DpuMode::LdAcc,
        }
    }
}
