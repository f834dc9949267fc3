// SPDX-License-Identifier: MIT OR Apache-2.0
//! Designs of others, on simulators that this project does not run: their waves are compared with the golden
//! model as if they were a design in lock-step.
//!
//! * [`Bits`] are values as simulators show them, with unknown bits.
//!
//! The crate runs no simulator.

mod bits;

pub use bits::Bits;
