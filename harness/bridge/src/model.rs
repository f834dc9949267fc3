// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Verilated model as a design under test.
//!
//! Creating a model takes longer than a short case, so models of our own RTL are kept after a case. For the next case,
//! a kept model is restored to the state in its first reset, which is the same in all models; then its known registers
//! get random values from the seed of the case. So a kept model behaves like a new one, whatever state the last case
//! left in it. State that is not known, and is therefore not compared, is searched for between cases. A model that
//! cannot be restored runs one case, and so does a model of a user's design, whose variables all start with random
//! values from the seed of the case.

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    fmt,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use drra_case::Case;
use drra_fabric::{
    Location, Register,
    ports::{Block, Inputs},
};
use drra_golden::{Fabric, Signals};
use drra_isa::{Geometry, TileId, Unit};
use drra_lockstep::{
    AssertionFailure, Compare, Difference, Dut, DutError, PortDifference, Ports, SignalDifference,
    SignalLocation, StartError, StateSource, StepError, differing_ports, differing_signals,
};

use crate::{
    built::BuiltModels,
    computed::CaseCycle,
    plan::ComparisonPlan,
    signals::ModelSignals,
    sim::{self, Sim},
    state::ModelState,
};

/// Maximum number of models per size that wait for a case.
const MAX_WAITING: usize = 4;

static POOL: Mutex<ModelPool> = Mutex::new(ModelPool { models: Vec::new(), unknown: Vec::new() });

/// The models that are kept between cases.
pub(crate) struct ModelPool {
    /// The waiting models.
    models: Vec<Model>,
    /// Names of unknown state that this process or its workers have found.
    pub(crate) unknown: Vec<String>,
}

pub(crate) fn pool() -> MutexGuard<'static, ModelPool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A simulation with its state.
struct Model {
    // `state` and `signals` contain addresses in `sim` and are dropped first.
    state: ModelState,
    /// Located on first use.
    signals: OnceCell<ModelSignals>,
    sim: Sim,
}

// SAFETY: a model and the values that contain addresses in it are owned and used by one thread at a time. The only
// thread-local state of the simulator's runtime is the current context, which is set before each evaluation and by the
// destructor.
unsafe impl Send for Model {}

impl Model {
    fn geometry(&self) -> &Geometry {
        self.state.plan.layout.geometry()
    }

    /// Takes the model of a size that was returned last.
    fn waiting(geometry: &Geometry) -> Option<Self> {
        let waiting = &mut pool().models;
        let latest = waiting.iter().rposition(|model| model.geometry() == geometry)?;
        Some(waiting.swap_remove(latest))
    }
}

/// Drops the waiting models, because the settings for new models have changed.
pub(crate) fn forget() {
    pool().models.clear();
}

/// A model that is running a case.
pub(crate) struct VerilatedDut {
    /// `None` only while the value is dropped.
    model: Option<Model>,
    /// True if the model cannot run another case.
    spent: bool,
    now: CaseCycle,
}

impl VerilatedDut {
    /// A model in cycle 0. `plan` is the plan for a user's design, and `None` for our own RTL.
    ///
    /// # Errors
    /// If an assertion is violated in reset, or the model does not have the registers of the fabric description.
    pub(crate) fn start(
        built: &'static BuiltModels,
        case: &Case,
        plan: Option<&Arc<ComparisonPlan>>,
    ) -> Result<Self, StartError> {
        let (geometry, io_cells) = (&case.geometry, case.straps());
        let of_user = plan.is_some();
        let mut model = match Model::waiting(geometry).filter(|_| !of_user) {
            Some(mut model) => {
                model.sim.enter_reset(io_cells, case.seed)?;
                model
            }
            None => {
                let mut sim = Sim::new(built, geometry, if of_user { case.seed } else { 0 })?;
                sim.enter_reset(io_cells, case.seed)?;
                let plan = plan
                    .map_or_else(|| ComparisonPlan::own(&sim, geometry), |p| Ok(Arc::clone(p)))?;
                Model { state: ModelState::new(&sim, plan), signals: OnceCell::new(), sim }
            }
        };
        let spent = of_user || !model.sim.restores();
        if !of_user {
            // Only a new model has executed initial blocks, so their warnings are not those of the case.
            sim::take_warnings();
            model.state.randomize(case.seed);
        }
        model.sim.leave_reset(&case.in_reset())?;
        let load_end = case.stimulus.load_end(geometry);
        Ok(Self { model: Some(model), spent, now: CaseCycle { cycle: 0, load_end } })
    }

