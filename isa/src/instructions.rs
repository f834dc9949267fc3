// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions, fields and named values of SiLago 1 r4.
//!
//! Generated from the description by `drra isa rs`; do not edit.

use crate::tables::field_values;
use crate::tables::mode_table;
use crate::tables::opcodes;

/// Bits of an instruction word.
pub const WORD_BITS: u32 = 27;
/// Bits of the instruction code, at the top of the first word.
pub const CODE_BITS: u32 = 4;

opcodes! {
    every cell {
        /// Stops the sequencer of this cell.
        Halt = 0 "HALT", 1;
        /// Configures one address generator of the register file.
        Refi = 1 "REFI", 3 by refi::EXTRA;
        /// Configures the data processing unit.
        Dpu = 4 "DPU", 1;
        /// Connects one input of this cell to an output within two columns.
        Swb = 5 "SWB", 1;
        /// Unconditional jump.
        Jump = 6 "JUMP", 1;
        /// Stalls the sequencer.
        Wait = 7 "WAIT", 1;
        /// Configures one hardware loop.
        Loop = 8 "LOOP", 2 by loop_::EXTRA;
        /// Selects the operand width of the data processing unit.
        Bw = 9 "BW", 1;
        /// Address arithmetic.
        Raccu = 10 "RACCU", 1;
        /// Branches depending on the last comparison of the data processing unit.
        Branch = 11 "BRANCH", 1;
        /// Opens a path through the scratchpad network.
        Route = 12 "ROUTE", 1;
        /// Configures one address generator of a scratchpad tile.
        Sram = 13 "SRAM", 3;
        /// Shifts or rotates the words of one register-file row.
        Perm = 14 "PERM", 1;
    }
    io cell {
        /// Moves rows between the external buffers and the register files; replaces SRAM in I/O cells.
        Io = 13 "IO", 3;
    }
}

/// Fields of REFI.
pub mod refi {
    use crate::InstructionField;

    /// Register-file port whose address generator is configured: write 0, write 1, read 0, read 1.
    pub const PORT_NO: InstructionField = InstructionField::new(0, 21, 2);
    /// Number of chunks that follow the first one (0, 1 or 2).
    pub const EXTRA: InstructionField = InstructionField::new(0, 19, 2);
    /// Operand kind of init_addr: s = literal, d = number of a RACCU register.
    pub const INIT_ADDR_SD: InstructionField = InstructionField::new(0, 18, 1);
    /// First address; a word address, or a 16-word row number when dimarch = y.
    pub const INIT_ADDR: InstructionField = InstructionField::new(0, 12, 6);
    /// Number of addresses in the inner level, minus one.
    pub const L1_ITER: InstructionField = InstructionField::new(0, 6, 6);
    /// Cycles to wait before the first address.
    pub const INIT_DELAY: InstructionField = InstructionField::new(0, 0, 6);
    /// Operand kind of l1_iter: s = literal, d = number of a RACCU register.
    pub const L1_ITER_SD: InstructionField = InstructionField::new(1, 26, 1);
    /// Operand kind of init_delay: s = literal, d = number of a RACCU register.
    pub const INIT_DELAY_SD: InstructionField = InstructionField::new(1, 25, 1);
    /// Low half of the chunk-1 tag (0010 together with the two flags above when both are s).
    pub const UNUSED_0: InstructionField = InstructionField::new(1, 23, 2);
    /// Operand kind of l1_step: s = literal, d = number of a RACCU register.
    pub const L1_STEP_SD: InstructionField = InstructionField::new(1, 22, 1);
    /// Magnitude of the inner address step.
    pub const L1_STEP: InstructionField = InstructionField::new(1, 16, 6);
    /// Sign of the inner address step.
    pub const L1_STEP_SIGN: InstructionField = InstructionField::new(1, 15, 1);
    /// Operand kind of l1_delay: s = literal, d = number of a RACCU register.
    pub const L1_DELAY_SD: InstructionField = InstructionField::new(1, 14, 1);
    /// Idle cycles between two inner addresses, low 4 bits.
    pub const L1_DELAY: InstructionField = InstructionField::new(1, 10, 4);
    /// Operand kind of l2_iter: s = literal, d = number of a RACCU register.
    pub const L2_ITER_SD: InstructionField = InstructionField::new(1, 9, 1);
    /// Number of runs of the inner level, minus one, low 5 bits.
    pub const L2_ITER: InstructionField = InstructionField::new(1, 4, 5);
    /// Step of the start address from one run to the next, low 4 bits.
    pub const L2_STEP: InstructionField = InstructionField::new(1, 0, 4);
    /// Chunk-2 tag (0011).
    pub const UNUSED_1: InstructionField = InstructionField::new(2, 23, 4);
    /// Operand kind of l2_delay: s = literal, d = number of a RACCU register.
    pub const L2_DELAY_SD: InstructionField = InstructionField::new(2, 22, 1);
    /// Idle cycles between two runs.
    pub const L2_DELAY: InstructionField = InstructionField::new(2, 16, 6);
    /// Padding.
    pub const UNUSED_2: InstructionField = InstructionField::new(2, 10, 6);
    /// Bits 5..4 of the inner delay.
    pub const L1_DELAY_EXT: InstructionField = InstructionField::new(2, 8, 2);
    /// Bit 5 of the run count.
    pub const L2_ITER_EXT: InstructionField = InstructionField::new(2, 7, 1);
    /// Bits 5..4 of the run step.
    pub const L2_STEP_EXT: InstructionField = InstructionField::new(2, 5, 2);
    /// Padding.
    pub const UNUSED_3: InstructionField = InstructionField::new(2, 2, 3);
    /// The port moves whole 256-bit rows to or from the scratchpad network.
    pub const DIMARCH: InstructionField = InstructionField::new(2, 1, 1);
    /// Data on the scratchpad side is compressed (reserved, no effect in the base fabric).
    pub const COMPRESS: InstructionField = InstructionField::new(2, 0, 1);
}

