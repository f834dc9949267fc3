// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a report is made of: the cycles before and after a mismatch, recorded from a run of their
//! own.

use std::{ops::ControlFlow, sync::Arc};

use drra_case::Case;
use drra_diagnose::{
    attribution::Attribution,
    explain::{Explainer, Explanation},
};
use drra_golden::{Fabric, Signals};
use drra_isa::{CellId, Geometry, Unit, fabric::Layout};
use drra_lockstep::{
    Difference, DutError, EndRule, Mismatch, Now, Observer, Pair, PortDifference, Setup,
    StateSource, StepError,
};

use super::registers::{Frame, Registers};

/// Most cycles before the mismatch through which a value is traced back.
pub(crate) const HISTORY: u64 = 1024;
/// Cycles before the mismatch in which the RTL is shown.
pub(crate) const BEFORE: u64 = 256;
/// Cycles after the mismatch in which the difference is followed.
pub(crate) const AFTER: u64 = 32;

/// The cycles around a mismatch.
pub(crate) struct Recording<'a> {
    case: &'a Case,
    pub(crate) geometry: &'a Geometry,
    pub(crate) layout: Arc<Layout>,
    pub(crate) mismatch: u64,
    /// Golden registers, from `HISTORY` cycles before the mismatch to `AFTER` cycles after it.
    golden: Frames,
    /// RTL registers, from `BEFORE` cycles before the mismatch on.
    rtl: Frames,
    /// Signals of the golden model, for the same cycles as its registers.
    signals: Vec<Signals>,
    /// All differences of the mismatch and the cycles after it.
    pub(crate) differences: Vec<(u64, Vec<Difference>)>,
    /// Output ports that differ in these cycles.
    pub(crate) ports: Vec<(u64, Vec<PortDifference>)>,
    /// Instructions, up to the mismatch.
    pub(crate) attribution: Attribution,
    /// Instructions, to the last recorded cycle.
    pub(crate) later: Attribution,
    pub(crate) explanation: Explanation,
}

/// Frames of successive cycles.
struct Frames {
    first: u64,
    frames: Vec<Frame>,
}

impl Frames {
    fn at(&self, cycle: u64) -> Option<&Frame> {
        self.frames.get(usize::try_from(cycle.checked_sub(self.first)?).ok()?)
    }
}

fn frame(source: &dyn StateSource, units: &[Unit]) -> Frame {
    let image = |unit: &Unit| {
        let mut image = Vec::new();
        source.read(*unit, &mut image);
        image
    };
    Frame { images: units.iter().map(image).collect() }
}

/// Records while a case runs again.
struct Recorder<'a> {
    mismatch: u64,
    units: Vec<Unit>,
    golden: Frames,
    rtl: Frames,
    signals: Vec<Signals>,
    differences: Vec<(u64, Vec<Difference>)>,
    ports: Vec<(u64, Vec<PortDifference>)>,
    explainer: Explainer<'a>,
}

impl Observer for Recorder<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if now.cycle >= self.golden.first {
            self.golden.frames.push(frame(now.golden, &self.units));
        }
        if let Some(dut) = now.dut {
            if now.cycle >= self.rtl.first {
                self.rtl.frames.push(frame(dut, &self.units));
            }
            if now.cycle >= self.mismatch {
                self.differences.push((now.cycle, dut.differences(now.golden)));
                self.ports.push((now.cycle, dut.differing_ports(now.golden)));
            }
        }
        self.explainer.look(now)
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.explainer.before(golden, cycle);
        if cycle >= self.golden.first {
            self.signals.extend(self.explainer.follower().signals().cloned());
        }
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.explainer.after(golden, cycle);
    }

    fn stopped(&mut self, cycle: u64, why: &StepError) -> ControlFlow<()> {
        self.explainer.stopped(cycle, why)
    }

    fn reads_images(&self) -> bool {
        true
    }
}

impl<'a> Recording<'a> {
    /// Runs a case to its mismatch and on.
    ///
    /// # Errors
    /// If the design does not fit its maps.
    pub(crate) fn new(
        case: &'a Case,
        setup: &Setup<'a>,
        mismatch: &Mismatch,
    ) -> Result<Self, DutError> {
        let geometry = &case.geometry;
        let mut pair = Pair::replay(case, setup.design)?;
        let layout = Arc::clone(pair.golden().layout());
        let frames =
            |before| Frames { first: mismatch.cycle.saturating_sub(before), frames: Vec::new() };
        let mut recorder = Recorder {
            mismatch: mismatch.cycle,
            units: layout.units().collect(),
            golden: frames(HISTORY),
            rtl: frames(BEFORE),
            signals: Vec::new(),
            differences: Vec::new(),
            ports: Vec::new(),
            explainer: Explainer::new(case, mismatch, HISTORY),
        };
        pair.run(EndRule::at(mismatch.cycle + AFTER), &mut recorder);
        let Recorder { golden, rtl, signals, differences, ports, explainer, .. } = recorder;
        let later = explainer.follower().attribution().clone();
        let (explanation, attribution) = explainer.finish()?;
        Ok(Self {
            case,
            geometry,
            layout,
            mismatch: mismatch.cycle,
            golden,
            rtl,
            signals,
            differences,
            ports,
            attribution,
            later,
            explanation,
        })
    }

    /// True if a cell is an I/O cell.
    pub(crate) fn is_io_cell(&self, cell: CellId) -> bool {
        self.case.io_cells.contains(&(cell.row(), cell.col()))
    }

    /// Golden registers of a cycle, if they are recorded.
    pub(crate) fn golden(&self, cycle: u64) -> Option<Registers<'_>> {
        self.golden.at(cycle).map(|frame| self.registers(frame))
    }

    /// RTL registers of a cycle, if they are recorded.
    pub(crate) fn rtl(&self, cycle: u64) -> Option<Registers<'_>> {
        self.rtl.at(cycle).map(|frame| self.registers(frame))
    }

    fn registers<'b>(&'b self, frame: &'b Frame) -> Registers<'b> {
        Registers { layout: &self.layout, frame }
    }

    /// Signals of the golden model in a cycle, if they are recorded.
    pub(crate) fn signals(&self, cycle: u64) -> Option<&Signals> {
        // Recorded with the golden frames, without the last of them.
        self.signals.get(usize::try_from(cycle.checked_sub(self.golden.first)?).ok()?)
    }
}
