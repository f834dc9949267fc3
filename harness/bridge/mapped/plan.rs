// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared with what: a signal map, bound to the variables of the model once, for all models of the
//! process.

use std::{collections::BTreeMap, sync::Arc};

use drra_isa::{
    Geometry, TileId, Unit,
    fabric::{Layout, Location, PortId, RegisterId, Variable},
    ports::Block,
};
use drra_lockstep::Compared;
use drra_recorded::{
    SignalId,
    map::{Expression, MapFile, MappedRegister, Piece, RegisterMap},
};

use super::{
    MappedError,
    computed::{Computation, Source},
    conditions::Conditions,
    names::ModelNames,
    pieces::{Pieces, Target},
};
use crate::bridge::{
    sim::Sim,
    unit_map::{StoredAt, UnitMap, condition},
};

/// What the units of one layout in the model have in common.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// Registers that are stored as the layout has them.
    pub(super) whole: UnitMap,
    /// For each variable of the layout its number in `whole`, if it is there.
    pub(super) numbers: Vec<Option<usize>>,
    /// Registers that are bits of variables.
    pub(super) pieces: Pieces,
}

/// A unit: its lowest address, from that of the reference variable, and the number of its table.
#[derive(Debug)]
pub(super) struct PlannedUnit {
    pub(super) unit: Unit,
    pub(super) base: isize,
    pub(super) table: usize,
}

/// The memory of a tile.
#[derive(Debug)]
pub(super) enum Memory {
    /// Block after block, at this place.
    InPlace(isize),
    /// Each block by itself; `None` if it is not shown.
    Rows(Vec<Option<Row>>),
}

/// A block of a memory that is not compared in place.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) value: Expression,
    /// When it is compared.
    pub(super) conditions: Conditions,
    /// Everything that it depends on.
    pub(super) sources: Vec<Source>,
}

/// What is compared with what.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) layout: Arc<Layout>,
    pub(super) units: Vec<PlannedUnit>,
    pub(super) tables: Vec<Table>,
    pub(super) computations: Vec<Computation>,
    pub(super) memories: Vec<Memory>,
    /// Names of the registers that are shown, as the design has them.
    pub(super) names: BTreeMap<Location, String>,
    pub(super) compared: Compared,
    /// The reference variable, which has the lowest address, the one of highest address, and how far they are
    /// apart.
    pub(super) ends: [(String, String); 2],
    pub(super) span: usize,
}

impl Plan {
    /// Binds a map.
    ///
    /// # Errors
    /// If the map does not fit the model.
    pub(super) fn new(file: &MapFile, geometry: &Geometry) -> Result<Self, MappedError> {
        let sim = Sim::unreset(geometry, 0)?;
        let names = ModelNames::of(&sim);
        let map = RegisterMap::resolve(file, &names.names, geometry);
        let map = map.map_err(MappedError::Problems)?;
        if let Some(memory) = map.memories.first() {
            return Err(MappedError::WritePort(memory.tile));
        }
        if let Some(late) = map.registers.iter().find(|r| r.offset > 0) {
            return Err(MappedError::Late(late.location));
        }
        let row = |r: &&MappedRegister| r.location.register.id() == RegisterId::TileSram;
        if let Some(early) = map.registers.iter().filter(row).find(|r| r.offset != 0) {
            return Err(MappedError::Row(early.location));
        }
        let ends = names.ends.clone();
        let at = |(scope, name): &(String, String)| sim.memory(scope, name).map(|m| m.address);
        let (low, high) = (at(&ends[0])?, at(&ends[1])?);
        let layout = Layout::new(geometry);
        let mut planner = Planner {
            names: &names,
            registers: map.registers.iter().map(|r| (r.location, r)).collect(),
            reference: low,
            layout: Arc::clone(&layout),
            tables: Vec::new(),
            computations: Vec::new(),
        };
        let units = layout.units().enumerate();
        let units: Result<_, MappedError> = units.map(|(n, unit)| planner.unit(n, unit)).collect();
        let memories = TileId::all(geometry).map(|tile| planner.memory(tile)).collect();
        let shown = map.registers.iter().map(|r| (r.location, names_of(&names, &r.value)));
        Ok(Self {
            units: units?,
            memories,
            names: shown.collect(),
            tables: planner.tables,
            computations: planner.computations,
            compared: Compared { ports: PortId::ALL.len(), ..map.compared(geometry) },
            ends,
            span: high - low,
            layout,
        })
    }
}