field_values! {
    /// Values of REFI `port_no`: Register-file port whose address generator is configured: write 0, write 1, read 0, read 1.
    RefiPortNo, all 2 bits {
        W0 = 0 "w0";
        W1 = 1 "w1";
        R0 = 2 "r0";
        R1 = 3 "r1";
    }
}

/// Fields of DPU.
pub mod dpu {
    use crate::InstructionField;

    /// Operation of the data processing unit.
    pub const MODE: InstructionField = InstructionField::new(0, 18, 5);
    /// Saturation and number format.
    pub const CONTROL: InstructionField = InstructionField::new(0, 16, 2);
    /// Padding.
    pub const UNUSED_0: InstructionField = InstructionField::new(0, 10, 6);
    /// Accumulation length after which the accumulator is cleared; doubles as the 8-bit immediate of some modes.
    pub const ACC_CLEAR: InstructionField = InstructionField::new(0, 2, 8);
    /// Negate inputs 0 and 2, negate inputs 1 and 3, or take the absolute value of the outputs.
    pub const IO_CHANGE: InstructionField = InstructionField::new(0, 0, 2);
}

field_values! {
    /// Values of DPU `mode`: Operation of the data processing unit.
    DpuMode, all 5 bits {
        Idle = 0 "idle";
        Add = 1 "add";
        SumAcc = 2 "sum_acc";
        AddConst = 3 "add_const";
        Subt = 4 "subt";
        SubtAbs = 5 "subt_abs";
        Mode6 = 6 "mode_6";
        Mult = 7 "mult";
        MultAdd = 8 "mult_add";
        MultConst = 9 "mult_const";
        Mac = 10 "mac";
        LdIr = 11 "ld_ir";
        Axpy = 12 "axpy";
        MaxMinAcc = 13 "max_min_acc";
        MaxMinConst = 14 "max_min_const";
        Mode15 = 15 "mode_15";
        MaxMin = 16 "max_min";
        ShiftL = 17 "shift_l";
        ShiftR = 18 "shift_r";
        Sigm = 19 "sigm";
        Tanhyp = 20 "tanhyp";
        Expon = 21 "expon";
        LkRelu = 22 "lk_relu";
        Relu = 23 "relu";
        Div = 24 "div";
        AccSoftmax = 25 "acc_softmax";
        DivSoftmax = 26 "div_softmax";
        LdAcc = 27 "ld_acc";
        ScaleDw = 28 "scale_dw";
        ScaleUp = 29 "scale_up";
        MacInter = 30 "mac_inter";
        Mode31 = 31 "mode_31";
    }
}

