// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs of others, on simulators that this project does not run: their waves are compared with the golden
//! model as if they were a design in lock-step.
//!
//! * [`Bits`] are values as simulators show them, with unknown bits.
//! * [`Names`] are the names of signals, however a simulator writes them.
//! * [`Waveform`] is a waveform of any format, and [`samples`] are its clock cycles.
//! * [`infer`] proposes such a map.
//! * [`map`] says which signals show which registers; [`own_map`] says it of the RTL of this project.
//! * [`Check`] compares: the recording is a design under test ([`Recorded`]), driven with what was on its ports.
//! * [`export`] makes what another simulator needs to run a case.
//!
//! The crate runs no simulator.
//!
//! It is above its 5 800 lines, after 10 733: maps with the names of signals take about 3 200, learning them 1 900, waveforms
//! 1 400. Tried: reading an expression anew for each register instead of keeping trees; one kind of fingerprint for
//! values that come late, early or inverted; one shape for registers and rows of memories. Guards around the library
//! for waves stay, because damaged files that it reads as whole would agree.

mod bits;
mod check;
mod compared;
mod design;
mod driven;
mod ending;
mod error;
pub mod export;
pub mod infer;
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

pub use bits::Bits;
pub use check::{Check, Ran};
pub use design::Recorded;
pub use ending::Busy;
pub use error::Error;
pub use names::{NameError, Names, Signal, SignalId, SignalKind};
pub use own_map::own_map;
pub use samples::{Clock, Edge, Sample, Values, samples};
pub use waveform::{Format, Shown, TimeStep, Waveform, WaveformEnd, WaveformError};
