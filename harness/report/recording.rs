// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a report is made of: the cycles before and after a mismatch, recorded from a run of their
//! own.

use std::sync::Arc;

use drra_golden::Layout;
use drra_golden::Signals;
use drra_golden::Unit;
use drra_isa::Geometry;

use super::registers::Frame;
use super::registers::Registers;
use crate::attribution::Attribution;
use crate::case::Case;
use crate::explain;
use crate::explain::Explanation;
use crate::lockstep::Mismatch;
use crate::lockstep::Options;
use crate::replay::Replay;
use crate::state_map::Difference;
use crate::trace::StateSource;

/// Cycles before the mismatch through which a value is traced back.
pub(super) const HISTORY: u64 = 1024;
/// Cycles before the mismatch in which the RTL is shown.
pub(super) const BEFORE: u64 = 256;
/// Cycles behind the mismatch in which the difference is followed.
pub(super) const AFTER: u64 = 32;

/// The cycles around a mismatch.
pub(super) struct Recording<'a> {
    pub(super) geometry: &'a Geometry,
    pub(super) layout: Arc<Layout>,
    pub(super) mismatch: u64,
    /// Golden registers, from `HISTORY` cycles before the mismatch to `AFTER` cycles behind it.
    golden: Side,
    /// RTL registers, from `BEFORE` cycles before the mismatch on.
    rtl: Side,
    /// Signals of the golden model, as far as its registers.
    signals: Vec<Signals>,
    /// All differences of the mismatch and the cycles behind it.
    pub(super) differences: Vec<(u64, Vec<Difference>)>,
    /// Instructions, up to the mismatch.
    pub(super) attribution: Attribution,
    /// Instructions, to the last recorded cycle.
    pub(super) later: Attribution,
    pub(super) explanation: Explanation,
}

/// Frames of successive cycles.
struct Side {
    first: u64,
    frames: Vec<Frame>,
}

impl Side {
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

impl<'a> Recording<'a> {
    /// Runs a case to its mismatch and on.
    ///
    /// # Errors
    /// If the model does not fit the state map.
    pub(super) fn new(
        case: &'a Case,
        geometry: &'a Geometry,
        options: &Options,
        mismatch: &Mismatch,
    ) -> Result<Self, String> {
        let mut replay = Replay::new(case, geometry, options, HISTORY)?;
        let layout = Arc::clone(replay.golden().layout());
        let units = layout.units();
        let side =
            |before| Side { first: mismatch.cycle.saturating_sub(before), frames: Vec::new() };
        let (mut golden, mut rtl) = (side(HISTORY), side(BEFORE));
        let mut signals = Vec::new();
        let mut differences = Vec::new();
        let mut explained: Option<(Attribution, Explanation)> = None;
        let last = mismatch.cycle + AFTER;
        loop {
            replay.begin();
            let cycle = replay.cycle();
            if cycle >= golden.first {
                golden.frames.push(frame(replay.golden(), &units));
            }
            if let Some(run) = replay.rtl() {
                if cycle >= rtl.first {
                    rtl.frames.push(frame(run.map(), &units));
                }
                if cycle >= mismatch.cycle {
                    differences.push((cycle, run.map().differences(replay.golden())));
                }
            }
            if cycle == last {
                break;
            }
            let leads = cycle + 1 == mismatch.cycle;
            let differing = if leads { replay.differing_signals()? } else { Vec::new() };
            let now = replay.step();
            if leads {
                let followed = replay.attribution().clone();
                let explanation =
                    explain::attribute(mismatch, geometry, &followed, &now, &differing);
                explained = Some((followed, explanation));
            }
            if cycle >= golden.first {
                signals.push(now);
            }
        }
        let later = replay.attribution().clone();
        let (attribution, explanation) = match explained {
            Some(both) => both,
            // In cycle 0 nothing has been decoded yet.
            None => (Attribution::new(case, geometry, 0), explain::unexplained(mismatch)),
        };
        Ok(Self {
            geometry,
            layout,
            mismatch: mismatch.cycle,
            golden,
            rtl,
            signals,
            differences,
            attribution,
            later,
            explanation,
        })
    }

    /// Golden registers of a cycle, if they are recorded.
    pub(super) fn golden(&self, cycle: u64) -> Option<Registers<'_>> {
        self.golden.at(cycle).map(|frame| self.registers(frame))
    }

    /// RTL registers of a cycle, if they are recorded.
    pub(super) fn rtl(&self, cycle: u64) -> Option<Registers<'_>> {
        self.rtl.at(cycle).map(|frame| self.registers(frame))
    }

    fn registers<'b>(&'b self, frame: &'b Frame) -> Registers<'b> {
        Registers { layout: &self.layout, geometry: self.geometry, frame }
    }

    /// Signals of the golden model in a cycle, if they are recorded.
    pub(super) fn signals(&self, cycle: u64) -> Option<&Signals> {
        // Recorded with the golden frames, without the last of them.
        self.signals.get(usize::try_from(cycle.checked_sub(self.golden.first)?).ok()?)
    }
}