    fn model(&self) -> &Model {
        self.model.as_ref().expect("the model is taken only on drop")
    }

    fn model_mut(&mut self) -> &mut Model {
        self.model.as_mut().expect("the model is taken only on drop")
    }

    fn state(&self) -> &ModelState {
        &self.model().state
    }

    /// Passes on the result of an evaluation; a model that has stopped runs no further case.
    fn evaluated(&mut self, result: Result<(), AssertionFailure>) -> Result<(), AssertionFailure> {
        self.spent |= result.is_err();
        result
    }
}

impl Drop for VerilatedDut {
    fn drop(&mut self) {
        let Some(mut model) = self.model.take().filter(|_| !self.spent) else { return };
        model.sim.end_counts();
        // If the search stops the model, its state remains unknown.
        let Ok(unknown) = model.sim.unknown_state(&model.state.plan.known) else { return };
        let mut pool = pool();
        pool.unknown.extend(unknown);
        let waiting = &mut pool.models;
        if waiting.iter().filter(|other| other.geometry() == model.geometry()).count() < MAX_WAITING
        {
            waiting.push(model);
        }
    }
}

impl fmt::Debug for VerilatedDut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verilated").finish_non_exhaustive()
    }
}

impl StateSource for VerilatedDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.state().read(unit, image);
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.state().sram_block(tile, row)
    }

    fn shows(&self, unit: Unit, register: Register) -> bool {
        self.state().shows(unit, register)
    }

    fn shows_all(&self) -> bool {
        self.state().shows_all()
    }
}

impl Compare for VerilatedDut {
    fn agrees(&self, golden: &Fabric) -> bool {
        self.state().agrees(golden, self.now)
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.state().row_agrees(golden, tile, row, self.now)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.state().memories_agree(golden, self.now)
    }

    fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        self.state().corrected(drra_lockstep::differences(self, golden), golden, self.now)
    }
}

impl Dut for VerilatedDut {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        let result = self.model_mut().sim.drive(inputs);
        self.evaluated(result)?;
        self.model_mut().state.refresh();
        Ok(())
    }

    fn step(&mut self) -> Result<(), StepError> {
        let model = self.model_mut();
        model.state.keep();
        let result = model.sim.step();
        self.evaluated(result)?;
        self.now.cycle += 1;
        Ok(())
    }

    fn ports(&self) -> Option<&dyn Ports> {
        Some(&self.model().sim)
    }

    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        let Model { state, sim, .. } = self.model();
        let excluded = state.plan.shown.as_ref().map(|shown| &shown.excluded_outputs);
        let mut all = differing_ports(golden, sim);
        all.retain(|d| excluded.is_none_or(|excluded| !excluded.contains(&d.port)));
        all
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let model = self.model();
        if model.state.plan.shown.is_some() {
            let shown = |signal| model.state.signal(signal);
            return Ok(differing_signals(model.geometry(), golden, shown));
        }
        let map = match model.signals.get() {
            Some(map) => map,
            None => {
                let map = ModelSignals::new(&model.sim, model.geometry())?;
                model.signals.get_or_init(|| map)
            }
        };
        Ok(differing_signals(model.geometry(), golden, |signal| map.value(signal)))
    }

    fn shown_signals(&self) -> Option<BTreeSet<SignalLocation>> {
        let shown = self.state().plan.shown.as_ref()?;
        Some(shown.signals.keys().copied().collect())
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.model_mut().state.flip(location, bit)
    }

    fn take_over(&mut self, golden: &Fabric) -> bool {
        let done = self.differences(golden).iter().all(|d| {
            let mut bits = d.golden.bits_that_differ(&d.dut).into_iter();
            bits.all(|bit| self.model_mut().state.flip(d.location, bit))
        });
        let propagated = self.model_mut().sim.propagate();
        done && self.evaluated(propagated).is_ok()
    }

    fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        self.spent = true;
        self.model_mut().sim.open_waves(path)
    }
}
