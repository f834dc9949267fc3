// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input of a report: the recorded cycles before and after a mismatch.

use std::sync::Arc;

use drra_case::Case;
use drra_diagnose::{
    Surroundings, attribution::Attribution, explain::Explanation, signature::DiagnosedFailure,
};
use drra_fabric::Layout;
use drra_golden::Signals;
use drra_isa::{CellId, Geometry};
use drra_lockstep::{RunLog, RunSetup, StateHistory};

use super::registers::CycleRegisters;
use crate::data::ReductionSizes;

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

/// The cycles around a mismatch.
pub(crate) struct MismatchContext<'a> {
    case: &'a Case,
    pub(crate) geometry: &'a Geometry,
    pub(crate) layout: &'a Arc<Layout>,
    pub(crate) mismatch: u64,
    pub(crate) log: &'a RunLog,
    signals: &'a [Signals],
    /// Instructions up to the mismatch.
    pub(crate) attribution: &'a Attribution,
    /// Instructions up to the last recorded cycle.
    pub(crate) later: &'a Attribution,
    pub(crate) explanation: &'a Explanation,
}

impl<'a> MismatchContext<'a> {
    /// Collects all information about a failing case.
    pub(crate) fn new(subject: &ReportInput<'a>) -> Self {
        let ReportInput { case, failing, around, .. } = *subject;
        let Surroundings { log, signals, attribution, later } = around;
        Self {
            case,
            geometry: &case.geometry,
            layout: log.golden.layout(),
            mismatch: failing.mismatch.cycle,
            log,
            signals,
            attribution,
            later,
            explanation: &failing.explanation,
        }
    }

    /// True if a cell is an I/O cell.
    pub(crate) fn is_io_cell(&self, cell: CellId) -> bool {
        self.case.io_cells.contains(&cell)
    }

    /// Golden registers of a cycle, if they are recorded.
    pub(crate) fn golden(&self, cycle: u64) -> Option<CycleRegisters<'a>> {
        registers(&self.log.golden, cycle)
    }

    /// RTL registers of a cycle, if they are recorded.
    pub(crate) fn rtl(&self, cycle: u64) -> Option<CycleRegisters<'a>> {
        registers(&self.log.dut, cycle)
    }

    /// Signals of the golden model in a cycle, if they are recorded.
    pub(crate) fn signals(&self, cycle: u64) -> Option<&'a Signals> {
        self.signals.get(usize::try_from(cycle.checked_sub(self.log.golden.first())?).ok()?)
    }
}

fn registers(history: &StateHistory, cycle: u64) -> Option<CycleRegisters<'_>> {
    history.has(cycle).then_some(CycleRegisters { history, cycle })
}
