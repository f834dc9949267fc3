// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signals that enter the block of a register, a signal or an output port (chapter 5, 7.4). A value without
//! sources depends only on registers and on the inputs of the fabric.

use super::ids::{Key, Side, SignalId};
use drra_isa::{Geometry, Unit, UnitKind};

/// A source of a value that a block produces. Sources that affect others come first, so that the first source that
/// differs explains those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FanInSource {
    /// Signals with a given name.
    Signals(SignalSource),
    /// The lane that the switchbox connects to this input of a cell.
    SelectedLane,
    /// The data of those write ports of a register file that are in use.
    SelectedWritePort,
}

/// Signals with a given name that enter a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalSource {
    pub(crate) owner: SignalOwner,
    pub(crate) signal: usize,
    pub(crate) keys: KeyMatch,
    /// If set, the source applies only to the element with the key at this index.
    pub(crate) only_at: Option<usize>,
}

/// Selection among registers or signals that differ only in their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    /// All elements.
    All,
    /// The element whose key is the key of the register or signal in question.
    Same,
    /// The element with this index.
    Only(usize),
}

/// The owner of a signal, relative to the unit of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalOwner {
    /// The unit itself.
    Own,
    /// The column of a cell or of a home tile.
    Column,
    /// The cells of a column or of the fabric.
    Cells,
    /// All columns.
    Columns,
    /// All tiles.
    Tiles,
    /// The neighbouring tile at this side.
    Beyond(Side),
}

impl SignalOwner {
    /// The owner with this name in the description.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "column" => Self::Column,
            "cells" => Self::Cells,
            "columns" => Self::Columns,
            "tiles" => Self::Tiles,
            "north" => Self::Beyond(Side::N),
            "south" => Self::Beyond(Side::S),
            "east" => Self::Beyond(Side::E),
            "west" => Self::Beyond(Side::W),
            _ => return None,
        })
    }

    /// Kind of the owner, given the kind of the unit of the block.
    pub(crate) fn kind(self, from: UnitKind) -> UnitKind {
        match self {
            Self::Own => from,
            Self::Column | Self::Columns => UnitKind::Column,
            Self::Cells => UnitKind::Cell,
            Self::Tiles | Self::Beyond(_) => UnitKind::Tile,
        }
    }

    /// The units that own the signal, in the order of the fabric.
    fn units(self, unit: Unit, geometry: &Geometry) -> Vec<Unit> {
        match (self, unit) {
            (Self::Own, _) => vec![unit],
            (Self::Column, Unit::Cell(cell)) => vec![cell.column().into()],
            (Self::Column, Unit::Tile(tile)) if tile == tile.column().home_tile() => {
                vec![tile.column().into()]
            }
            (Self::Cells, Unit::Column(column)) => column.cells().map(Unit::from).to_vec(),
            (Self::Cells | Self::Columns | Self::Tiles, Unit::Fabric) => {
                let wanted = self.kind(UnitKind::Fabric);
                Unit::all(geometry).filter(|unit| unit.kind() == wanted).collect()
            }
            (Self::Beyond(side), Unit::Tile(tile)) => {
                side.neighbour(tile, geometry).map(Unit::from).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

impl SignalSource {
    /// The signals that enter the block of a unit for the element with this key, each as unit, signal and key. No
    /// signals come from beyond the edge of the fabric.
    pub fn signals(self, unit: Unit, key: Key, geometry: &Geometry) -> Vec<(Unit, SignalId, Key)> {
        if self.only_at.is_some_and(|position| position != key.index()) {
            return Vec::new();
        }
        let id = SignalId::ALL[self.signal];
        let fits = |candidate: &Key| match self.keys {
            KeyMatch::All => true,
            KeyMatch::Same => *candidate == key,
            KeyMatch::Only(position) => candidate.index() == position,
        };
        let units = self.owner.units(unit, geometry).into_iter();
        let of = |unit| id.keys(geometry).filter(fits).map(move |key| (unit, id, key));
        units.flat_map(of).collect()
    }
}
