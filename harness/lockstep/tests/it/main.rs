// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the golden model in lock-step with itself.

mod checks;
mod filters;
mod gates;
mod loops;
mod values;

use drra_isa::Geometry;
use drra_lockstep::{GoldenDesign, RunSetup};

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// The setup of the cases in these tests.
fn setup() -> RunSetup<'static> {
    RunSetup { two_threads: true, ..RunSetup::new(&GoldenDesign) }
}

drra_testkit::fault_tests!(setup());
