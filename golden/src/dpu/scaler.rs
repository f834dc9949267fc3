// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scaler of the DPU (chapter 4, section 11).

use drra_isa::instructions::DpuMode as Mode;

use super::{
    control::{DpuSettings, Registers},
    lanes::lane_width,
};
use crate::bits::sx;

impl Registers {
    /// `dpu_scaler` of section 8: `pack_reg` and `pack_phase` after the edge.
    pub(super) fn dpu_scaler(&self, g: &DpuSettings, in0: u16) -> (u16, u8) {
        let mode = self.instr.mode;
        if mode != Mode::ScaleDw && mode != Mode::ScaleUp {
            return (self.pack_reg, 0);
        }
        let w = lane_width(self.bw_reg);
        let last = (16 / w - 1) as u8;
        let lane = self.pack_phase & last;
        let at = w * u32::from(lane);
        let factor = sx(g.cur_const.into(), 8);
        let pack_reg = if w == 16 {
            in0
        } else if mode == Mode::ScaleUp {
            (sx(u64::from(in0) >> at, w) * factor) as u16
        } else {
            let mask = ((1u32 << w) - 1) << at;
            let packed = (((sx(in0.into(), 16) * factor) >> 8) as u32) << at;
            (u32::from(self.pack_reg) & !mask | packed & mask) as u16
        };
        (pack_reg, if g.launch.is_some() || lane == last { 0 } else { lane + 1 })
    }
}
