// SPDX-License-Identifier: MIT OR Apache-2.0
// Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.
//! Positions of the fields of messages and of packed types, except types of more than 64 bits,
//! and widths of the registers of packed arrays.

/// Payload of IO (chapter 7, section A3).
pub mod io {
    use crate::BitField;

    /// `rw`.
    pub const RW: BitField = BitField::new(63, 1);
    /// `init_addr`.
    pub const INIT_ADDR: BitField = BitField::new(38, 25);
    /// `init_delay`.
    pub const INIT_DELAY: BitField = BitField::new(32, 6);
    /// `l1_iter`.
    pub const L1_ITER: BitField = BitField::new(27, 5);
    /// `l1_step`.
    pub const L1_STEP: BitField = BitField::new(22, 5);
    /// `l1_delay`.
    pub const L1_DELAY: BitField = BitField::new(16, 6);
    /// `mask`.
    pub const MASK: BitField = BitField::new(0, 16);
    /// `cfg`.
    pub const CFG: BitField = BitField::new(0, 63);
}

/// Payload of ROUTE (chapter 6, section 3).
pub mod route {
    use crate::BitField;

    /// `write`.
    pub const WRITE: BitField = BitField::new(32, 1);
    /// `select_drra_row`.
    pub const SELECT_DRRA_ROW: BitField = BitField::new(26, 1);
    /// `read`.
    pub const READ: BitField = BitField::new(25, 1);
    /// `horizontal_hops`.
    pub const HORIZONTAL_HOPS: BitField = BitField::new(13, 3);
    /// `horizontal_dir`.
    pub const HORIZONTAL_DIR: BitField = BitField::new(12, 1);
    /// `vertical_hops`.
    pub const VERTICAL_HOPS: BitField = BitField::new(9, 3);
    /// `vertical_dir`.
    pub const VERTICAL_DIR: BitField = BitField::new(8, 1);
}

/// Payload of SRAM (chapter 6, section 3).
pub mod sram {
    use crate::BitField;

    /// `one_59`.
    pub const ONE_59: BitField = BitField::new(59, 1);
    /// `hops`.
    pub const HOPS: BitField = BitField::new(54, 4);
    /// `init_addr`.
    pub const INIT_ADDR: BitField = BitField::new(47, 7);
    /// `init_delay`.
    pub const INIT_DELAY: BitField = BitField::new(43, 4);
    /// `l1_iter`.
    pub const L1_ITER: BitField = BitField::new(36, 7);
    /// `l1_step`.
    pub const L1_STEP: BitField = BitField::new(28, 8);
    /// `l1_delay`.
    pub const L1_DELAY: BitField = BitField::new(22, 6);
    /// `l2_iter`.
    pub const L2_ITER: BitField = BitField::new(15, 7);
    /// `l2_step`.
    pub const L2_STEP: BitField = BitField::new(7, 8);
    /// `l2_delay`.
    pub const L2_DELAY: BitField = BitField::new(1, 6);
    /// `rw`.
    pub const RW: BitField = BitField::new(0, 1);
    /// `cfg`.
    pub const CFG: BitField = BitField::new(1, 53);
}

/// The type `raccu_op_t` (chapter 2).
pub mod raccu_op {
    use crate::BitField;

    /// `mode`.
    pub const MODE: BitField = BitField::new(18, 3);
    /// `a`.
    pub const A: BitField = BitField::new(11, 7);
    /// `b`.
    pub const B: BitField = BitField::new(4, 7);
    /// `dst`.
    pub const DST: BitField = BitField::new(0, 4);
}

/// The type `loop_op_t` (chapter 2).
pub mod loop_op {
    use crate::BitField;

    /// `valid`.
    pub const VALID: BitField = BitField::new(36, 1);
    /// `id`.
    pub const ID: BitField = BitField::new(34, 2);
    /// `start_pc`.
    pub const START_PC: BitField = BitField::new(28, 6);
    /// `end_pc`.
    pub const END_PC: BitField = BitField::new(22, 6);
    /// `start`.
    pub const START: BitField = BitField::new(16, 6);
    /// `iter`.
    pub const ITER: BitField = BitField::new(10, 6);
    /// `step`.
    pub const STEP: BitField = BitField::new(4, 6);
    /// `link`.
    pub const LINK: BitField = BitField::new(0, 4);
}

/// The type `agu_cfg_t` (chapter 3).
pub mod agu_cfg {
    use crate::BitField;

    /// `init_addr`.
    pub const INIT_ADDR: BitField = BitField::new(43, 6);
    /// `l1_iter`.
    pub const L1_ITER: BitField = BitField::new(37, 6);
    /// `init_delay`.
    pub const INIT_DELAY: BitField = BitField::new(31, 6);
    /// `l1_step`.
    pub const L1_STEP: BitField = BitField::new(25, 6);
    /// `l1_step_sign`.
    pub const L1_STEP_SIGN: BitField = BitField::new(24, 1);
    /// `l1_delay`.
    pub const L1_DELAY: BitField = BitField::new(18, 6);
    /// `l2_iter`.
    pub const L2_ITER: BitField = BitField::new(12, 6);
    /// `l2_step`.
    pub const L2_STEP: BitField = BitField::new(6, 6);
    /// `l2_delay`.
    pub const L2_DELAY: BitField = BitField::new(0, 6);
}

