// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports, with the golden model as the design, and pages of programs.

mod format;
mod planted;
mod ports;
mod report;
mod view;
mod waves;

use std::sync::LazyLock;

use drra_isa::Geometry;
use drra_lockstep::GoldenDesign;
use drra_lockstep::Setup;

/// What cases run on here.
fn setup() -> Setup<'static> {
    static GEOMETRY: LazyLock<Geometry> = LazyLock::new(Geometry::default);
    Setup { geometry: &GEOMETRY, design: &GoldenDesign, cycles: None }
}
