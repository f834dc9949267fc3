// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which instruction is responsible, with the golden model as the design.

mod attribution;
mod rules;

use drra_isa::Geometry;
use drra_lockstep::{GoldenDesign, Setup};

/// Size of the fabric that cases run on here.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// What cases run on here.
fn setup() -> Setup<'static> {
    Setup { design: &GoldenDesign, cycles: None }
}