/// Most signals that are named of a register.
const NAMED: usize = 4;

/// What the design calls a register: the signals that its value is made of.
fn names_of(names: &ModelNames, value: &Expression) -> String {
    let path = |id: SignalId| names.names.signal(id).path.clone();
    let piece = |piece: Piece| match piece {
        Piece::Signal { id, lsb, width } if (lsb, width) == (0, names.place(id).width) => {
            Some(path(id))
        }
        Piece::Signal { id, lsb, width: 1 } => Some(format!("{}[{lsb}]", path(id))),
        Piece::Signal { id, lsb, width } => {
            Some(format!("{}[{}:{lsb}]", path(id), lsb + width - 1))
        }
        Piece::Constant(_) => None,
    };
    let mut all: Vec<String> = match value.pieces() {
        Some(pieces) => pieces.into_iter().rev().filter_map(piece).collect(),
        None => {
            let mut signals = Vec::new();
            value.signals(&mut signals);
            signals.into_iter().map(path).collect()
        }
    };
    all.dedup();
    if all.len() > NAMED {
        all.truncate(NAMED);
        all.push("..".to_owned());
    }
    all.join(", ")
}

struct Planner<'a> {
    names: &'a ModelNames,
    registers: BTreeMap<Location, &'a MappedRegister>,
    /// Address of the reference variable.
    reference: usize,
    layout: Arc<Layout>,
    tables: Vec<Table>,
    computations: Vec<Computation>,
}

/// A register that can be compared in place.
struct Simple {
    bit: u32,
    pieces: Vec<Piece>,
}

