// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instance paths of the RTL.

use drra_fabric::scope::{scope, unit_at};
use drra_isa::{Geometry, Unit};

#[test]
fn paths_lead_back() {
    for unit in Unit::all(&Geometry::default()).filter(|u| *u != Unit::Fabric) {
        assert_eq!(unit_at(&format!("{}.u_inside", scope(unit))), Some(unit));
    }
    assert_eq!(unit_at(&scope(Unit::Fabric)), None);
}
