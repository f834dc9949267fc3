// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs of others, on simulators that this project does not run: their waves are compared with the golden
//! model as if they were a design in lock-step.
//!
//! * [`Bits`] are values as simulators show them, with unknown bits.
//! * [`Names`] are the names of signals, however a simulator writes them.
//!
//! The crate runs no simulator.

mod bits;
mod names;

pub use bits::Bits;
pub use names::NameError;
pub use names::Names;
pub use names::Signal;
pub use names::SignalId;
pub use names::SignalKind;
