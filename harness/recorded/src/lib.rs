// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares designs that run on other simulators with the golden model: a waveform is treated like a design in
//! lock-step.
//!
//! * [`SignalNames`] are the names of signals, however a simulator writes them.
//! * [`Waveform`] is a file in any supported format; [`samples`] delivers its values just before the clock edges.
//! * [`map`] defines which signals show which registers; [`own_map`] is the map for the RTL of this project.
//! * [`infer`] proposes a map.
//! * [`WaveformCheck`] performs the comparison: the waveform is a design under test ([`RecordedDesign`]) with the
//!   stimulus seen on its ports, or else with that of a given case.
//! * [`LiveCheck`] performs it while the samples arrive.
//! * [`export`] writes the files that another simulator needs to run a case.
//!
//! The crate runs no simulator.

mod check;
mod compared;
mod design;
mod driven;
mod ending;
mod error;
pub mod export;
pub mod infer;
mod live;
pub mod map;
mod names;
mod own_map;
mod plan;
mod samples;
mod scan;
mod state;
mod stimulus;
mod tally;
mod waveform;

pub use check::{CheckResult, WaveformCheck};
pub use design::RecordedDesign;
pub use ending::BusyUnits;
pub use error::RecordedError;
pub use live::LiveCheck;
pub use names::{NameError, Signal, SignalHandle, SignalKind, SignalNames};
pub use own_map::own_map;
pub use samples::{Clock, Edge, LatestValues, Sample, samples};
pub use waveform::{TimeStep, Vectors, Waveform, WaveformError, WaveformFormat, WaveformValue};
