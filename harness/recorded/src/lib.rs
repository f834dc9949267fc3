// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs of others, on simulators that this project does not run: their waveforms are compared with the golden
//! model as if they were a design in lock-step.
//!
//! * [`Bits`] are values as simulators show them, with unknown bits.
//! * [`Names`] are the names of signals, however a simulator writes them.
//! * [`Waveform`] is a file of any format, and [`samples`] are its values at the clock edges.
//! * [`map`] says which signals show which registers; [`own_map`] says it of the RTL of this project.
//! * [`infer`] proposes such a map.
//! * [`Check`] compares: the waveform is a design under test ([`Recorded`]), driven with what was on its ports.
//! * [`export`] makes what another simulator needs to run a case.
//!
//! The crate runs no simulator.
//!
//! It is above its budget of 5 800 lines. Signal maps with the names of signals take 2 800, inferring maps 1 900 and
//! reading waveforms 1 150. Expressions are read anew for each register instead of kept as trees; fingerprints of one
//! kind find values that come late, early or inverted. The guards around the library for waveforms stay, because it
//! reads damaged files without an error, and these would agree. Inferring keeps write ports of memories (one pattern,
//! but four fifths of the bits) and other encodings (5 % of the patterns); tables of words that let several keys share
//! a line are gone.

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
