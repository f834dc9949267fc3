// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words between cells (chapter 5, section 3): the lanes that a cell drives, and the inputs that
//! its switchbox connects to lanes. Their indices are those of the hardware.

use crate::names::identities;

identities! {
    array
    /// A lane that a cell drives.
    Lane {
        /// Read port 0 of the register file.
        Rf0 = "rdata_0",
        /// Read port 1 of the register file.
        Rf1 = "rdata_1",
        /// Output 0 of the DPU.
        Dpu0 = "dpu_out_0",
        /// Output 1 of the DPU.
        Dpu1 = "dpu_out_1",
    }
}

identities! {
    array
    /// An input of a cell that listens to a lane.
    CellInput {
        /// Write port 0 of the register file.
        Write0 = "wdata_0",
        /// Write port 1 of the register file.
        Write1 = "wdata_1",
        /// Operand 0 of the DPU.
        Dpu0 = "dpu_in_0",
        /// Operand 1 of the DPU.
        Dpu1 = "dpu_in_1",
        /// Operand 2 of the DPU.
        Dpu2 = "dpu_in_2",
        /// Operand 3 of the DPU.
        Dpu3 = "dpu_in_3",
    }
}
