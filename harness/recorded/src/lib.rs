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
//! It is above its budget of 5 800 lines. What the lines give to users:
//! * a signal map is a text in the names of their design, and all that is wrong with it is told with its place and a
//!   remedy (2 400 lines); expressions are read anew for each register instead of kept as trees;
//! * a path finds its signal however a simulator or synthesis writes it, else similar paths are told (450);
//! * a first map comes from `drra map learn`, with write ports of memories and with values that come late, early,
//!   inverted, in other codes or in pieces (1 900): one kind of fingerprint finds most of them;
//! * waveforms that are cut or damaged are refused (half of the 1 250 lines for waveforms): the library for waveforms
//!   reads many of them without an error, and they would agree.

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
