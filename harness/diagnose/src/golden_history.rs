// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of the golden model alone, recorded over a range of cycles.

use std::ops::{ControlFlow, Range};

use drra_case::Case;
use drra_fabric::{Lane, Register};
use drra_golden::{Fabric, Signals};
use drra_isa::{CellId, instructions::DpuMode};
use drra_lockstep::{CycleView, EndRule, LockstepRun, Observer, StateHistory};

use crate::{
    ActiveOutputs,
    attribution::{Attribution, rf_init},
    low,
};

/// The golden model in a range of cycles.
#[derive(Clone, Debug)]
pub struct GoldenHistory {
    /// The state in these cycles, and in the cycle after them.
    pub state: StateHistory,
    /// The signals in these cycles.
    pub signals: Vec<Signals>,
    /// Instructions and writes in the last [`Self::KEPT_CYCLES`] cycles up to the end of these cycles.
    pub attribution: Attribution,
    active: Vec<ActiveOutputs>,
}

impl GoldenHistory {
    /// Number of cycles whose instructions and writes are known; the limit bounds the memory that a long run takes.
    pub const KEPT_CYCLES: u64 = 1 << 14;

    /// Runs a case up to the end of these cycles and records the cycles.
    pub fn record(case: &Case, cycles: Range<u64>) -> Self {
        let mut run = LockstepRun::alone(case);
        let history = Self {
            state: StateHistory::new(run.golden().layout(), cycles.start),
            signals: Vec::new(),
            attribution: Attribution::new(case, Self::KEPT_CYCLES),
            active: Vec::new(),
        };
        let active = ActiveOutputs::new(&case.geometry);
        let mut recorder = Recorder { case, history, active };
        run.run(EndRule::at(cycles.end), &mut recorder);
        recorder.history
    }

    /// True if a lane carries a word that was read or computed for a cycle.
    pub fn carries(&self, cell: CellId, lane: Lane, cycle: u64) -> bool {
        let at = cycle.wrapping_sub(self.state.first()) as usize;
        self.active.get(at).is_some_and(|active| active.lane(&self.signals[at], cell, lane))
    }
}

struct Recorder<'a> {
    case: &'a Case,
    history: GoldenHistory,
    active: ActiveOutputs,
}

impl Observer for Recorder<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        if view.cycle >= self.history.state.first() {
            self.history.state.add(view.golden);
        }
        ControlFlow::Continue(())
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        let Self { case, history, active } = self;
        let now = golden.signals();
        history.attribution.before(golden, &now, cycle, rf_init(case, cycle));
        let before = active.clone();
        for cell in CellId::all(&case.geometry) {
            let mode = DpuMode::from_code(low(golden, cell, Register::DpuModeReg));
            active.step_dpu(cell, mode.filter(|m| before.operation(&now, cell, *m).is_some()));
        }
        if cycle >= history.state.first() {
            history.signals.push(now);
            history.active.push(before);
        }
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        self.history.attribution.after(golden, cycle);
    }

    fn reads_images(&self) -> bool {
        true
    }
}