field_values! {
    /// Values of DPU `control`: Saturation and number format.
    DpuControl, all 2 bits {
        NosatInt = 0 "nosat_int";
        NosatFx = 1 "nosat_fx";
        SatInt = 2 "sat_int";
        SatFx = 3 "sat_fx";
    }
}

field_values! {
    /// Values of DPU `io_change`: Negate inputs 0 and 2, negate inputs 1 and 3, or take the absolute value of the outputs.
    DpuIoChange, all 2 bits {
        NoChange = 0 "no_change";
        NegateIn0 = 1 "negate_in0";
        NegateIn1 = 2 "negate_in1";
        AbsOut = 3 "abs_out";
    }
}

mode_table! {
    DpuMode {
        Idle: [] [] -> [false, false] None;
        Add: [In0 In1] [In2 In3] -> [true, true] Some(1), lanes saturates;
        SumAcc: [In0 Acc] [In2 Acc] -> [true, true] Some(1), lanes counts saturates;
        AddConst: [In0 Ir0] [In2 Ir1] -> [true, true] Some(1), lanes saturates;
        Subt: [In0 In1] [In2 In3] -> [true, true] Some(1), lanes saturates;
        SubtAbs: [In0 In1] [In2 In3] -> [true, true] Some(1), lanes saturates;
        Mode6: [] [] -> [false, false] None;
        Mult: [In0 In1] [In2 In3] -> [true, true] Some(1), lanes saturates;
        MultAdd: [In0 In1 In2] [] -> [true, false] Some(1), lanes saturates;
        MultConst: [In0 Ir0] [In2 Ir1] -> [true, true] Some(1), lanes saturates;
        Mac: [In0 In1 Acc] [In2 In3 Acc] -> [true, true] Some(1), lanes counts saturates;
        LdIr: [In0] [In2] -> [false, false] Some(1), lanes;
        Axpy: [In0 In1 Ir0] [In2 In3 Ir1] -> [true, true] Some(1), lanes saturates;
        MaxMinAcc: [In0 Acc] [In0 Acc] -> [true, true] Some(1), counts compares;
        MaxMinConst: [In0 Ir0] [In0 Ir0] -> [true, true] Some(1), compares;
        Mode15: [] [] -> [false, false] None;
        MaxMin: [In0 In1] [In0 In1] -> [true, true] Some(1), compares;
        ShiftL: [In0 In1] [In2 In3] -> [true, true] Some(1), saturates;
        ShiftR: [In0 In1] [In2 In3] -> [true, true] Some(1);
        Sigm: [In0] [] -> [true, false] Some(1), squash;
        Tanhyp: [In0] [] -> [true, false] Some(1), squash;
        Expon: [In0] [] -> [true, false] Some(4), squash divider;
        LkRelu: [In0] [In0 Const] -> [true, false] Some(1), saturates compares;
        Relu: [In0] [In2] -> [true, true] Some(1), compares;
        Div: [In0 In1] [] -> [true, false] Some(4), saturates divider;
        AccSoftmax: [] [In0 Acc] -> [false, true] Some(1), saturates;
        DivSoftmax: [In0 SmReg] [] -> [true, false] Some(4), saturates divider;
        LdAcc: [In0] [In2] -> [false, false] Some(1), lanes;
        ScaleDw: [In0 Const] [] -> [true, false] Some(1), scaler;
        ScaleUp: [In0 Const] [] -> [true, false] Some(1), scaler;
        MacInter: [In0 Ir0 Acc] [In2 Ir1 Acc] -> [true, true] Some(1), lanes counts saturates;
        Mode31: [] [] -> [false, false] None;
    }
}

