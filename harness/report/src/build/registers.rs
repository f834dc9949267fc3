// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of a recorded cycle.

use drra_fabric::{CrossbarPort, Register, SequencerState, SignalId, ports::Block};
use drra_isa::{CellId, Unit, instructions::DpuMode};
use drra_lockstep::{SignalLocation, StateHistory, Value};

use crate::data::{InstructionWords, Reading, SequencerActivity};

/// Words of the longest instruction.
const LONGEST: usize = 3;
/// Words of a program memory.
const PROGRAM_WORDS: usize = drra_isa::Geometry::IMEM_DEPTH;

/// The registers of one side in a cycle, without the tile memories.
#[derive(Clone, Copy)]
pub(crate) struct CycleRegisters<'a> {
    pub(crate) history: &'a StateHistory,
    pub(crate) cycle: u64,
}

impl CycleRegisters<'_> {
    /// The registers of a unit.
    pub(crate) fn image(&self, unit: Unit) -> Vec<u64> {
        self.history.image(unit, self.cycle)
    }

    /// Value of a register; `None` for memory rows.
    pub(crate) fn value(&self, unit: Unit, register: Register) -> Option<Value> {
        self.history.value(unit, register, self.cycle)
    }

    /// Low 64 bits of a register that is not a memory row.
    pub(crate) fn low(&self, unit: impl Into<Unit>, register: Register) -> u64 {
        self.value(unit.into(), register).map_or(0, |value| value.low())
    }

    /// Value of a register without lanes, with its meaning.
    pub(crate) fn reading(&self, unit: Unit, register: Register) -> Option<Reading> {
        Some(Reading::of_register(register.id(), self.value(unit, register)?))
    }

    /// Number of lanes in which the value of a register was computed in the previous cycle; 1 for a register without
    /// lanes.
    pub(crate) fn lanes(&self, unit: Unit, register: Register) -> u32 {
        let cycle = self.cycle.saturating_sub(1);
        match register {
            Register::DpuAcc(_) | Register::DpuIr0 | Register::DpuIr1
                if self.history.has(cycle) =>
            {
                CycleRegisters { cycle, ..*self }.dpu_lanes(unit, Register::DpuBwReg)
            }
            _ => 1,
        }
    }

    /// Number of lanes in which the DPU of a cell works in the cycle (chapter 4, 4.3), given the register that holds
    /// the width.
    pub(crate) fn dpu_lanes(&self, cell: Unit, width: Register) -> u32 {
        let mode = DpuMode::from_code(self.low(cell, Register::DpuModeReg));
        if mode.is_some_and(|mode| mode.info().lanes) {
            self.lanes_of_width(cell, width)
        } else {
            1
        }
    }

    /// Number of lanes of a signal: those of the operands or of the outputs of a DPU, otherwise 1.
    pub(crate) fn signal_lanes(&self, signal: SignalLocation) -> u32 {
        use SignalId as S;
        let width = match signal.id {
            S::DpuX | S::DpuY | S::DpuAddend => Register::DpuBwReg,
            S::DpuIn | S::DpuOperand | S::DpuAccOut => Register::DpuBwReg,
            S::DpuFormat | S::DpuOut => Register::SeqCfgBw,
            _ => return 1,
        };
        self.dpu_lanes(signal.unit, width)
    }

    /// Number of lanes of a word, given the register that holds the width (chapter 4, 4.3).
    pub(crate) fn lanes_of_width(&self, cell: Unit, width: Register) -> u32 {
        match self.low(cell, width) {
            1 => 2,
            3 => 4,
            _ => 1,
        }
    }

    /// The launch of a DPU instruction by a cell (chapter 4, 4.1): true if the instruction was just issued, false if it
    /// has waited; `None` without a launch.
    pub(crate) fn launch(&self, cell: Unit) -> Option<bool> {
        let set = |register| self.low(cell, register) == 1;
        if !set(Register::SeqImmediate) {
            return None;
        }
        let issued = set(Register::SeqDpuStart);
        (issued || set(Register::DpuShValid)).then_some(issued)
    }

    /// `cur_io` of the DPU of a cell (chapter 4, 4.1).
    pub(crate) fn io_change(&self, cell: Unit) -> u64 {
        self.low(
            cell,
            match self.launch(cell) {
                Some(true) => Register::SeqDpuIo,
                Some(false) => Register::DpuShIo,
                None => Register::DpuIoReg,
            },
        )
    }

    /// True if the launch of a DPU instruction changes `cur_io` in this cycle, before the mode changes (chapter 4, 4.2).
    pub(crate) fn changes_io(&self, cell: Unit) -> bool {
        self.io_change(cell) != self.low(cell, Register::DpuIoReg)
    }

    /// The register that holds `cur_const` of the DPU of a cell (chapter 4, 4.1).
    pub(crate) fn constant(&self, cell: Unit) -> Register {
        match self.launch(cell) {
            Some(true) => Register::SeqDpuConst,
            Some(false) => Register::DpuShConst,
            None => Register::DpuConstReg,
        }
    }

    /// The value at a crossbar output of a tile.
    pub(crate) fn block(&self, unit: Unit, output: CrossbarPort) -> Block {
        let value = self.value(unit, Register::TileXout(output));
        let words = value.as_ref().map_or(&[][..], |v| v.words());
        std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
    }

    /// The instruction at the program counter of a cell, with its address; `None` outside RUN.
    pub(crate) fn instruction(
        &self,
        cell: CellId,
        io_cell: bool,
    ) -> Option<(u8, InstructionWords)> {
        if self.low(cell, Register::SeqState) != SequencerState::Run.value() {
            return None;
        }
        let pc = self.low(cell, Register::SeqPc) as usize;
        let word = |k| self.low(cell, Register::SeqImem((pc + k) % PROGRAM_WORDS));
        let words: [u64; LONGEST] = std::array::from_fn(word);
        Some((pc as u8, InstructionWords::first_of(&words, io_cell)))
    }

    /// The activity of the sequencer of a cell.
    pub(crate) fn sequencer(&self, cell: CellId, io_cell: bool) -> SequencerActivity {
        if let Some((address, instruction)) = self.instruction(cell, io_cell) {
            let opcode = instruction.opcode();
            return SequencerActivity::Run { address, opcode };
        }
        let loads = self.low(cell, Register::SeqState) == SequencerState::Load.value();
        if loads { SequencerActivity::Load } else { SequencerActivity::Idle }
    }
}
