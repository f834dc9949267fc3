// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lock-step runs of a design under test and the golden model: both get the same inputs, and all state that the
//! design shows is compared in every cycle.
//!
//! * [`Dut`] is a design in one cycle, and [`Design`] creates one for each run. The Verilated RTL is one implementation
//!   (in the root package), and the golden model behind the same trait ([`GoldenDesign`]) is another; tests inject
//!   faults into either.
//! * [`LockstepRun::run`] is the loop that steps both of them. Everything else that happens in a run is an
//!   [`Observer`]: the comparison ([`run`]), the trace ([`trace`]), coverage, the log of a run ([`RunLog`]).
//!
//! A disagreement is a result ([`Mismatch`]), not an error. The crate does not determine which instruction is
//! responsible for a mismatch, writes no files, and does not depend on a simulator.
//!
//! An example of a design of your own: a golden model whose program port loses the lowest bit of every word.
//!
//! ```
//! use std::sync::Arc;
//!
//! use drra_case::{Case, programs};
//! use drra_golden::{Fabric, ProgWord};
//! use drra_fabric::{Layout, ports::{Block, Inputs}};
//! use drra_isa::{Geometry, TileId, Unit};
//! use drra_lockstep::{
//!     AssertionFailure, Compare, Design, Dut, Ports, RunSetup, StartError, StateSource, StepError, run,
//! };
//!
//! struct Mine {
//!     fabric: Fabric,
//!     inputs: Inputs<'static>,
//! }
//!
//! impl StateSource for Mine {
//!     fn read(&self, unit: Unit, image: &mut Vec<u64>) {
//!         self.fabric.read(unit, image);
//!     }
//!     fn sram_block(&self, tile: TileId, row: usize) -> Block {
//!         self.fabric.sram(tile)[row]
//!     }
//! }
//!
//! impl Compare for Mine {}
//!
//! impl Dut for Mine {
//!     fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
//!         let prog = inputs.prog.map(|word| ProgWord { instr: word.instr & !1, ..word });
//!         self.inputs = Inputs { prog, io_in_data: &[], ..*inputs }; // it has no input buffers
//!         Ok(())
//!     }
//!     fn step(&mut self) -> Result<(), StepError> {
//!         self.fabric.step(&self.inputs);
//!         self.fabric.pack();
//!         Ok(())
//!     }
//!     fn ports(&self) -> Option<&dyn Ports> {
//!         Some(&self.fabric)
//!     }
//! }
//!
//! #[derive(Debug)]
//! struct MyDesign;
//!
//! impl Design for MyDesign {
//!     fn start(&self, case: &Case, _: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
//!         let fabric = Fabric::new(case.geometry, case.straps());
//!         Ok(Box::new(Mine { fabric, inputs: Inputs::default() }))
//!     }
//!     fn simulator(&self) -> &str {
//!         "mine"
//!     }
//! }
//!
//! let case = programs::ALL[0].case(&Geometry::default()).unwrap();
//! let outcome = run(&case, &RunSetup::new(&MyDesign)).unwrap();
//! let mismatch = outcome.mismatch.unwrap();
//! assert_eq!(mismatch.differences()[0].location.to_string(), "cell[0][0].seq.imem[16]");
//! ```

#![warn(missing_docs)]

mod compared;
mod difference;
mod dut;
mod end_state;
mod golden_dut;
mod golden_run;
mod golden_thread;
mod history;
mod lockstep_run;
mod log;
mod port;
mod run;
mod schedule;
mod signal;
mod stimulus;
mod stop;
pub mod trace;
mod value;

pub use compared::{
    ComparisonCoverage, StateCount, UncomparedReason, UncomparedRegisters, UnitShare,
};
pub use difference::{Difference, StateSource, agrees, between, differences, hidden};
pub use dut::{
    Compare, CoverageCounter, Design, DesignFingerprint, Dut, KnownStop, MappedDesign,
    StoppingDesign,
};
pub use end_state::{Element, EndState, EndStateError, Slice, SliceItem, UnexpectedValue};
pub use golden_dut::GoldenDesign;
pub use golden_run::{DEFAULT_LIMIT, EndRule, GoldenRun, QUIET_CYCLES};
pub use history::{HistoryCursor, StateHistory};
pub use lockstep_run::{CycleView, Heartbeat, LockstepRun, Observer, RunSetup};
pub use log::{CYCLES_AFTER, CYCLES_BEFORE, CycleSet, RunLog};
pub use port::{PortDifference, Ports, StatusOutputs, differing_ports, port_words};
pub use run::{
    Comparator, EarlierDifferenceSearch, GoldenResult, Mismatch, MismatchKind, Outcome,
    WaveformEnd, compare, find, run, run_golden, run_observed, running,
};
pub use schedule::{
    DecodeTimes, Schedule, ScheduleComparison, ScheduleDeviation, ScheduleError,
    ScheduledInstruction,
};
pub use signal::{SignalDifference, SignalLocation, differing_signals};
pub use stimulus::{DrivenInput, StimulusDifference};
pub use stop::{AssertionFailure, AssertionInstance, DutError, StartError, StepError, Stop};
pub use value::{Value, ValueWords, bit_list, put, take};
