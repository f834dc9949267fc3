// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares designs that run on other simulators with the golden model: a waveform is treated like a design in
//! lock-step.
//!
//! * [`Names`] are the names of signals, however a simulator writes them.
//! * [`Waveform`] is a file in any supported format; [`samples`] delivers its values just before the clock edges.
//! * [`map`] defines which signals show which registers; [`own_map`] is the map for the RTL of this project.
//! * [`infer`] proposes a map.
//! * [`Check`] performs the comparison: the waveform is a design under test ([`Recorded`]) with the stimulus seen on
//!   its ports, or else with that of a given case.
//! * [`export`] writes the files that another simulator needs to run a case.
//!
//! The crate runs no simulator.
//!
//! The crate exceeds its budget of 5 800 lines. Most of its lines are due to the following requirements:
//! * a signal map is a text that uses the names of a design, and every mistake in it is reported with its place and a
//!   remedy (2 400 lines); expressions are parsed again for each register instead of being kept as trees;
//! * a path finds its signal however a simulator or synthesis tool writes it; if there is none, similar paths are
//!   suggested (450);
//! * `drra map learn` proposes a first map, including write ports of memories and values that come late, early,
//!   inverted, recoded or in pieces (1 900); one kind of fingerprint finds most of them;
//! * truncated or damaged waveforms are refused (half of the 1 160 lines for waveforms): the waveform library reads
//!   many of these files without an error, and the comparison would report agreement.

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

pub use check::{Check, Ran};
pub use design::Recorded;
pub use ending::Busy;
pub use error::Error;
pub use names::{NameError, Names, Signal, SignalId, SignalKind};
pub use own_map::own_map;
pub use samples::{Clock, Edge, Sample, Values, samples};
pub use waveform::{Format, Shown, TimeStep, Waveform, WaveformError};
