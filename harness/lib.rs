// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line, and the Verilated RTL as a design under test.
//!
//! The way of a run: a file becomes a case ([`drra_case::load`]), and [`drra_lockstep::run`] drives golden
//! model and design with it. A difference is a [`drra_lockstep::Mismatch`], which is data, not an error;
//! [`drra_diagnose::explain`] runs the case again to tell what led to it.

#[cfg(feature = "rtl")]
pub mod bridge;

pub mod bench;
pub mod cli;

use drra_isa::Geometry;

/// The sizes of the fabric for which this build has models, the usual one first (environment variables at build time,
/// see `harness/guide/toolchain.md`).
pub const SIZES: &[Geometry] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// The usual one: programs that say nothing are for it.
pub const GEOMETRY: Geometry = SIZES[0];
