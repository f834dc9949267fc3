// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the sequencer as words, fields in the order of chapter 5, 7.1.

use drra_isa::fabric::{
    fields::array,
    images::{SeqDpu, SeqRefi},
};

use super::Sequencer;
use crate::bits::packed;

impl Sequencer {
    /// `state, load_count, pc, wait_count, pend_valid, pend_pc`.
    pub fn core_word(&self) -> u64 {
        self.core.pack()
    }

    /// `cfg_start, cfg_port, cfg_dimarch` and the nine fields.
    pub fn refi_word(&self) -> u64 {
        let image = SeqRefi {
            cfg_start: self.refi_start,
            cfg_port: self.refi.port.code(),
            cfg_dimarch: self.refi.dimarch,
            cfg: self.refi.cfg.image(),
        };
        image.pack()
    }

    /// `dpu_start, dpu_mode, dpu_control, dpu_const, dpu_io, cfg_bw`.
    pub fn dpu_word(&self) -> u64 {
        let instr = self.dpu.image();
        SeqDpu { dpu_start: self.dpu_start, instr, cfg_bw: self.bw }.pack()
    }

    /// `immediate`.
    pub fn immediate_word(&self) -> u64 {
        self.immediate.into()
    }

    /// Flags of the instruction memory, bit a for address a.
    pub fn imem_imm_word(&self) -> u64 {
        self.imem_imm
    }

    /// `sh_raccu`.
    pub fn sh_raccu_word(&self) -> u64 {
        self.sh_raccu.pack()
    }

    /// `sh_loop`.
    pub fn sh_loop_word(&self) -> u64 {
        self.sh_loop.pack()
    }

    /// One loop slot.
    pub fn loop_word(&self, slot: usize) -> u64 {
        self.slots[slot].pack()
    }

    /// The RACCU registers, register 0 lowest.
    pub fn raccu_words(&self) -> [u64; 2] {
        let all = packed(self.raccu.map(u64::from), array::SEQ_RACCU_REG);
        [all as u64, (all >> 64) as u64]
    }
}
