// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells, columns, tiles and units, their indices and names.

use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit, UnitKind};

#[test]
fn indices_and_names_lead_back() {
    let g = Geometry { columns: 3, tile_rows: 2, ..Geometry::default() };
    let all: Vec<Unit> = Unit::all(&g).collect();
    assert_eq!(all.len(), 6 + 3 + 6 + 1);
    for (position, unit) in all.iter().enumerate() {
        assert_eq!(unit.position(&g), position);
        assert_eq!(Unit::from_index(unit.kind(), unit.index(&g), &g), Some(*unit));
        assert_eq!(unit.to_string().parse(), Ok(*unit));
        assert!(unit.is_in(&g));
    }
    assert!(all.is_sorted(), "units are ordered as in the state tables");
    let tile = TileId::new(2, 1).unwrap();
    assert_eq!((tile.index(&g), tile.to_string().as_str()), (4, "tile[2][1]"));
    assert_eq!(TileId::from_image_row(1, 1), Some(tile));
}

#[test]
fn what_no_fabric_has_is_refused() {
    assert_eq!(CellId::new(2, 0), None);
    assert_eq!(CellId::new(0, 32), None);
    assert_eq!(ColumnId::new(usize::MAX), None);
    assert_eq!(TileId::new(0, 0), None);
    assert_eq!(TileId::new(8, 0), None);
    assert_eq!(TileId::from_image_row(usize::MAX, 0), None);
    let g = Geometry { columns: 2, tile_rows: 1, ..Geometry::default() };
    assert_eq!(Unit::from_index(UnitKind::Tile, 2, &g), None);
    assert!(!Unit::Tile(TileId::new(2, 0).unwrap()).is_in(&g));
    for text in ["cell", "cell[0]", "cell[0][1", "cell[00][1]", "cell[+0][1]", "tile[0][0]"] {
        assert!(text.parse::<Unit>().is_err(), "{text}");
    }
}
