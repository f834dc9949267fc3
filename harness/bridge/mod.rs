// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! [`sim`] crosses into C++; [`state_map`] and [`signal_map`] find registers and signals in the model by what
//! the fabric description says about them; [`mapped`] finds registers of any other design by its signal map.

pub mod mapped;
mod origin;
pub mod signal_map;
pub mod sim;
pub mod state_map;
mod stopped;
mod unit_map;

pub use crate::scope;

use std::cell::OnceCell;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use drra_case::Case;
use drra_golden::BufferWrite;
use drra_golden::Fabric;
use drra_golden::Signals;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::TileId;
use drra_isa::Unit;
use drra_isa::fabric::Layout;
use drra_isa::fabric::Location;
use drra_isa::ports::Block;
use drra_isa::ports::Inputs;
use drra_lockstep::AssertionFailure;
use drra_lockstep::Design;
use drra_lockstep::Dut;
use drra_lockstep::DutError;
use drra_lockstep::Fingerprint;
use drra_lockstep::Outputs;
use drra_lockstep::SignalDifference;
use drra_lockstep::StartError;
use drra_lockstep::StateSource;
use drra_lockstep::StepError;
use drra_lockstep::differing_signals;

use mapped::Mapped;
use mapped::MappedError;
use origin::OF_USER;
use signal_map::SignalMap;
use sim::Sim;
use state_map::StateMap;

/// The design that this build is for: the RTL of this project, or that of the user.
///
/// # Errors
/// If the design of the user does not fit its map.
pub fn design() -> Result<&'static dyn Design, &'static MappedError> {
    if OF_USER { Ok(Mapped::get()?) } else { Ok(&Rtl) }
}

/// Makes Verilated models of the RTL, of the one size that this build is for.
#[derive(Clone, Copy, Debug)]
pub struct Rtl;

impl Design for Rtl {
    fn start(
        &self,
        case: &Case,
        geometry: &Geometry,
        layout: &Arc<Layout>,
    ) -> Result<Box<dyn Dut>, StartError> {
        let sim = Sim::new(case.seed, case.straps(geometry)).map_err(StartError::Violated)?;
        let map = StateMap::new(&sim, layout, geometry)?;
        Ok(Box::new(Verilated { map, signals: OnceCell::new(), sim, geometry: *geometry }))
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

/// A simulation with the map of its state.
pub struct Verilated {
    // `map` and `signals` point into `sim` and are dropped first.
    map: StateMap,
    /// Found when it is asked for first.
    signals: OnceCell<SignalMap>,
    sim: Sim,
    geometry: Geometry,
}

impl fmt::Debug for Verilated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verilated").finish_non_exhaustive()
    }
}

impl StateSource for Verilated {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.map.read(unit, image);
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.map.sram_block(tile, row)
    }
}

impl Dut for Verilated {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        self.sim.drive(inputs)
    }

    fn step(&mut self) -> Result<(), StepError> {
        Ok(self.sim.step()?)
    }

    fn outputs(&self) -> Outputs {
        self.sim.outputs()
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.sim.io_in_addr(column)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        self.sim.io_out(column)
    }

    fn buffer_ports_are_zero(&self) -> bool {
        self.sim.buffer_ports_are_zero()
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let map = match self.signals.get() {
            Some(map) => map,
            None => {
                let map = SignalMap::new(&self.sim, &self.geometry)?;
                self.signals.get_or_init(|| map)
            }
        };
        Ok(differing_signals(&self.geometry, golden, |signal| Some(map.value(signal))))
    }

    fn agrees(&self, golden: &Fabric) -> bool {
        self.map.agrees(golden)
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.map.sram_row(golden, tile, row)
    }

    fn srams_agree(&self, golden: &Fabric) -> bool {
        self.map.srams_agree(golden)
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.map.flip(location, bit)
    }

    fn open_waves(&mut self, path: &Path) -> Result<(), DutError> {
        self.sim.open_waves(path)
    }
}
