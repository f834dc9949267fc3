// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.
//! Packed types, and registers that are stored together: first field in the upper bits.

use super::ids::*;
use crate::instructions::*;

/// `raccu_op_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaccuOp {
    /// `mode`, width 3.
    pub mode: RaccuMode,
    /// `a`, width 7.
    pub a: u8,
    /// `b`, width 7.
    pub b: u8,
    /// `dst`, width 4.
    pub dst: u8,
}

impl RaccuOp {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.mode as u64;
        word = word << 7 | self.a as u64;
        word = word << 7 | self.b as u64;
        word = word << 4 | self.dst as u64;
        word
    }
}

/// `loop_op_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopOp {
    /// `valid`, width 1.
    pub valid: bool,
    /// `id`, width 2.
    pub id: u8,
    /// `start_pc`, width 6.
    pub start_pc: u8,
    /// `end_pc`, width 6.
    pub end_pc: u8,
    /// `start`, width 6.
    pub start: u8,
    /// `iter`, width 6.
    pub iter: u8,
    /// `step`, width 6.
    pub step: u8,
    /// `link`, width 4.
    pub link: u8,
}

impl LoopOp {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.valid as u64;
        word = word << 2 | self.id as u64;
        word = word << 6 | self.start_pc as u64;
        word = word << 6 | self.end_pc as u64;
        word = word << 6 | self.start as u64;
        word = word << 6 | self.iter as u64;
        word = word << 6 | self.step as u64;
        word = word << 4 | self.link as u64;
        word
    }
}

/// `agu_cfg_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AguCfg {
    /// `init_addr`, width 6.
    pub init_addr: u8,
    /// `l1_iter`, width 6.
    pub l1_iter: u8,
    /// `init_delay`, width 6.
    pub init_delay: u8,
    /// `l1_step`, width 6.
    pub l1_step: u8,
    /// `l1_step_sign`, width 1.
    pub l1_step_sign: bool,
    /// `l1_delay`, width 6.
    pub l1_delay: u8,
    /// `l2_iter`, width 6.
    pub l2_iter: u8,
    /// `l2_step`, width 6.
    pub l2_step: u8,
    /// `l2_delay`, width 6.
    pub l2_delay: u8,
}

impl AguCfg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.init_addr as u64;
        word = word << 6 | self.l1_iter as u64;
        word = word << 6 | self.init_delay as u64;
        word = word << 6 | self.l1_step as u64;
        word = word << 1 | self.l1_step_sign as u64;
        word = word << 6 | self.l1_delay as u64;
        word = word << 6 | self.l2_iter as u64;
        word = word << 6 | self.l2_step as u64;
        word = word << 6 | self.l2_delay as u64;
        word
    }
}

/// `dpu_instr_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuInstr {
    /// `mode`, width 5.
    pub mode: DpuMode,
    /// `control`, width 2.
    pub control: DpuControl,
    /// `cnst`, width 8.
    pub cnst: u8,
    /// `io`, width 2.
    pub io: DpuIoChange,
}

impl DpuInstr {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.mode as u64;
        word = word << 2 | self.control as u64;
        word = word << 8 | self.cnst as u64;
        word = word << 2 | self.io as u64;
        word
    }
}

/// `swb_target_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwbTarget {
    /// `block`, width 1.
    pub block: bool,
    /// `port`, width 1.
    pub port: bool,
    /// `hb`, width 3.
    pub hb: u8,
    /// `other`, width 1.
    pub other: bool,
    /// `v`, width 3.
    pub v: u8,
}

impl SwbTarget {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.block as u64;
        word = word << 1 | self.port as u64;
        word = word << 3 | self.hb as u64;
        word = word << 1 | self.other as u64;
        word = word << 3 | self.v as u64;
        word
    }
}

/// `swb_sel_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwbSel {
    /// `other`, width 1.
    pub other: bool,
    /// `block`, width 1.
    pub block: bool,
    /// `port`, width 1.
    pub port: bool,
    /// `hb`, width 3.
    pub hb: u8,
}

impl SwbSel {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.other as u64;
        word = word << 1 | self.block as u64;
        word = word << 1 | self.port as u64;
        word = word << 3 | self.hb as u64;
        word
    }
}

