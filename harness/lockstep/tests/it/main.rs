// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden model beside golden model.

mod checks;
mod faults;
mod gates;
mod loops;

use std::sync::LazyLock;

use drra_isa::Geometry;
use drra_lockstep::GoldenDesign;
use drra_lockstep::Setup;

/// What cases run on here.
fn setup() -> Setup<'static> {
    static GEOMETRY: LazyLock<Geometry> = LazyLock::new(Geometry::default);
    Setup { geometry: &GEOMETRY, design: &GoldenDesign, cycles: None }
}