impl Planner<'_> {
    /// Plans the registers of a unit; its computed ones are added to the others.
    fn unit(&mut self, number: usize, unit: Unit) -> Result<PlannedUnit, MappedError> {
        let layout = Arc::clone(&self.layout);
        let variables: Vec<&Variable> = layout.variables_of(unit.kind()).collect();
        let mut simple: Vec<Vec<Simple>> = Vec::new();
        for variable in &variables {
            let mut of_variable = Vec::new();
            for field in &variable.fields {
                let location = Location { unit, register: field.register };
                let Some(&register) = self.registers.get(&location) else { continue };
                let plain = register.offset == 0 && !register.is_conditional();
                match register.value.pieces().filter(|_| plain) {
                    Some(pieces) => of_variable.push(Simple { bit: field.lsb, pieces }),
                    None => {
                        let computation = self.computation(number, variable, field.lsb, register);
                        self.computations.push(computation);
                    }
                }
            }
            simple.push(of_variable);
        }
        let signals = simple.iter().flatten().flat_map(|s| &s.pieces).filter_map(|p| match p {
            Piece::Signal { id, .. } => Some(self.names.place(*id).address),
            Piece::Constant(_) => None,
        });
        let base = signals.min().unwrap_or(self.reference);
        let whole = UnitMap::new(layout.words(unit.kind()));
        let mut table = Table { whole, ..Table::default() };
        for (variable, registers) in variables.into_iter().zip(&simple) {
            let hold = condition(&layout, variable);
            let whole = self.whole(variable, registers);
            let far = || MappedError::Far(unit);
            table.numbers.push(whole.map(|_| table.whole.all.len()));
            if let Some(address) = whole {
                let offset = u32::try_from(address - base).map_err(|_| far())?;
                let bytes = variable.storage_bytes() as u32;
                table.whole.add(StoredAt { offset, slot: variable.slot as u32, bytes }, hold);
                continue;
            }
            for Simple { bit, pieces } in registers {
                let target = Target { bit: 64 * variable.slot + *bit as usize, condition: hold };
                table.pieces.add(pieces, self.names, base, target).ok_or_else(far)?;
            }
        }
        let known = self.tables.iter().position(|t| *t == table);
        let table = known.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        Ok(PlannedUnit { unit, base: self.offset_of(base), table })
    }

    /// The address of a variable that the model stores bit by bit as the layout has it.
    fn whole(&self, variable: &Variable, registers: &[Simple]) -> Option<usize> {
        if registers.len() != variable.fields.len() {
            return None;
        }
        let mut first = None;
        let mut stored = BTreeMap::new();
        let mut widths = 0;
        for (Simple { bit, pieces }, field) in registers.iter().zip(&variable.fields) {
            let [Piece::Signal { id, lsb, width }] = pieces[..] else { return None };
            let place = self.names.place(id);
            let at = (8 * place.address + lsb as usize).checked_sub(*bit as usize)?;
            if *bit != field.lsb || *first.get_or_insert(at) != at {
                return None;
            }
            stored.insert(id, place);
            widths += width;
        }
        let all = |f: fn(&super::names::Place) -> usize| stored.values().map(f).sum::<usize>();
        let address = first.filter(|at| at % 8 == 0)? / 8;
        // Every bit of the signals is a register, and the rest of their storage is padding, which is 0.
        let complete = all(|p| p.width as usize) == widths as usize
            && all(|p| p.bytes()) == variable.storage_bytes();
        complete.then_some(address)
    }

    fn computation(
        &self,
        unit: usize,
        variable: &Variable,
        lsb: u32,
        register: &MappedRegister,
    ) -> Computation {
        let mut sources = self.sources(&register.value);
        if let Some(condition) = &register.while_dump {
            sources.extend(self.sources(condition));
        }
        Computation {
            early: register.offset.min(0).unsigned_abs() as usize,
            conditions: Conditions::of(register),
            location: register.location,
            unit,
            bit: 64 * variable.slot + lsb as usize,
            width: register.width,
            value: register.value.clone(),
            condition: condition(&self.layout, variable),
            sources,
        }
    }

    fn sources(&self, expression: &Expression) -> Vec<Source> {
        let mut signals = Vec::new();
        expression.signals(&mut signals);
        signals.sort_unstable();
        signals.dedup();
        let source = |id: SignalId| {
            let place = self.names.place(id);
            Source { id, offset: self.offset_of(place.address), width: place.width }
        };
        signals.into_iter().map(source).collect()
    }

    fn memory(&self, tile: TileId) -> Memory {
        let geometry = self.layout.geometry();
        let of_row = |row: usize| {
            let register = RegisterId::TileSram.at(row);
            self.registers.get(&Location { unit: Unit::Tile(tile), register })
        };
        let plain = |row: usize| of_row(row).copied().filter(|r| !r.is_conditional());
        let place = |row: usize| match plain(row)?.value.pieces()?[..] {
            [Piece::Signal { id, lsb: 0, width: 256 }] => {
                Some(self.names.place(id)).filter(|p| p.width == 256).map(|p| p.address)
            }
            _ => None,
        };
        let rows = 0..geometry.sram_blocks;
        if let Some(first) = place(0)
            && rows.clone().all(|row| place(row) == Some(first + row * size_of::<Block>()))
        {
            return Memory::InPlace(self.offset_of(first));
        }
        let row = |row| {
            of_row(row).map(|r| {
                let mut sources = self.sources(&r.value);
                sources.extend(r.while_dump.iter().flat_map(|condition| self.sources(condition)));
                Row { value: r.value.clone(), conditions: Conditions::of(r), sources }
            })
        };
        Memory::Rows(rows.map(row).collect())
    }

    fn offset_of(&self, address: usize) -> isize {
        address as isize - self.reference as isize
    }
}
