// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locations of units in the hierarchy of the RTL. Apart from the fabric description, only this file knows the names of
//! instances in the RTL.

use drra_isa::{CellId, ColumnId, TileId, Unit, UnitKind};

/// Instance path of a unit.
pub fn scope(unit: Unit) -> String {
    match unit {
        Unit::Cell(c) => format!("drra_fabric.gen_row[{}].gen_col[{}].u_cell", c.row(), c.col()),
        Unit::Column(c) => format!("drra_fabric.gen_column[{}].u_column", c.col()),
        Unit::Tile(t) => {
            format!("drra_fabric.gen_tile_row[{}].gen_tile_col[{}].u_tile", t.row(), t.col())
        }
        Unit::Fabric => "drra_fabric".to_owned(),
    }
}

/// Instance path of the units of a kind, with the index letters of a signal map.
pub fn pattern(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "drra_fabric.gen_row[{r}].gen_col[{c}].u_cell",
        UnitKind::Column => "drra_fabric.gen_column[{c}].u_column",
        UnitKind::Tile => "drra_fabric.gen_tile_row[{R}].gen_tile_col[{c}].u_tile",
        UnitKind::Fabric => "drra_fabric",
    }
}

/// The unit that an instance path leads into, other than the fabric.
pub fn unit_at(path: &str) -> Option<Unit> {
    let number = |prefix: &str| {
        let rest = path.split_once(prefix)?.1.strip_prefix('[')?;
        rest.split(']').next()?.parse::<usize>().ok()
    };
    if let (Some(row), Some(col)) = (number(".gen_row"), number(".gen_col")) {
        return CellId::new(row, col).map(Unit::Cell);
    }
    if let (Some(row), Some(col)) = (number(".gen_tile_row"), number(".gen_tile_col")) {
        return TileId::new(row, col).map(Unit::Tile);
    }
    ColumnId::new(number(".gen_column")?).map(Unit::Column)
}
