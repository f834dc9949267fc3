// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models of the RTL with the maps of their state. To make one takes longer than a short case: those that are done
//! with a case are kept, and put into reset for the next one. What has no reset value begins at random, from the seed
//! of the case alone, so that a kept model does what a new one does.

use std::{
    cell::OnceCell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use drra_case::Case;
use drra_isa::fabric::Layout;
use drra_lockstep::StartError;

use super::{signal_map::SignalMap, sim::Sim, state_map::StateMap};

/// Most models of a size that wait for a case.
const MOST: usize = 4;

static KEPT: Mutex<Vec<Model>> = Mutex::new(Vec::new());

/// The models that wait.
fn kept() -> MutexGuard<'static, Vec<Model>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A simulation with the maps of its state and signals.
pub(super) struct Model {
    // The maps point into `sim` and are dropped first.
    pub(super) map: StateMap,
    /// Found when it is asked for first.
    pub(super) signals: OnceCell<SignalMap>,
    pub(super) sim: Sim,
}

// SAFETY: a model and its maps are owned and used by one thread at a time. What the runtime of the simulator has for
// each thread is the context that it evaluates, which is set before each evaluation and by the destructor.
unsafe impl Send for Model {}

impl Model {
    /// A model in cycle 0: one that was kept, or a new one.
    ///
    /// # Errors
    /// If an assertion is violated in reset, or the model does not have the registers of the table.
    pub(super) fn start(case: &Case, layout: &Arc<Layout>) -> Result<Self, StartError> {
        let (geometry, io_cells) = (&case.geometry, case.straps());
        let kept = {
            let mut waiting = kept();
            let latest = waiting.iter().rposition(|model| model.map.geometry() == geometry);
            latest.map(|place| waiting.swap_remove(place))
        };
        // An assertion on the way from the last case into reset is none of this one.
        let reset = kept.and_then(|mut model| model.sim.enter_reset(io_cells).ok().map(|()| model));
        let mut model = match reset {
            Some(model) => model,
            None => {
                // What is no register is computed before it is read, so that the seed says nothing.
                let mut sim = Sim::unreset(geometry, case.seed)?;
                sim.enter_reset(io_cells)?;
                let map = StateMap::new(&sim, layout)?;
                Self { map, signals: OnceCell::new(), sim }
            }
        };
        model.map.randomize(case.seed);
        model.sim.leave_reset(&case.in_reset())?;
        Ok(model)
    }

    /// Makes new ones from now on: what a model is chosen by when it is made has changed.
    pub(super) fn forget() {
        kept().clear();
    }

    /// Keeps it for another case.
    pub(super) fn keep(mut self) {
        self.sim.end_counts();
        let mut waiting = kept();
        let alike = waiting.iter().filter(|model| model.map.geometry() == self.map.geometry());
        if alike.count() < MOST {
            waiting.push(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use drra_golden::Fabric;
    use drra_isa::{Geometry, Unit, ports::Inputs};
    use drra_lockstep::StateSource;

    use super::*;
    use crate::SIZES;

    fn image(map: &StateMap, unit: Unit) -> Vec<u64> {
        let mut image = Vec::new();
        map.read(unit, &mut image);
        image
    }

    /// In reset all registers get random values, of which none is left after it: one without a reset would be seen.
    #[test]
    fn registers_begin_at_random() {
        SIZES.iter().for_each(begins_at_random);
    }

    fn begins_at_random(geometry: &Geometry) {
        let layout = Layout::new(geometry);
        let mut sim = Sim::unreset(geometry, 1).unwrap();
        sim.enter_reset(0).unwrap();
        let mut map = StateMap::new(&sim, &layout).unwrap();
        map.randomize(5);
        let (mut bits, mut ones) = (0, 0);
        for unit in layout.units() {
            let image = image(&map, unit);
            ones += image.iter().map(|word| word.count_ones()).sum::<u32>();
            for field in layout.variables_of(unit.kind()).flat_map(|v| &v.fields) {
                bits += field.width;
                let value = layout.value(field.register, &image).unwrap();
                let zero = value.iter().all(|word| *word == 0);
                // One in 2^32 seeds has such a register.
                assert!(!zero || field.width < 32, "{unit}.{} is not random", field.register);
            }
        }
        let share = f64::from(ones) / f64::from(bits);
        assert!((0.48..0.52).contains(&share), "{ones} of {bits} bits are 1");
        let seen: Vec<_> = layout.units().map(|unit| image(&map, unit)).collect();
        map.randomize(6);
        assert_ne!(layout.units().map(|unit| image(&map, unit)).collect::<Vec<_>>(), seen);
        map.randomize(5);
        assert_eq!(layout.units().map(|unit| image(&map, unit)).collect::<Vec<_>>(), seen);
        sim.leave_reset(&Inputs::default()).unwrap();
        let reset = Fabric::new(*geometry, 0);
        assert!(map.agrees(&reset) && map.srams_agree(&reset));
    }
}
