// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric sizes of this build.

use drra_isa::Geometry;

/// The fabric sizes for which this build has models, the default size first (set by environment variables at build
/// time, see `harness/guide/toolchain.md`).
pub const SIZES: &[Geometry] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// The default size, used for programs that do not specify one.
pub const GEOMETRY: Geometry = SIZES[0];