/// `noc_issue_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NocIssue {
    /// `valid`, width 1.
    pub valid: bool,
    /// `kind`, width 2.
    pub kind: MessageKind,
    /// `payload`, width 64.
    pub payload: u64,
}

impl NocIssue {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> [u64; 2] {
        let mut word = (self.valid as u64) as u128;
        word = word << 2 | self.kind as u64 as u128;
        word = word << 64 | self.payload as u128;
        [word as u64, (word >> 64) as u64]
    }
}

/// `noc_msg_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NocMsg {
    /// `valid`, width 1.
    pub valid: bool,
    /// `kind`, width 2.
    pub kind: MessageKind,
    /// `payload`, width 60.
    pub payload: u64,
}

impl NocMsg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.valid as u64;
        word = word << 2 | self.kind as u64;
        word = word << 60 | self.payload;
        word
    }
}

/// `io_msg_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoMsg {
    /// `valid`, width 1.
    pub valid: bool,
    /// `payload`, width 64.
    pub payload: u64,
}

impl IoMsg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> [u64; 2] {
        let mut word = (self.valid as u64) as u128;
        word = word << 64 | self.payload as u128;
        [word as u64, (word >> 64) as u64]
    }
}

/// `sram_cfg_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SramCfg {
    /// `init_addr`, width 7.
    pub init_addr: u8,
    /// `init_delay`, width 4.
    pub init_delay: u8,
    /// `l1_iter`, width 7.
    pub l1_iter: u8,
    /// `l1_step`, width 8.
    pub l1_step: u8,
    /// `l1_delay`, width 6.
    pub l1_delay: u8,
    /// `l2_iter`, width 7.
    pub l2_iter: u8,
    /// `l2_step`, width 8.
    pub l2_step: u8,
    /// `l2_delay`, width 6.
    pub l2_delay: u8,
}

impl SramCfg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.init_addr as u64;
        word = word << 4 | self.init_delay as u64;
        word = word << 7 | self.l1_iter as u64;
        word = word << 8 | self.l1_step as u64;
        word = word << 6 | self.l1_delay as u64;
        word = word << 7 | self.l2_iter as u64;
        word = word << 8 | self.l2_step as u64;
        word = word << 6 | self.l2_delay as u64;
        word
    }
}

/// `sram_take_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SramTake {
    /// `valid`, width 1.
    pub valid: bool,
    /// `rw`, width 1.
    pub rw: bool,
    /// `cfg`, width 53.
    pub cfg: SramCfg,
}

impl SramTake {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.valid as u64;
        word = word << 1 | self.rw as u64;
        word = word << 53 | self.cfg.pack();
        word
    }
}

/// `io_cfg_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCfg {
    /// `init_addr`, width 25.
    pub init_addr: u32,
    /// `init_delay`, width 6.
    pub init_delay: u8,
    /// `l1_iter`, width 5.
    pub l1_iter: u8,
    /// `l1_step`, width 5.
    pub l1_step: u8,
    /// `l1_delay`, width 6.
    pub l1_delay: u8,
    /// `mask`, width 16.
    pub mask: u16,
}

impl IoCfg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.init_addr as u64;
        word = word << 6 | self.init_delay as u64;
        word = word << 5 | self.l1_iter as u64;
        word = word << 5 | self.l1_step as u64;
        word = word << 6 | self.l1_delay as u64;
        word = word << 16 | self.mask as u64;
        word
    }
}

/// `perm_op_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermOp {
    /// `valid`, width 1.
    pub valid: bool,
    /// `mode`, width 3.
    pub mode: u8,
    /// `block`, width 2.
    pub block: u8,
    /// `distance`, width 16.
    pub distance: u16,
}

impl PermOp {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.valid as u64;
        word = word << 3 | self.mode as u64;
        word = word << 2 | self.block as u64;
        word = word << 16 | self.distance as u64;
        word
    }
}

/// Registers of the group `seq.core` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqCore {
    /// `state`, width 2.
    pub state: SequencerState,
    /// `load_count`, width 6.
    pub load_count: u8,
    /// `pc`, width 6.
    pub pc: u8,
    /// `wait_count`, width 15.
    pub wait_count: u16,
    /// `pend_valid`, width 1.
    pub pend_valid: bool,
    /// `pend_pc`, width 6.
    pub pend_pc: u8,
}

