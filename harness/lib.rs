// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! The `drra` program passes it to the commands, which are in [`drra_cli`] and do not depend on a design.

#[cfg(feature = "rtl")]
pub mod bridge;

use drra_isa::Geometry;

/// The fabric sizes for which this build has models, the default size first (set by environment variables at build
/// time, see `harness/guide/toolchain.md`).
pub const SIZES: &[Geometry] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// The default size, used for programs that do not specify one.
pub const GEOMETRY: Geometry = SIZES[0];
