// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design under test beside the golden model: both get the same inputs, and all state that the design
//! shows is compared in every cycle.
//!
//! * [`Dut`] is a design in one cycle, [`Design`] makes one for each run. The Verilated RTL is one
//!   implementation (in the root package), the golden model with the same trait ([`GoldenDesign`])
//!   another; [`Faulty`] plants faults into any of them.
//! * [`Pair::run`] is the loop that steps both sides. Everything that happens on the way is an
//!   [`Observer`]: the comparison ([`run`]), the trace ([`trace`]), coverage, replays.
//!
//! A disagreement is a result ([`Mismatch`]), not an error. The crate does not say who is responsible
//! for one, writes no files, and knows no simulator.
//!
//! ```
//! use drra_isa::Geometry;
//! use drra_lockstep::{Fault, Faulty, GoldenDesign, Setup, run};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let setup = Setup { design: &GoldenDesign, cycles: None };
//! assert_eq!(run(&case, &setup).unwrap().mismatch, None);
//!
//! // A program port that loses the lowest bit of every word.
//! let faulty = Faulty::new(&GoldenDesign, Fault::Word(|word| word & !1));
//! let setup = Setup { design: &faulty, ..setup };
//! assert!(run(&case, &setup).unwrap().mismatch.is_some());
//! ```

mod account;
mod difference;
mod dut;
mod end_state;
mod fault;
mod golden_dut;
mod golden_run;
mod pair;
mod port;
mod pulse;
mod run;
mod schedule;
mod signal;
mod state_source;
mod stimulus;
pub mod trace;
mod value;

pub use account::Account;
pub use account::Count;
pub use account::NotCompared;
pub use account::WhyNot;
pub use difference::Difference;
pub use difference::agrees;
pub use difference::differences;
pub use difference::hidden;
pub use dut::AssertionFailure;
pub use dut::Design;
pub use dut::Dut;
pub use dut::DutError;
pub use dut::Fingerprint;
pub use dut::Instance;
pub use dut::StartError;
pub use dut::StepError;
pub use dut::Stop;
pub use end_state::EndState;
pub use end_state::EndStateError;
pub use end_state::Unexpected;
pub use fault::AccessPort;
pub use fault::Fault;
pub use fault::Faulty;
pub use fault::Flip;
pub use fault::IdlePort;
pub use fault::registers;
pub use golden_dut::GoldenDesign;
pub use golden_run::DEFAULT_LIMIT;
pub use golden_run::EndRule;
pub use golden_run::GoldenResult;
pub use golden_run::GoldenRun;
pub use golden_run::QUIET_CYCLES;
pub use golden_run::run as run_golden;
pub use pair::Now;
pub use pair::Observer;
pub use pair::Pair;
pub use pair::Setup;
pub use port::Outputs;
pub use port::PortDifference;
pub use pulse::Pulse;
pub use pulse::pulse;
pub use run::Comparison;
pub use run::Ended;
pub use run::Mismatch;
pub use run::MismatchKind;
pub use run::Outcome;
pub use run::SRAM_PERIOD;
pub use run::run;
pub use run::run_observed;
pub use run::running;
pub use schedule::DecodeTimes;
pub use schedule::Deviation;
pub use schedule::Schedule;
pub use schedule::ScheduleError;
pub use schedule::Scheduled;
pub use schedule::Timed;
pub use signal::SignalAt;
pub use signal::SignalDifference;
pub use signal::differing_signals;
pub use state_source::StateSource;
pub use stimulus::Driven;
pub use stimulus::StimulusDifference;
pub use value::Value;
