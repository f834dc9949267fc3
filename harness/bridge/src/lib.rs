// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilated RTL as a design under test: our own, or a user's (`DRRA_RTL` at build time) with a signal map.
//!
//! The models and the C++ of this bridge are compiled by the build script of the root package, which says in
//! [`BuiltModels`] what they were made from. This crate contains neither, so an edit of the RTL does not recompile it.
//!
//! [`sim`] crosses into C++. [`plan`] specifies which variables of a model show which registers, `table` compares
//! stored registers in place, and `computed` handles registers that a map computes or compares under conditions.
//! [`state`] is the state of one model, `signals` has the signals between its blocks, and `model` is the design under
//! test.

mod built;
mod computed;
mod design;
mod model;
mod names;
pub mod plan;
pub mod plusargs;
mod signals;
pub mod sim;
pub mod state;
pub mod stopped;
mod table;

pub use built::{BuiltModels, MappedDesignError, UserDesign};
pub use computed::CaseCycle;
pub use design::RtlDesign;