impl SeqCore {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.state as u64;
        word = word << 6 | self.load_count as u64;
        word = word << 6 | self.pc as u64;
        word = word << 15 | self.wait_count as u64;
        word = word << 1 | self.pend_valid as u64;
        word = word << 6 | self.pend_pc as u64;
        word
    }
}

/// Registers of the group `seq.sh_raccu` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqShRaccu {
    /// `mode`, width 3.
    pub mode: RaccuMode,
    /// `a`, width 7.
    pub a: u8,
    /// `b`, width 7.
    pub b: u8,
    /// `dst`, width 4.
    pub dst: u8,
}

impl SeqShRaccu {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.mode as u64;
        word = word << 7 | self.a as u64;
        word = word << 7 | self.b as u64;
        word = word << 4 | self.dst as u64;
        word
    }
}

/// Registers of the group `seq.sh_loop` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqShLoop {
    /// `valid`, width 1.
    pub valid: bool,
    /// `id`, width 2.
    pub id: u8,
    /// `start_pc`, width 6.
    pub start_pc: u8,
    /// `end_pc`, width 6.
    pub end_pc: u8,
    /// `start`, width 6.
    pub start: u8,
    /// `iter`, width 6.
    pub iter: u8,
    /// `step`, width 6.
    pub step: u8,
    /// `link`, width 4.
    pub link: u8,
}

impl SeqShLoop {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.valid as u64;
        word = word << 2 | self.id as u64;
        word = word << 6 | self.start_pc as u64;
        word = word << 6 | self.end_pc as u64;
        word = word << 6 | self.start as u64;
        word = word << 6 | self.iter as u64;
        word = word << 6 | self.step as u64;
        word = word << 4 | self.link as u64;
        word
    }
}

/// Registers of the group `seq.loop` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqLoop {
    /// `active`, width 1.
    pub active: bool,
    /// `start_pc`, width 6.
    pub start_pc: u8,
    /// `end_pc`, width 6.
    pub end_pc: u8,
    /// `iter`, width 6.
    pub iter: u8,
    /// `step`, width 6.
    pub step: u8,
    /// `count`, width 6.
    pub count: u8,
}

impl SeqLoop {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.active as u64;
        word = word << 6 | self.start_pc as u64;
        word = word << 6 | self.end_pc as u64;
        word = word << 6 | self.iter as u64;
        word = word << 6 | self.step as u64;
        word = word << 6 | self.count as u64;
        word
    }
}

/// Registers of the group `seq.refi` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqRefi {
    /// `cfg_start`, width 1.
    pub cfg_start: bool,
    /// `cfg_port`, width 2.
    pub cfg_port: RefiPortNo,
    /// `cfg_dimarch`, width 1.
    pub cfg_dimarch: bool,
    /// `cfg`, width 49.
    pub cfg: AguCfg,
}

impl SeqRefi {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.cfg_start as u64;
        word = word << 2 | self.cfg_port as u64;
        word = word << 1 | self.cfg_dimarch as u64;
        word = word << 49 | self.cfg.pack();
        word
    }
}

/// Registers of the group `seq.dpu` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqDpu {
    /// `dpu_start`, width 1.
    pub dpu_start: bool,
    /// `instr`, width 17.
    pub instr: DpuInstr,
    /// `cfg_bw`, width 2.
    pub cfg_bw: BwConfig,
}

impl SeqDpu {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.dpu_start as u64;
        word = word << 17 | self.instr.pack();
        word = word << 2 | self.cfg_bw as u64;
        word
    }
}

/// Registers of the group `swb.iss` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwbIss {
    /// `swb_iss_valid`, width 1.
    pub swb_iss_valid: bool,
    /// `swb_iss`, width 9.
    pub swb_iss: SwbTarget,
}

impl SwbIss {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.swb_iss_valid as u64;
        word = word << 9 | self.swb_iss.pack();
        word
    }
}

/// Registers of the group `rf.sh` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RfSh {
    /// `sh_valid`, width 1.
    pub sh_valid: bool,
    /// `sh_cfg`, width 49.
    pub sh_cfg: AguCfg,
}

