// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input of a report: the recorded cycles before and after a mismatch, or before the end state.

use std::{
    ops::{Deref, Range},
    sync::Arc,
};

use drra_case::Case;
use drra_diagnose::{
    Surroundings, attribution::Attribution, explain::Explanation, signature::DiagnosedFailure,
};
use drra_fabric::{Layout, Location, Register};
use drra_golden::Signals;
use drra_isa::{CellId, Geometry, instructions::DpuMode};
use drra_lockstep::{RunLog, RunSetup, StateHistory, Value};

use super::registers::CycleRegisters;
use crate::data::{Reading, ReductionSizes};

/// A failing case, with everything known about it.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    pub case: &'a Case,
    /// The failure of the case.
    pub failing: &'a DiagnosedFailure,
    /// The cycles recorded around the mismatch.
    pub around: &'a Surroundings,
    /// The setup in which the case ran.
    pub setup: RunSetup<'a>,
    /// The command that reproduces the mismatch.
    pub repeat: &'a str,
    /// The result of shrinking.
    pub reduced: Option<&'a ReductionSizes>,
}

/// Recorded cycles of the golden model, with the instructions up to a cycle.
#[derive(Clone, Copy)]
pub(crate) struct GoldenCycles<'a> {
    pub(crate) case: &'a Case,
    pub(crate) geometry: &'a Geometry,
    pub(crate) state: &'a StateHistory,
    pub(crate) signals: &'a [Signals],
    pub(crate) attribution: &'a Attribution,
}

/// The cycles around a mismatch.
pub(crate) struct MismatchContext<'a> {
    pub(crate) layout: &'a Arc<Layout>,
    pub(crate) mismatch: u64,
    pub(crate) log: &'a RunLog,
    /// The golden model, with the instructions up to the mismatch.
    pub(crate) recorded: GoldenCycles<'a>,
    /// Instructions up to the last recorded cycle.
    pub(crate) later: &'a Attribution,
    pub(crate) explanation: &'a Explanation,
}

impl<'a> MismatchContext<'a> {
    /// Collects all information about a failing case.
    pub(crate) fn new(subject: &ReportInput<'a>) -> Self {
        let ReportInput { case, failing, around, .. } = *subject;
        let Surroundings { log, signals, attribution, later, .. } = around;
        Self {
            layout: log.golden.layout(),
            mismatch: failing.mismatch.cycle,
            log,
            recorded: GoldenCycles {
                case,
                geometry: &case.geometry,
                state: &log.golden,
                signals,
                attribution,
            },
            later,
            explanation: &failing.explanation,
        }
    }

    /// RTL registers of a cycle, if they are recorded.
    pub(crate) fn rtl(&self, cycle: u64) -> Option<CycleRegisters<'a>> {
        registers(&self.log.dut, cycle)
    }
}

impl<'a> Deref for MismatchContext<'a> {
    type Target = GoldenCycles<'a>;

    fn deref(&self) -> &GoldenCycles<'a> {
        &self.recorded
    }
}

impl<'a> GoldenCycles<'a> {
    /// True if a cell is an I/O cell.
    pub(crate) fn is_io_cell(&self, cell: CellId) -> bool {
        self.case.io_cells.contains(&cell)
    }

    /// The recorded cycles.
    pub(crate) fn cycles(&self) -> Range<u64> {
        self.state.cycles()
    }

    /// Registers of a cycle, if they are recorded.
    pub(crate) fn golden(&self, cycle: u64) -> Option<CycleRegisters<'a>> {
        registers(self.state, cycle)
    }

    /// Signals of a cycle, if they are recorded.
    pub(crate) fn signals(&self, cycle: u64) -> Option<&'a Signals> {
        self.signals.get(usize::try_from(cycle.checked_sub(self.state.first())?).ok()?)
    }

    /// A value of a register in any cycle, in the lanes in which the register is computed in the cycle before `at`. A
    /// report writes a register in the same way everywhere, so `at` is the cycle of the mismatch.
    pub(crate) fn reading(&self, at: u64, location: Location, value: Value) -> Reading {
        let Location { unit, register } = location;
        let lanes = self.golden(at).map_or(1, |now| now.lanes(unit, register));
        Reading::of_register(register.id(), value).in_lanes(lanes)
    }

    /// Mode of a DPU in a cycle.
    pub(crate) fn mode(&self, cell: CellId, cycle: u64) -> Option<DpuMode> {
        DpuMode::from_code(self.golden(cycle)?.low(cell, Register::DpuModeReg))
    }

    /// True if a launch clears the accumulators in a cycle, false if the operand count does so, `None` if nothing
    /// clears them (chapter 4, 5.5).
    pub(crate) fn clears(&self, cell: CellId, cycle: u64) -> Option<bool> {
        let (now, mode) = (self.golden(cycle)?, self.mode(cell, cycle)?);
        if now.launch(cell.into()).is_some() {
            return (mode != DpuMode::LdAcc).then_some(true);
        }
        let count = now.low(cell, Register::DpuConstReg);
        let reached = count != 0 && now.low(cell, Register::DpuAccCnt) == count;
        (mode.info().counts && reached).then_some(false)
    }
}

fn registers(history: &StateHistory, cycle: u64) -> Option<CycleRegisters<'_>> {
    history.has(cycle).then_some(CycleRegisters { history, cycle })
}
