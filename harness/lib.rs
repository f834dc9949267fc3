// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! The program `drra` hands it to the commands, which are in [`drra_cli`] and know no design.

#[cfg(feature = "rtl")]
pub mod bridge;

use drra_isa::Geometry;

/// The sizes of the fabric for which this build has models, the usual one first (environment variables at build time,
/// see `harness/guide/toolchain.md`).
pub const SIZES: &[Geometry] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// The usual one: programs that say nothing are for it.
pub const GEOMETRY: Geometry = SIZES[0];