impl RfSh {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.sh_valid as u64;
        word = word << 49 | self.sh_cfg.pack();
        word
    }
}

/// Registers of the group `rf.agu.st` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RfAguSt {
    /// `state`, width 3.
    pub state: AguState,
    /// `init_cnt`, width 6.
    pub init_cnt: u8,
    /// `l1_dly_cnt`, width 6.
    pub l1_dly_cnt: u8,
    /// `l2_dly_cnt`, width 6.
    pub l2_dly_cnt: u8,
    /// `l1_cnt`, width 6.
    pub l1_cnt: u8,
    /// `l2_cnt`, width 6.
    pub l2_cnt: u8,
    /// `row_base`, width agu_address.
    pub row_base: u32,
    /// `addr_reg`, width agu_address.
    pub addr_reg: u32,
}

impl RfAguSt {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self, agu_address: u32) -> u64 {
        let mut word = self.state as u64;
        word = word << 6 | self.init_cnt as u64;
        word = word << 6 | self.l1_dly_cnt as u64;
        word = word << 6 | self.l2_dly_cnt as u64;
        word = word << 6 | self.l1_cnt as u64;
        word = word << 6 | self.l2_cnt as u64;
        word = word << agu_address | self.row_base as u64;
        word = word << agu_address | self.addr_reg as u64;
        word
    }
}

/// Registers of the group `rf.agu.p` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RfAguP {
    /// `p_init_delay`, width 6.
    pub p_init_delay: u8,
    /// `p_l1_iter`, width 6.
    pub p_l1_iter: u8,
    /// `p_l1_delay`, width 6.
    pub p_l1_delay: u8,
    /// `p_l2_iter`, width 6.
    pub p_l2_iter: u8,
    /// `p_l2_delay`, width 6.
    pub p_l2_delay: u8,
    /// `p_init_addr`, width agu_address.
    pub p_init_addr: u32,
    /// `p_l1_step`, width agu_address.
    pub p_l1_step: u32,
    /// `p_l2_step`, width agu_address.
    pub p_l2_step: u32,
    /// `p_l1_step_sign`, width 1.
    pub p_l1_step_sign: bool,
}

impl RfAguP {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self, agu_address: u32) -> u64 {
        let mut word = self.p_init_delay as u64;
        word = word << 6 | self.p_l1_iter as u64;
        word = word << 6 | self.p_l1_delay as u64;
        word = word << 6 | self.p_l2_iter as u64;
        word = word << 6 | self.p_l2_delay as u64;
        word = word << agu_address | self.p_init_addr as u64;
        word = word << agu_address | self.p_l1_step as u64;
        word = word << agu_address | self.p_l2_step as u64;
        word = word << 1 | self.p_l1_step_sign as u64;
        word
    }
}

/// Registers of the group `dpu.sh` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuSh {
    /// `sh_valid`, width 1.
    pub sh_valid: bool,
    /// `sh_instr`, width 17.
    pub sh_instr: DpuInstr,
}

impl DpuSh {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.sh_valid as u64;
        word = word << 17 | self.sh_instr.pack();
        word
    }
}

/// Registers of the group `dpu.cfg` of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DpuCfg {
    /// `instr`, width 17.
    pub instr: DpuInstr,
    /// `bw_reg`, width 2.
    pub bw_reg: BwConfig,
    /// `acc_cnt`, width 8.
    pub acc_cnt: u8,
}

impl DpuCfg {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.instr.pack();
        word = word << 2 | self.bw_reg as u64;
        word = word << 8 | self.acc_cnt as u64;
        word
    }
}

/// Registers of the group `io_flow` of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnIoFlow {
    /// `io_pend`, width 1.
    pub io_pend: bool,
    /// `io_pmask`, width 16.
    pub io_pmask: u16,
    /// `io_rvalid`, width 1.
    pub io_rvalid: bool,
    /// `io_rmask`, width 16.
    pub io_rmask: u16,
}

impl ColumnIoFlow {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.io_pend as u64;
        word = word << 16 | self.io_pmask as u64;
        word = word << 1 | self.io_rvalid as u64;
        word = word << 16 | self.io_rmask as u64;
        word
    }
}