/// Fields of SWB.
pub mod swb {
    use crate::InstructionField;

    /// Write strobe of the switchbox; must be 1.
    pub const UNUSED0: InstructionField = InstructionField::new(0, 22, 1);
    /// Row of the source cell (informative; the row is chosen by send_to_other_row).
    pub const SRC_ROW: InstructionField = InstructionField::new(0, 21, 1);
    /// Source unit.
    pub const SRC_BLOCK: InstructionField = InstructionField::new(0, 20, 1);
    /// Output port of the source unit: 0 or 1.
    pub const SRC_PORT: InstructionField = InstructionField::new(0, 19, 1);
    /// Source column minus destination column, plus 2 (0..4); 7 disconnects.
    pub const HB_INDEX: InstructionField = InstructionField::new(0, 16, 3);
    /// y when the source and destination rows differ.
    pub const SEND_TO_OTHER_ROW: InstructionField = InstructionField::new(0, 15, 1);
    /// Input of the destination cell: 0, 1 = register-file write ports; 2..5 = DPU inputs 0..3.
    pub const V_INDEX: InstructionField = InstructionField::new(0, 12, 3);
}

/// Fields of JUMP.
pub mod jump {
    use crate::InstructionField;

    /// Target instruction address.
    pub const PC: InstructionField = InstructionField::new(0, 17, 6);
}

/// Fields of WAIT.
pub mod wait {
    use crate::InstructionField;

    /// Operand kind of cycle: s = literal, d = number of a RACCU register.
    pub const CYCLE_SD: InstructionField = InstructionField::new(0, 22, 1);
    /// Number of cycles to wait, minus one.
    pub const CYCLE: InstructionField = InstructionField::new(0, 7, 15);
}

/// Fields of LOOP.
pub mod loop_ {
    use crate::InstructionField;

    /// Number of chunks that follow the first one (0 or 1).
    pub const EXTRA: InstructionField = InstructionField::new(0, 22, 1);
    /// Slot of the loop controller; slot k owns RACCU register 15-k.
    pub const LOOPID: InstructionField = InstructionField::new(0, 20, 2);
    /// Address of the last instruction of the body.
    pub const ENDPC: InstructionField = InstructionField::new(0, 14, 6);
    /// Operand kind of start: s = literal, d = number of a RACCU register.
    pub const START_SD: InstructionField = InstructionField::new(0, 13, 1);
    /// Start value of the iterator.
    pub const START: InstructionField = InstructionField::new(0, 7, 6);
    /// Operand kind of iter: s = literal, d = number of a RACCU register.
    pub const ITER_SD: InstructionField = InstructionField::new(0, 6, 1);
    /// Number of iterations; 0 skips the body.
    pub const ITER: InstructionField = InstructionField::new(0, 0, 6);
    /// Operand kind of step: s = literal, d = number of a RACCU register.
    pub const STEP_SD: InstructionField = InstructionField::new(1, 26, 1);
    /// Iterator step.
    pub const STEP: InstructionField = InstructionField::new(1, 20, 6);
    /// Bit k set: the loop in slot k encloses this loop and ends at the same address.
    pub const LINK: InstructionField = InstructionField::new(1, 16, 4);
}

/// Fields of BW.
pub mod bw {
    use crate::InstructionField;

    /// Operand format of the data processing unit.
    pub const CONFIG: InstructionField = InstructionField::new(0, 21, 2);
}

field_values! {
    /// Values of BW `config`: Operand format of the data processing unit.
    BwConfig, all 2 bits {
        Int16 = 0 "int16";
        Int8 = 1 "int8";
        Fx16 = 2 "fx16";
        Int4 = 3 "int4";
    }
}

/// Fields of RACCU.
pub mod raccu {
    use crate::InstructionField;