/// The type `dpu_instr_t` (chapter 4).
pub mod dpu_instr {
    use crate::BitField;

    /// `mode`.
    pub const MODE: BitField = BitField::new(12, 5);
    /// `control`.
    pub const CONTROL: BitField = BitField::new(10, 2);
    /// `cnst`.
    pub const CNST: BitField = BitField::new(2, 8);
    /// `io`.
    pub const IO: BitField = BitField::new(0, 2);
}

/// The type `swb_target_t` (chapter 5).
pub mod swb_target {
    use crate::BitField;

    /// `block`.
    pub const BLOCK: BitField = BitField::new(8, 1);
    /// `port`.
    pub const PORT: BitField = BitField::new(7, 1);
    /// `hb`.
    pub const HB: BitField = BitField::new(4, 3);
    /// `other`.
    pub const OTHER: BitField = BitField::new(3, 1);
    /// `v`.
    pub const V: BitField = BitField::new(0, 3);
}

/// The type `swb_sel_t` (chapter 5).
pub mod swb_sel {
    use crate::BitField;

    /// `other`.
    pub const OTHER: BitField = BitField::new(5, 1);
    /// `block`.
    pub const BLOCK: BitField = BitField::new(4, 1);
    /// `port`.
    pub const PORT: BitField = BitField::new(3, 1);
    /// `hb`.
    pub const HB: BitField = BitField::new(0, 3);
}

/// The type `noc_msg_t` (chapter 6).
pub mod noc_msg {
    use crate::BitField;

    /// `valid`.
    pub const VALID: BitField = BitField::new(62, 1);
    /// `kind`.
    pub const KIND: BitField = BitField::new(60, 2);
    /// `payload`.
    pub const PAYLOAD: BitField = BitField::new(0, 60);
}

/// The type `sram_cfg_t` (chapter 6).
pub mod sram_cfg {
    use crate::BitField;

    /// `init_addr`.
    pub const INIT_ADDR: BitField = BitField::new(46, 7);
    /// `init_delay`.
    pub const INIT_DELAY: BitField = BitField::new(42, 4);
    /// `l1_iter`.
    pub const L1_ITER: BitField = BitField::new(35, 7);
    /// `l1_step`.
    pub const L1_STEP: BitField = BitField::new(27, 8);
    /// `l1_delay`.
    pub const L1_DELAY: BitField = BitField::new(21, 6);
    /// `l2_iter`.
    pub const L2_ITER: BitField = BitField::new(14, 7);
    /// `l2_step`.
    pub const L2_STEP: BitField = BitField::new(6, 8);
    /// `l2_delay`.
    pub const L2_DELAY: BitField = BitField::new(0, 6);
}

/// The type `sram_take_t` (chapter 6).
pub mod sram_take {
    use crate::BitField;

    /// `valid`.
    pub const VALID: BitField = BitField::new(54, 1);
    /// `rw`.
    pub const RW: BitField = BitField::new(53, 1);
    /// `cfg`.
    pub const CFG: BitField = BitField::new(0, 53);
}

/// The type `io_cfg_t` (chapter 7).
pub mod io_cfg {
    use crate::BitField;

    /// `init_addr`.
    pub const INIT_ADDR: BitField = BitField::new(38, 25);
    /// `init_delay`.
    pub const INIT_DELAY: BitField = BitField::new(32, 6);
    /// `l1_iter`.
    pub const L1_ITER: BitField = BitField::new(27, 5);
    /// `l1_step`.
    pub const L1_STEP: BitField = BitField::new(22, 5);
    /// `l1_delay`.
    pub const L1_DELAY: BitField = BitField::new(16, 6);
    /// `mask`.
    pub const MASK: BitField = BitField::new(0, 16);
}

/// The type `perm_op_t` (chapter 7).
pub mod perm_op {
    use crate::BitField;

    /// `valid`.
    pub const VALID: BitField = BitField::new(21, 1);
    /// `mode`.
    pub const MODE: BitField = BitField::new(18, 3);
    /// `block`.
    pub const BLOCK: BitField = BitField::new(16, 2);
    /// `distance`.
    pub const DISTANCE: BitField = BitField::new(0, 16);
}

/// Bits of one register of a packed array.
pub mod array {
    /// `seq.imem_imm[{address}]`.
    pub const SEQ_IMEM_IMM: u32 = 1;
    /// `seq.raccu_reg[{raccu_register}]`.
    pub const SEQ_RACCU_REG: u32 = 7;
    /// `swb.swb_cfg[{destination}]`.
    pub const SWB_SWB_CFG: u32 = 6;
    /// `rf.mem[{word}]`.
    pub const RF_MEM: u32 = 16;
    /// `xsel[{crossbar}]`.
    pub const XSEL: u32 = 3;
    /// `xout[{crossbar}]`.
    pub const XOUT: u32 = 256;
}
