// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a report is made of: the cycles before and after a mismatch, as they were recorded.

use std::sync::Arc;

use drra_case::Case;
use drra_diagnose::{
    Surroundings, attribution::Attribution, explain::Explanation, signature::Failing,
};
use drra_golden::Signals;
use drra_isa::{CellId, Geometry, fabric::Layout};
use drra_lockstep::{History, RunLog, Setup};

use super::registers::Registers;
use crate::data::Reduced;

/// A failing case and what is known besides its mismatch.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub case: &'a Case,
    /// How it fails.
    pub failing: &'a Failing,
    /// What was recorded of it.
    pub around: &'a Surroundings,
    /// What it ran on.
    pub setup: Setup<'a>,
    /// Command that shows the mismatch again.
    pub repeat: &'a str,
    /// What the reduction did.
    pub reduced: Option<&'a Reduced>,
}

/// The cycles around a mismatch.
pub(crate) struct Recording<'a> {
    case: &'a Case,
    pub(crate) geometry: &'a Geometry,
    pub(crate) layout: &'a Arc<Layout>,
    pub(crate) mismatch: u64,
    pub(crate) log: &'a RunLog,
    signals: &'a [Signals],
    /// Instructions, up to the mismatch.
    pub(crate) attribution: &'a Attribution,
    /// Instructions, to the last recorded cycle.
    pub(crate) later: &'a Attribution,
    pub(crate) explanation: &'a Explanation,
}

impl<'a> Recording<'a> {
    /// What is known of a failing case.
    pub(crate) fn new(subject: &Subject<'a>) -> Self {
        let Subject { case, failing, around, .. } = *subject;
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
    pub(crate) fn golden(&self, cycle: u64) -> Option<Registers<'a>> {
        registers(&self.log.golden, cycle)
    }

    /// RTL registers of a cycle, if they are recorded.
    pub(crate) fn rtl(&self, cycle: u64) -> Option<Registers<'a>> {
        registers(&self.log.dut, cycle)
    }

    /// Signals of the golden model in a cycle, if they are recorded.
    pub(crate) fn signals(&self, cycle: u64) -> Option<&'a Signals> {
        self.signals.get(usize::try_from(cycle.checked_sub(self.log.golden.first())?).ok()?)
    }
}

fn registers(history: &History, cycle: u64) -> Option<Registers<'_>> {
    history.has(cycle).then_some(Registers { history, cycle })
}