    /// Operation.
    pub const MODE: InstructionField = InstructionField::new(0, 20, 3);
    /// Operand kind of operand1: s = literal, d = number of a RACCU register.
    pub const OPERAND1_SD: InstructionField = InstructionField::new(0, 19, 1);
    /// First operand.
    pub const OPERAND1: InstructionField = InstructionField::new(0, 12, 7);
    /// Operand kind of operand2: s = literal, d = number of a RACCU register.
    pub const OPERAND2_SD: InstructionField = InstructionField::new(0, 11, 1);
    /// Second operand.
    pub const OPERAND2: InstructionField = InstructionField::new(0, 4, 7);
    /// Destination RACCU register.
    pub const RESULT: InstructionField = InstructionField::new(0, 0, 4);
}

field_values! {
    /// Values of RACCU `mode`: Operation.
    RaccuMode, all 3 bits {
        Idle = 0 "idle";
        Add = 1 "add";
        Sub = 2 "sub";
        ShiftR = 3 "shift_r";
        ShiftL = 4 "shift_l";
        Mult = 5 "mult";
        MultAdd = 6 "mult_add";
        MultSub = 7 "mult_sub";
    }
}

/// Fields of BRANCH.
pub mod branch {
    use crate::InstructionField;

    /// Mask over the compare status: bit 0 = greater, bit 1 = equal.
    pub const MODE: InstructionField = InstructionField::new(0, 21, 2);
    /// Target taken when no selected status bit is set.
    pub const FALSE_PC: InstructionField = InstructionField::new(0, 15, 6);
}

field_values! {
    /// Values of BRANCH `mode`: Mask over the compare status: bit 0 = greater, bit 1 = equal.
    BranchMode, all 2 bits {
        Never = 0 "never";
        Gt = 1 "gt";
        Eq = 2 "eq";
        Ge = 3 "ge";
    }
}

/// Fields of ROUTE.
pub mod route {
    use crate::InstructionField;

    /// Horizontal direction.
    pub const HORIZONTAL_DIR: InstructionField = InstructionField::new(0, 22, 1);
    /// Number of scratchpad tiles to move horizontally.
    pub const HORIZONTAL_HOPS: InstructionField = InstructionField::new(0, 19, 3);
    /// Vertical direction.
    pub const VERTICAL_DIR: InstructionField = InstructionField::new(0, 18, 1);
    /// Number of scratchpad tiles to move vertically beyond the tile row next to the cells.
    pub const VERTICAL_HOPS: InstructionField = InstructionField::new(0, 15, 3);
    /// r: scratchpad to register file; w: register file to scratchpad.
    pub const DIRECTION: InstructionField = InstructionField::new(0, 14, 1);
    /// Cell row at the register-file end of the path (informative; the active REFI selects the row).
    pub const SELECT_DRRA_ROW: InstructionField = InstructionField::new(0, 13, 1);
}

/// Fields of SRAM.
pub mod sram {
    use crate::InstructionField;

