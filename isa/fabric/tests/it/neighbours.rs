// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tiles next to each other (chapter 6, section 1).

use drra_fabric::Side;
use drra_isa::{Geometry, TileId};

#[test]
fn neighbours_meet_at_opposite_sides() {
    let g = Geometry { columns: 3, tile_rows: 2, ..Geometry::default() };
    let tile = |row, col| TileId::new(row, col).unwrap();
    let of = |t: TileId| [Side::N, Side::S, Side::E, Side::W].map(|s| s.neighbour(t, &g));
    assert_eq!(of(tile(1, 0)), [Some(tile(2, 0)), None, Some(tile(1, 1)), None]);
    assert_eq!(of(tile(2, 2)), [None, Some(tile(1, 2)), None, Some(tile(2, 1))]);
    for (from, side) in TileId::all(&g).flat_map(|t| Side::ALL.iter().map(move |side| (t, *side))) {
        if let Some(to) = side.neighbour(from, &g) {
            assert_eq!(side.opposite().neighbour(to, &g), Some(from));
        }
    }
}
