// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which signals enter the block that hands something out: a register, a signal, an output port (chapter 5,
//! 7.4). What is not listed is made of registers alone.
//!
//! The signals that decide about others come first, so that the first one that differs is the reason for
//! those after it.

mod cell;
mod tile;

use drra_golden::Signals;
use drra_isa::{
    CellId, CellInput, ColumnId, Geometry, TileId, Unit,
    fabric::{AguId, Generator, GroupId, Key, Location, PortId, SignalId},
};
use drra_lockstep::{PortDifference, SignalAt};

/// What a block hands out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handed {
    /// A register, with the edge that ends the cycle.
    Register(Location),
    /// A signal.
    Signal(SignalAt),
    /// An output port, of a column if every column has one.
    Port(PortId, Option<ColumnId>),
}

impl From<&PortDifference> for Handed {
    fn from(port: &PortDifference) -> Self {
        Self::Port(port.port, port.column)
    }
}

/// The signals of the golden model in a cycle, which say what is connected and in use.
pub(crate) struct Wiring<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) signals: &'a Signals,
}

/// A list of signals that grows.
#[derive(Default)]
struct Found {
    all: Vec<SignalAt>,
}

impl Found {
    /// Signals that a unit has one of.
    fn of(&mut self, unit: impl Into<Unit>, ids: &[SignalId]) {
        let unit = unit.into();
        self.all.extend(ids.iter().map(|id| SignalAt { unit, id: *id, key: Key::None }));
    }

    /// Signals with a key.
    fn at(&mut self, unit: impl Into<Unit>, ids: &[SignalId], key: impl Into<Key>) {
        let (unit, key) = (unit.into(), key.into());
        self.all.extend(ids.iter().map(|id| SignalAt { unit, id: *id, key }));
    }

    /// Signals with all their keys.
    fn every(&mut self, unit: impl Into<Unit>, ids: &[SignalId], geometry: &Geometry) {
        let unit = unit.into();
        for id in ids {
            self.all.extend(id.keys(geometry).map(|key| SignalAt { unit, id: *id, key }));
        }
    }
}

impl Wiring<'_> {
    /// The signals that enter the block which hands something out.
    pub(crate) fn entering(&self, handed: Handed) -> Vec<SignalAt> {
        let mut found = Found::default();
        match handed {
            Handed::Register(Location { unit, register }) => {
                let (group, key) = (register.id().group(), register.key());
                match unit {
                    Unit::Cell(cell) => self.enter_cell_register(cell, group, key, &mut found),
                    Unit::Column(column) => {
                        self.enter_column_register(column, group, key, &mut found)
                    }
                    Unit::Tile(tile) => self.enter_tile_register(tile, group, key, &mut found),
                    // The load pipeline sees the program port, and itself.
                    Unit::Fabric => {}
                }
            }
            Handed::Signal(SignalAt { unit, id, key }) => match unit {
                Unit::Cell(cell) => self.enter_cell_signal(cell, id, key, &mut found),
                Unit::Column(column) => self.enter_column_signal(column, id, &mut found),
                Unit::Tile(tile) => self.enter_tile_signal(tile, id, key, &mut found),
                Unit::Fabric => {}
            },
            Handed::Port(port, column) => self.enter_port(port, column, &mut found),
        }
        found.all
    }

    fn enter_port(&self, port: PortId, column: Option<ColumnId>, found: &mut Found) {
        use SignalId as S;
        let read = [S::IoEn, S::IoAddr];
        let write = [S::IoEn, S::IoAddr, S::IoMask];
        match (port, column) {
            (PortId::IoInEn | PortId::IoInAddr, Some(column)) => {
                found.at(column, &read, Generator::Read);
            }
            (
                PortId::IoOutEn | PortId::IoOutAddr | PortId::IoOutData | PortId::IoOutMask,
                Some(column),
            ) => found.at(column, &write, Generator::Write),
            (PortId::CellIdle | PortId::AllIdle, _) => {
                CellId::all(self.geometry).for_each(|cell| found.of(cell, &[S::Idle]));
            }
            (PortId::AguBusy, _) => {
                CellId::all(self.geometry).for_each(|cell| found.of(cell, &[S::Busy]));
                ColumnId::all(self.geometry).for_each(|c| found.of(c, &[S::ColumnBusy]));
                TileId::all(self.geometry).for_each(|tile| found.of(tile, &[S::TileBusy]));
            }
            // The other ports are those of a column.
            (
                PortId::IoInEn
                | PortId::IoInAddr
                | PortId::IoOutEn
                | PortId::IoOutAddr
                | PortId::IoOutData
                | PortId::IoOutMask,
                None,
            ) => {}
        }
    }

    fn enter_column_register(&self, column: ColumnId, group: GroupId, key: Key, found: &mut Found) {
        use SignalId as S;
        match group {
            GroupId::ColumnIoMsg => column.cells().iter().for_each(|c| found.of(*c, &[S::CellNoc])),
            GroupId::ColumnIoWdata => {
                column.cells().iter().for_each(|c| found.of(*c, &[S::BlkRead]));
                found.of(column, &[S::TileDown]);
            }
            GroupId::ColumnBlkInRow1 | GroupId::ColumnBlkInMaskRow1 => {
                found.of(column, &[S::TileDown]);
            }
            GroupId::ColumnIoFlow => found.at(column, &[S::IoEn, S::IoMask], Generator::Read),
            GroupId::ColumnIoGeneratorSt | GroupId::ColumnIoGeneratorCfg => {
                found.at(column, &[S::IoNew, S::IoNewCfg], key);
            }
            GroupId::ColumnIoRdata => found.of(column, &[S::IoAnswer]),
            // Groups of other units.
            _ => {}
        }
    }

    fn enter_column_signal(&self, column: ColumnId, id: SignalId, found: &mut Found) {
        use SignalId as S;
        match id {
            S::Up => column.cells().iter().for_each(|c| found.of(*c, &[S::BlkRead])),
            S::ColNoc => column.cells().iter().for_each(|c| found.of(*c, &[S::CellNoc])),
            S::ColumnBusy => found.every(column, &[S::IoActive], self.geometry),
            // What registers alone make.
            _ => {}
        }
    }

    /// What drives an input of a cell: the selection, then the lane.
    fn enter_input(&self, cell: CellId, input: CellInput, found: &mut Found) {
        found.of(cell, &[SignalId::SwbSel]);
        if let Some((from, lane)) = self.signals.cell(cell).source(input) {
            found.all.push(SignalAt::lane(from, lane));
        }
    }

    /// Address that an AGU emits.
    fn emitted(&self, cell: CellId, agu: AguId) -> Option<usize> {
        self.signals.cell(cell).emitted(agu).map(usize::from)
    }
}