/// Registers of the group `io_generator.st` of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnIoGeneratorSt {
    /// `state`, width 2.
    pub state: PatternState,
    /// `cfg_valid`, width 1.
    pub cfg_valid: bool,
    /// `l1_cnt`, width 5.
    pub l1_cnt: u8,
    /// `init_cnt`, width 6.
    pub init_cnt: u8,
    /// `l1_dly`, width 6.
    pub l1_dly: u8,
    /// `addr`, width 25.
    pub addr: u32,
    /// `en`, width 1.
    pub en: bool,
}

impl ColumnIoGeneratorSt {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.state as u64;
        word = word << 1 | self.cfg_valid as u64;
        word = word << 5 | self.l1_cnt as u64;
        word = word << 6 | self.init_cnt as u64;
        word = word << 6 | self.l1_dly as u64;
        word = word << 25 | self.addr as u64;
        word = word << 1 | self.en as u64;
        word
    }
}

/// Registers of the group `segs` of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileSegs {
    /// `seg_w`, width 2.
    pub seg_w: SegmentDirection,
    /// `seg_s`, width 2.
    pub seg_s: SegmentDirection,
}

impl TileSegs {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.seg_w as u64;
        word = word << 2 | self.seg_s as u64;
        word
    }
}

/// Registers of the group `side.path` of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileSidePath {
    /// `active`, width 1.
    pub active: bool,
    /// `hsel`, width 1.
    pub hsel: bool,
    /// `vsel`, width 1.
    pub vsel: bool,
}

impl TileSidePath {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.active as u64;
        word = word << 1 | self.hsel as u64;
        word = word << 1 | self.vsel as u64;
        word
    }
}

/// Registers of the group `generator.st` of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileGeneratorSt {
    /// `state`, width 2.
    pub state: PatternState,
    /// `cfg_valid`, width 1.
    pub cfg_valid: bool,
    /// `l1_cnt`, width 7.
    pub l1_cnt: u8,
    /// `l2_cnt`, width 7.
    pub l2_cnt: u8,
    /// `init_cnt`, width 4.
    pub init_cnt: u8,
    /// `l1_dly`, width 6.
    pub l1_dly: u8,
    /// `l2_dly`, width 6.
    pub l2_dly: u8,
    /// `addr`, width 7.
    pub addr: u8,
    /// `en`, width 1.
    pub en: bool,
}

impl TileGeneratorSt {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self) -> u64 {
        let mut word = self.state as u64;
        word = word << 1 | self.cfg_valid as u64;
        word = word << 7 | self.l1_cnt as u64;
        word = word << 7 | self.l2_cnt as u64;
        word = word << 4 | self.init_cnt as u64;
        word = word << 6 | self.l1_dly as u64;
        word = word << 6 | self.l2_dly as u64;
        word = word << 7 | self.addr as u64;
        word = word << 1 | self.en as u64;
        word
    }
}

/// Registers of the group `init` of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileInit {
    /// `en`, width 1.
    pub en: bool,
    /// `row`, width tile_row.
    pub row: u32,
    /// `col`, width column.
    pub col: u32,
    /// `addr`, width sram_address.
    pub addr: u32,
}

impl TileInit {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self, tile_row: u32, column: u32, sram_address: u32) -> u64 {
        let mut word = self.en as u64;
        word = word << tile_row | self.row as u64;
        word = word << column | self.col as u64;
        word = word << sram_address | self.addr as u64;
        word
    }
}

/// Registers of the group `ld_pipe` of a fabric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LdPipe {
    /// `valid`, width 1.
    pub valid: bool,
    /// `imm`, width 1.
    pub imm: bool,
    /// `instr`, width 27.
    pub instr: u32,
    /// `row_sel`, width 2.
    pub row_sel: u8,
    /// `col_sel`, width columns.
    pub col_sel: u32,
}

impl LdPipe {
    /// The packed value. Every field must fit into its width.
    #[inline]
    pub const fn pack(&self, columns: u32) -> u64 {
        let mut word = self.valid as u64;
        word = word << 1 | self.imm as u64;
        word = word << 27 | self.instr as u64;
        word = word << 2 | self.row_sel as u64;
        word = word << columns | self.col_sel as u64;
        word
    }
}
