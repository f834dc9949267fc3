// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test: our own, or a user's (`DRRA_RTL` at build time) with a signal map.
//!
//! [`sim`] crosses into C++. `plan` specifies which variables of a model show which registers, `table` compares stored
//! registers in place, and `computed` handles registers that a map computes or compares under conditions. `state` is
//! the state of one model, `signals` has the signals between its blocks, and `model` is the design under test.

mod built;
mod computed;
mod design;
mod model;
mod names;
mod plan;
mod signals;
pub mod sim;
mod state;
mod stopped;
mod table;

pub use built::{BUILT_MAP, MappedError};
pub use design::{OWN, Rtl, design};