    /// Read or write the scratchpad.
    pub const RW: InstructionField = InstructionField::new(0, 22, 1);
    /// First row address.
    pub const INIT_ADDR: InstructionField = InstructionField::new(0, 15, 7);
    /// Cycles to wait before the first access.
    pub const INIT_DELAY: InstructionField = InstructionField::new(0, 11, 4);
    /// Number of accesses in the inner level, minus one.
    pub const L1_ITER: InstructionField = InstructionField::new(0, 4, 7);
    /// Inner row step.
    pub const L1_STEP: InstructionField = InstructionField::new(1, 23, 8);
    /// Idle cycles between two inner accesses.
    pub const L1_DELAY: InstructionField = InstructionField::new(1, 17, 6);
    /// Number of runs of the inner level, minus one.
    pub const L2_ITER: InstructionField = InstructionField::new(1, 10, 7);
    /// Step of the start row from one run to the next.
    pub const L2_STEP: InstructionField = InstructionField::new(1, 2, 8);
    /// Idle cycles between two runs.
    pub const L2_DELAY: InstructionField = InstructionField::new(2, 23, 6);
    /// Operand kind of init_addr: s = literal, d = number of a RACCU register.
    pub const INIT_ADDR_SD: InstructionField = InstructionField::new(2, 22, 1);
    /// Operand kind of l1_iter: s = literal, d = number of a RACCU register.
    pub const L1_ITER_SD: InstructionField = InstructionField::new(2, 21, 1);
    /// Operand kind of l2_iter: s = literal, d = number of a RACCU register.
    pub const L2_ITER_SD: InstructionField = InstructionField::new(2, 20, 1);
    /// Operand kind of init_delay: s = literal, d = number of a RACCU register.
    pub const INIT_DELAY_SD: InstructionField = InstructionField::new(2, 19, 1);
    /// Operand kind of l1_delay: s = literal, d = number of a RACCU register.
    pub const L1_DELAY_SD: InstructionField = InstructionField::new(2, 18, 1);
    /// Operand kind of l2_delay: s = literal, d = number of a RACCU register.
    pub const L2_DELAY_SD: InstructionField = InstructionField::new(2, 17, 1);
    /// Operand kind of l1_step: s = literal, d = number of a RACCU register.
    pub const L1_STEP_SD: InstructionField = InstructionField::new(2, 16, 1);
    /// Operand kind of l2_step: s = literal, d = number of a RACCU register.
    pub const L2_STEP_SD: InstructionField = InstructionField::new(2, 15, 1);
    /// Number of tile-to-tile moves from the first tile of the open path to the addressed tile.
    pub const HOPS: InstructionField = InstructionField::new(2, 11, 4);
}

/// Fields of PERM.
pub mod perm {
    use crate::InstructionField;

    /// Kind of permutation.
    pub const MODE: InstructionField = InstructionField::new(0, 20, 3);
    /// 16-word row of the register file.
    pub const BLOCK: InstructionField = InstructionField::new(0, 18, 2);
    /// Number of word positions.
    pub const DISTANCE: InstructionField = InstructionField::new(0, 2, 16);
}

field_values! {
    /// Values of PERM `mode`: Kind of permutation.
    PermMode, some {
        ShlZero = 0 "shl_zero";
        ShrZero = 1 "shr_zero";
        ShlSame = 2 "shl_same";
        ShrSame = 3 "shr_same";
        RotL = 4 "rot_l";
        RotR = 5 "rot_r";
    }
}

/// Fields of IO.
pub mod io {
    use crate::InstructionField;

    /// r: input buffer to register file; w: register file to output buffer.
    pub const RW: InstructionField = InstructionField::new(0, 22, 1);
    /// First buffer row.
    pub const INIT_ADDR: InstructionField = InstructionField::new(1, 24, 25);
    /// Cycles to wait before the first access.
    pub const INIT_DELAY: InstructionField = InstructionField::new(1, 18, 6);
    /// Number of accesses, minus one.
    pub const L1_ITER: InstructionField = InstructionField::new(1, 13, 5);
    /// Row step.
    pub const L1_STEP: InstructionField = InstructionField::new(1, 8, 5);
    /// Idle cycles between two accesses.
    pub const L1_DELAY: InstructionField = InstructionField::new(1, 2, 6);
    /// Bit k set: word k of each row is not transferred.
    pub const MASK: InstructionField = InstructionField::new(2, 13, 16);
    /// Operand kind of init_addr: s = literal, d = number of a RACCU register.
    pub const INIT_ADDR_SD: InstructionField = InstructionField::new(2, 12, 1);
    /// Operand kind of init_delay: s = literal, d = number of a RACCU register.
    pub const INIT_DELAY_SD: InstructionField = InstructionField::new(2, 11, 1);
    /// Operand kind of l1_iter: s = literal, d = number of a RACCU register.
    pub const L1_ITER_SD: InstructionField = InstructionField::new(2, 10, 1);
    /// Operand kind of l1_step: s = literal, d = number of a RACCU register.
    pub const L1_STEP_SD: InstructionField = InstructionField::new(2, 9, 1);
}
