// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log of a run: the golden model and the design over a range of cycles, and their differences.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use drra_case::Case;
use drra_fabric::{Layout, Location, PortId};
use drra_isa::{ColumnId, Geometry, Unit};

use crate::{
    golden_run::EndRule,
    history::StateHistory,
    lockstep_run::{CycleView, LockstepRun, Observer, RunSetup},
    stop::{DutError, StepError},
};

/// Number of cycles before a mismatch in which reports need the design.
pub const CYCLES_BEFORE: u64 = 256;
/// Number of cycles after a mismatch in which reports follow the difference.
pub const CYCLES_AFTER: u64 = 32;

/// The golden model and the design in the cycles of a run, from some cycle on. The log is an [`Observer`] of the run.
#[derive(Clone, Debug)]
pub struct RunLog {
    /// The golden model.
    pub golden: StateHistory,
    /// The design, until it stops.
    pub dut: StateHistory,
    /// The last cycle.
    pub last: u64,
    /// The first cycle in which registers or memories differ.
    pub mismatch: Option<u64>,
    /// Registers and memory rows that differ, each with the cycles in which it differs.
    pub differing: BTreeMap<Location, CycleSet>,
    /// Output ports that differ.
    pub ports: BTreeMap<(PortId, Option<ColumnId>, Unit), CycleSet>,
}

/// A set of cycles, as the first and the last cycle of each sequence of consecutive cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleSet(Vec<(u64, u64)>);

impl CycleSet {
    fn add(&mut self, cycle: u64) {
        match self.0.last_mut() {
            Some((_, to)) if *to + 1 == cycle => *to = cycle,
            _ => self.0.push((cycle, cycle)),
        }
    }

    /// The first cycle.
    pub fn first(&self) -> Option<u64> {
        self.0.first().map(|(from, _)| *from)
    }

    /// True if a cycle is in the set.
    pub fn has(&self, cycle: u64) -> bool {
        let after = self.0.partition_point(|(from, _)| *from <= cycle);
        after.checked_sub(1).is_some_and(|i| self.0[i].1 >= cycle)
    }
}

impl RunLog {
    /// A log that starts at one cycle for the golden model, and at another cycle for the design.
    pub fn new(layout: &Arc<Layout>, golden_from: u64, dut_from: u64) -> Self {
        Self {
            golden: StateHistory::new(layout, golden_from),
            dut: StateHistory::new(layout, dut_from),
            last: golden_from,
            mismatch: None,
            differing: BTreeMap::new(),
            ports: BTreeMap::new(),
        }
    }

    /// Runs a case again to a given end and records it from a given cycle on.
    ///
    /// # Errors
    /// If the design does not fit its map, or has no model of this size.
    pub fn record(
        case: &Case,
        setup: &RunSetup<'_>,
        from: u64,
        end: EndRule,
    ) -> Result<Self, DutError> {
        let mut run = LockstepRun::replay(case, setup)?;
        let mut log = Self::new(run.golden().layout(), from, from);
        run.run(end, &mut log);
        Ok(log)
    }

    /// The size of the fabric.
    pub fn geometry(&self) -> &Geometry {
        self.golden.layout().geometry()
    }
}

impl Observer for RunLog {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let cycle = view.cycle;
        self.last = cycle;
        if cycle >= self.golden.first() {
            self.golden.add(view.golden);
        }
        let Some(dut) = view.dut.filter(|_| cycle >= self.dut.first()) else {
            return ControlFlow::Continue(());
        };
        self.dut.add(dut);
        if !dut.agrees(view.golden) || !dut.srams_agree(view.golden) {
            self.mismatch.get_or_insert(cycle);
            for d in dut.differences(view.golden) {
                self.differing.entry(d.location).or_default().add(cycle);
            }
        }
        for d in dut.differing_ports(view.golden) {
            let unit = d.unit(view.golden.geometry());
            self.ports.entry((d.port, d.column, unit)).or_default().add(cycle);
        }
        ControlFlow::Continue(())
    }

    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}
