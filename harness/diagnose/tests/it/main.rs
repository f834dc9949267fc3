// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests which instruction is responsible, with the golden model as the design, and the files that rules name.

mod attribution;
mod late;
mod rules;

use drra_isa::Geometry;
use drra_lockstep::{GoldenDesign, RunSetup};

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// The setup of the cases in these tests.
fn setup() -> RunSetup<'static> {
    RunSetup::new(&GoldenDesign)
}
