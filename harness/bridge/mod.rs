// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! [`sim`] crosses into C++; [`state_map`] and [`signal_map`] find registers and signals in the model by what
//! the fabric description says about them; [`mapped`] finds registers of any other design by its signal map.
//! `model` keeps the models of our own RTL from case to case.

pub mod mapped;
mod model;
mod origin;
pub mod signal_map;
pub mod sim;
pub mod state_map;
mod stopped;
mod unit_map;

use std::{fmt, path::Path, sync::Arc};

use drra_case::Case;
use drra_golden::{BufferWrite, Fabric, Signals};
use drra_isa::{
    ColumnId, Geometry, TileId, Unit,
    fabric::{Layout, Location},
    ports::{Block, Inputs},
};
use drra_lockstep::{
    AssertionFailure, Design, Dut, DutError, Fingerprint, Outputs, SignalDifference, StartError,
    StateSource, StepError, differing_signals,
};

use mapped::{Mapped, MappedError};
use model::Model;
use origin::OF_USER;
use signal_map::SignalMap;

use crate::SIZES;

/// The design that this build is for: the RTL of this project, or that of the user.
///
/// # Errors
/// If the design of the user does not fit its map.
pub fn design() -> Result<&'static dyn Design, &'static MappedError> {
    if OF_USER { Ok(Mapped::get()?) } else { Ok(&Rtl) }
}

/// Makes Verilated models of the RTL, of the sizes that this build has.
#[derive(Clone, Copy, Debug)]
pub struct Rtl;

impl Design for Rtl {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let model = Model::start(case, layout)?;
        Ok(Box::new(Verilated { model: Some(model), spent: false }))
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        Some(SIZES)
    }

    fn renew(&self) {
        Model::forget();
    }

    fn simulator(&self) -> &str {
        env!("DRRA_VERILATOR_VERSION")
    }

    fn fingerprint(&self) -> Fingerprint {
        origin::FINGERPRINT
    }

    fn writes_waves(&self) -> bool {
        sim::WRITES_WAVES
    }

    fn counts_coverage(&self) -> bool {
        sim::COUNTS_COVERAGE
    }

    fn write_coverage(&self, path: &Path) -> Result<(), DutError> {
        sim::write_coverage(&path.to_string_lossy())
    }
}

/// A model that runs a case.
pub struct Verilated {
    /// Until it is dropped.
    model: Option<Model>,
    /// The model cannot run another case: it was stopped, or writes waves.
    spent: bool,
}

impl Verilated {
    fn model(&self) -> &Model {
        self.model.as_ref().expect("a model until it is dropped")
    }

    fn model_mut(&mut self) -> &mut Model {
        self.model.as_mut().expect("a model until it is dropped")
    }

    /// What an evaluation came to: a model that was stopped stays so.
    fn evaluated(&mut self, result: Result<(), AssertionFailure>) -> Result<(), AssertionFailure> {
        self.spent |= result.is_err();
        result
    }
}

impl Drop for Verilated {
    fn drop(&mut self) {
        if let Some(model) = self.model.take().filter(|_| !self.spent) {
            model.keep();
        }
    }
}

impl fmt::Debug for Verilated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verilated").finish_non_exhaustive()
    }
}

impl StateSource for Verilated {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.model().map.read(unit, image);
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.model().map.sram_block(tile, row)
    }
}

impl Dut for Verilated {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        let result = self.model_mut().sim.drive(inputs);
        self.evaluated(result)
    }

    fn step(&mut self) -> Result<(), StepError> {
        let result = self.model_mut().sim.step();
        Ok(self.evaluated(result)?)
    }

    fn outputs(&self) -> Outputs {
        self.model().sim.outputs()
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.model().sim.io_in_addr(column)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        self.model().sim.io_out(column)
    }

    fn buffer_ports_are_zero(&self) -> bool {
        self.model().sim.buffer_ports_are_zero()
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let Model { signals, sim, map: state } = self.model();
        let map = match signals.get() {
            Some(map) => map,
            None => {
                let map = SignalMap::new(sim, state.geometry())?;
                signals.get_or_init(|| map)
            }
        };
        Ok(differing_signals(state.geometry(), golden, |signal| Some(map.value(signal))))
    }

    fn agrees(&self, golden: &Fabric) -> bool {
        self.model().map.agrees(golden)
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.model().map.sram_row(golden, tile, row)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.model().map.srams_agree(golden)
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.model_mut().map.flip(location, bit)
    }

    fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        self.spent = true;
        self.model_mut().sim.open_waves(path)
    }
}
