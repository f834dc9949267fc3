// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words between cells (chapter 5, section 3): the lanes that a cell drives, and the inputs that
//! its switchbox connects to lanes.

use std::fmt;

/// A lane that a cell drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Read port 0 of the register file.
    Rf0,
    /// Read port 1 of the register file.
    Rf1,
    /// Output 0 of the DPU.
    Dpu0,
    /// Output 1 of the DPU.
    Dpu1,
}

/// An input of a cell that listens to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellInput {
    /// Write port 0 of the register file.
    Write0,
    /// Write port 1 of the register file.
    Write1,
    /// Operand 0 of the DPU.
    Dpu0,
    /// Operand 1 of the DPU.
    Dpu1,
    /// Operand 2 of the DPU.
    Dpu2,
    /// Operand 3 of the DPU.
    Dpu3,
}

impl Lane {
    /// All, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Rf0, Self::Rf1, Self::Dpu0, Self::Dpu1];

    /// Position in [`Self::ALL`]; that of the lane in the hardware, too.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lane at this position.
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// Name of the signal: `rdata_0`, `rdata_1`, `dpu_out_0`, `dpu_out_1`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rf0 => "rdata_0",
            Self::Rf1 => "rdata_1",
            Self::Dpu0 => "dpu_out_0",
            Self::Dpu1 => "dpu_out_1",
        }
    }
}

impl CellInput {
    /// All, in the order of their indices.
    pub const ALL: [Self; 6] =
        [Self::Write0, Self::Write1, Self::Dpu0, Self::Dpu1, Self::Dpu2, Self::Dpu3];

    /// Position in [`Self::ALL`]; that of its entry in the switchbox, too.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The input at this position.
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// Name of the signal: `wdata_0`, `wdata_1`, `dpu_in_0` to `dpu_in_3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write0 => "wdata_0",
            Self::Write1 => "wdata_1",
            Self::Dpu0 => "dpu_in_0",
            Self::Dpu1 => "dpu_in_1",
            Self::Dpu2 => "dpu_in_2",
            Self::Dpu3 => "dpu_in_3",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for CellInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
