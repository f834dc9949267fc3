// SPDX-License-Identifier: MIT OR Apache-2.0
//! The comparison plan for the models of one size: the variables of the model that show each register of the golden
//! images. A plan is made once and is valid for all models of this size in the process.
//!
//! The plan for our own RTL is made from the fabric description, from which [`drra_recorded::own_map`] also writes the
//! signal map of that RTL. With 8 columns, that takes 7 ms; the text of the map would take 190 ms in each worker, of
//! which 110 ms resolve 9952 registers and 35 ms name 8416 signals. A test compares the two plans.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use drra_fabric::{
    Field, Layout, Location, PortId, Register, RegisterId, Variable, ports::Block, scope::scope,
};
use drra_isa::{Geometry, TileId, Unit, UnitKind};
use drra_lockstep::{ComparisonCoverage, DutError, SignalLocation};
use drra_recorded::{
    SignalHandle,
    map::{Expression, MapFile, MappedRegister, RegisterMap, ValuePiece},
};

use crate::{
    built::{BuiltModels, MappedDesignError},
    computed::{Computation, SourceSignal},
    names::ModelNames,
    sim::Sim,
    table::{BitRun, ComparisonTable, Condition, FixedBits},
};

/// A unit: its base, relative to the address of the model, and the number of its table.
#[derive(Debug, PartialEq, Eq)]
pub struct PlannedUnit {
    pub base: isize,
    pub table: usize,
}

/// Consecutive units of a kind with the same table, which are compared together.
#[derive(Debug, PartialEq, Eq)]
pub struct UnitGroup {
    pub kind: UnitKind,
    pub table: usize,
    /// The units, by their positions among all units.
    pub units: Range<usize>,
    /// Position of the first of these units among the units of their kind.
    pub first: usize,
}

/// The memory of a tile.
#[derive(Debug)]
pub enum TileMemory {
    /// All blocks one after the other, at this offset from the address of the model.
    InPlace(isize),
    /// Each block separately; `None` if it is not shown.
    Rows(Vec<Option<Computation>>),
}

/// The state of a design that a map shows.
#[derive(Debug)]
pub struct ShownState {
    /// Names of the shown registers in the design.
    pub names: BTreeMap<Location, String>,
    /// The shown signals between blocks, each with all variables that it depends on.
    pub signals: BTreeMap<SignalLocation, (Expression, Vec<SourceSignal>)>,
    pub compared: ComparisonCoverage,
    /// Output ports that the design lacks.
    pub excluded_outputs: BTreeSet<PortId>,
}

/// The variables of a model that are compared with each register of the golden model.
#[derive(Debug)]
pub struct ComparisonPlan {
    pub layout: Arc<Layout>,
    pub units: Vec<PlannedUnit>,
    pub groups: Vec<UnitGroup>,
    pub tables: Vec<ComparisonTable>,
    pub computations: Vec<Computation>,
    pub memories: Vec<TileMemory>,
    /// `None` for our own RTL, which shows all registers under our own names.
    pub shown: Option<ShownState>,
    /// For our own RTL: the sorted offsets, from the address of the model, of the state in the fabric description and
    /// of the flags of violated assertions.
    pub known: Vec<usize>,
    /// Address of the model from which the plan is made, and the readable bytes around all variables.
    model: usize,
    readable: Range<usize>,
}

impl ComparisonPlan {
    fn empty(
        sim: &Sim,
        geometry: &Geometry,
        places: impl Iterator<Item = Range<usize>> + Clone,
    ) -> Self {
        let first = places.clone().map(|place| place.start).min().unwrap_or_default();
        let end = places.map(|place| place.end).max().unwrap_or_default();
        Self {
            layout: Layout::new(geometry),
            units: Vec::new(),
            groups: Vec::new(),
            tables: Vec::new(),
            computations: Vec::new(),
            memories: Vec::new(),
            shown: None,
            known: Vec::new(),
            model: sim.address(),
            // A model is one object whose size and alignment are multiples of 8.
            readable: first / 8 * 8..end.next_multiple_of(8),
        }
    }

    /// The plan for our own RTL, made from the first model of a size.
    ///
    /// # Errors
    /// If a variable is missing from the model, or has a different size than in the fabric description, which is a bug
    /// in the build rather than in the design under test.
    pub fn own(sim: &Sim, geometry: &Geometry) -> Result<Arc<Self>, DutError> {
        static KNOWN: Mutex<BTreeMap<Geometry, Arc<ComparisonPlan>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = known.get(geometry) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(Self::of_description(sim, geometry)?);
        known.insert(*geometry, Arc::clone(&plan));
        Ok(plan)
    }

    /// Like [`own`](Self::own), but always makes a new plan.
    ///
    /// # Errors
    /// As for [`own`](Self::own).
    pub fn of_description(sim: &Sim, geometry: &Geometry) -> Result<Self, DutError> {
        let layout = Layout::new(geometry);
        let find = |unit: Unit, instance: &str, name: &str, bytes: usize| {
            let below = if instance.is_empty() { "" } else { "." };
            let scope = format!("{}{below}{instance}", scope(unit));
            let found = sim.variable(&scope, name)?;
            if found.bytes != bytes {
                let what = format!("{scope}.{name} has {} bytes, not {bytes}", found.bytes);
                return Err(DutError::Map(what));
            }
            Ok(found.address..found.address + bytes)
        };
        let (mut places, mut memories) = (Vec::new(), Vec::new());
        for unit in layout.units() {
            for variable in layout.variables_of(unit.kind()) {
                let (instance, name) = variable.in_rtl();
                places.push(find(unit, &instance, &name, variable.storage_bytes())?);
            }
            if let Unit::Tile(_) = unit {
                let memory = RegisterId::TileSram.group().info();
                let bytes = geometry.sram_blocks * size_of::<Block>();
                let (instance, name) = memory.rtl.rsplit_once('.').unwrap_or(("", &memory.rtl));
                memories.push(find(unit, instance, name, bytes)?.start);
            }
        }
        let mut plan = Self::empty(sim, geometry, places.iter().cloned());
        plan.memories =
            memories.iter().map(|at| TileMemory::InPlace(plan.offset_of(*at))).collect();
        let flags = sim.variables().into_iter().filter(|v| v.name.ends_with("_failed"));
        let known = places.iter().map(|p| p.start).chain(memories).chain(flags.map(|v| v.address));
        plan.known = known.map(|address| address - plan.model).collect();
        plan.known.sort_unstable();
        let mut places = places.into_iter();
        for unit in layout.units() {
            let variables = layout.variables_of(unit.kind()).zip(&mut places);
            let runs = variables.flat_map(|(variable, place)| {
                let run = |f: &Field| {
                    run(&layout, variable, f.lsb, 8 * place.start + f.lsb as usize, f.width)
                };
                variable.fields.iter().map(run).collect::<Vec<_>>()
            });
            plan.add(unit, &runs.collect::<Vec<_>>(), Vec::new());
        }
        Ok(plan)
    }

    /// The plan for a design with a map.
    ///
    /// # Errors
    /// If the map does not match the model, or cannot be used in lock-step.
    pub fn of_map(
        built: &'static BuiltModels,
        file: &MapFile,
        geometry: &Geometry,
    ) -> Result<Self, MappedDesignError> {
        let sim = Sim::new(built, geometry, 0)?;
        let names = ModelNames::of(&sim);
        let map = RegisterMap::resolve(file, &names.names, geometry)?;
        if let Some(memory) = map.memories.first() {
            return Err(MappedDesignError::WritePort { map: built.map_name(), tile: memory.tile });
        }
        if let Some(late) = map.registers.iter().find(|r| r.offset > 0) {
            return Err(MappedDesignError::Late { map: built.map_name(), register: late.location });
        }
        let row = |r: &&MappedRegister| r.location.register.id() == RegisterId::TileSram;
        if let Some(early) = map.registers.iter().filter(row).find(|r| r.offset != 0) {
            return Err(MappedDesignError::Row { map: built.map_name(), row: early.location });
        }
        let plan = Self::empty(&sim, geometry, names.places());
        let registers = map.registers.iter().map(|r| (r.location, r)).collect();
        let mut planner = Planner { names: &names, registers, plan };
        for (number, unit) in planner.plan.layout.clone().units().enumerate() {
            planner.unit(number, unit);
        }
        let memories = TileId::all(geometry).map(|tile| planner.memory(tile)).collect();
        let shown = map.registers.iter().map(|r| (r.location, names_of(&names, &r.value)));
        let excluded_outputs = file.excluded_outputs.clone();
        let ports = PortId::ALL.len() - excluded_outputs.len();
        let compared = ComparisonCoverage { ports, ..map.compared(geometry) };
        let signal =
            |(signal, e): &(_, Expression)| (*signal, (e.clone(), planner.sources(e.signals())));
        let signals = map.signals.iter().map(signal).collect();
        let shown =
            Some(ShownState { names: shown.collect(), signals, compared, excluded_outputs });
        Ok(Self { memories, shown, ..planner.plan })
    }

    /// Adds the next unit and its registers.
    fn add(&mut self, unit: Unit, runs: &[BitRun], fixed: Vec<FixedBits>) {
        let (kind, position) = (unit.kind(), self.units.len());
        // A word of the image starts less than 8 bytes before its bits in the model.
        let lowest = runs.iter().map(|run| run.model / 8).min().unwrap_or(self.model);
        let base = lowest.saturating_sub(8);
        let table =
            ComparisonTable::new(self.layout.words(kind), base, &self.readable, runs, fixed);
        let table = self.tables.iter().position(|known| *known == table).unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        self.units.push(PlannedUnit { base: self.offset_of(base), table });
        match self.groups.last_mut().filter(|group| (group.kind, group.table) == (kind, table)) {
            Some(group) => group.units.end = position + 1,
            None => {
                let of_kind = self.groups.iter().filter(|group| group.kind == kind);
                let first = of_kind.map(|group| group.units.len()).sum();
                self.groups.push(UnitGroup { kind, table, units: position..position + 1, first });
            }
        }
    }

    fn offset_of(&self, address: usize) -> isize {
        address as isize - self.model as isize
    }
}

/// Bits of a variable, starting at its bit `lsb`; `model` is the position of the first of them in the model.
fn run(layout: &Layout, variable: &Variable, lsb: u32, model: usize, width: u32) -> BitRun {
    let (image, condition) = (64 * variable.slot + lsb as usize, Condition::of(layout, variable));
    BitRun { model, image, width: width as usize, condition }
}

struct Planner<'a> {
    names: &'a ModelNames,
    registers: BTreeMap<Location, &'a MappedRegister>,
    plan: ComparisonPlan,
}

impl Planner<'_> {
    /// Plans the registers of a unit; computed ones are added to the computations.
    fn unit(&mut self, number: usize, unit: Unit) {
        let layout = Arc::clone(&self.plan.layout);
        let (mut runs, mut fixed) = (Vec::new(), Vec::new());
        for variable in layout.variables_of(unit.kind()) {
            for field in &variable.fields {
                let location = Location { unit, register: field.register };
                let Some(&register) = self.registers.get(&location) else { continue };
                let plain = register.offset == 0 && !register.is_conditional();
                let Some(pieces) = register.value.pieces().filter(|_| plain) else {
                    let bit = 64 * variable.slot + field.lsb as usize;
                    let condition = Condition::of(&layout, variable);
                    let computation = self.computation(number, bit, condition, register);
                    self.plan.computations.push(computation);
                    continue;
                };
                let mut bit = field.lsb;
                for piece in pieces {
                    match piece {
                        ValuePiece::Constant(bits) => {
                            let first = 64 * variable.slot + bit as usize;
                            fixed.extend(FixedBits::of(first, &bits));
                            bit += bits.width();
                        }
                        ValuePiece::Signal { id, lsb, width } => {
                            let model = 8 * self.names.place(id).address + lsb as usize;
                            runs.push(run(&layout, variable, bit, model, width));
                            bit += width;
                        }
                    }
                }
            }
        }
        self.plan.add(unit, &runs, fixed);
    }

    fn computation(
        &self,
        unit: usize,
        bit: usize,
        condition: Option<Condition>,
        register: &MappedRegister,
    ) -> Computation {
        let mut signals = register.value.signals();
        signals.extend(register.while_waveform.iter().flat_map(Expression::signals));
        let sources = self.sources(signals);
        Computation { register: register.clone(), unit, bit, condition, sources }
    }

    /// The variables with these numbers, each once.
    fn sources(&self, mut signals: Vec<SignalHandle>) -> Vec<SourceSignal> {
        signals.sort_unstable();
        signals.dedup();
        let source = |id: SignalHandle| {
            let place = self.names.place(id);
            SourceSignal { id, offset: self.plan.offset_of(place.address), width: place.width }
        };
        signals.into_iter().map(source).collect()
    }

    fn memory(&self, tile: TileId) -> TileMemory {
        let geometry = self.plan.layout.geometry();
        let of_row = |row: usize| {
            let register = Register::TileSram(row);
            self.registers.get(&Location { unit: Unit::Tile(tile), register })
        };
        let plain = |row: usize| of_row(row).copied().filter(|r| !r.is_conditional());
        let place = |row: usize| match plain(row)?.value.pieces()?[..] {
            [ValuePiece::Signal { id, lsb: 0, width: 256 }] => {
                Some(self.names.place(id)).filter(|p| p.width == 256).map(|p| p.address)
            }
            _ => None,
        };
        let rows = 0..geometry.sram_blocks;
        if let Some(first) = place(0)
            && rows.clone().all(|row| place(row) == Some(first + row * size_of::<Block>()))
        {
            return TileMemory::InPlace(self.plan.offset_of(first));
        }
        let unit = Unit::Tile(tile).position(geometry);
        let row = |row| of_row(row).map(|register| self.computation(unit, 0, None, register));
        TileMemory::Rows(rows.map(row).collect())
    }
}

/// Maximum number of signals listed for a register.
const MAX_NAMED: usize = 4;

/// The name of a register in the design: the signals that make up its value.
fn names_of(names: &ModelNames, value: &Expression) -> String {
    let path = |id: SignalHandle| names.names.signal(id).path.clone();
    let piece = |piece: ValuePiece| match piece {
        ValuePiece::Signal { id, lsb, width } if (lsb, width) == (0, names.place(id).width) => {
            Some(path(id))
        }
        ValuePiece::Signal { id, lsb, width: 1 } => Some(format!("{}[{lsb}]", path(id))),
        ValuePiece::Signal { id, lsb, width } => {
            Some(format!("{}[{}:{lsb}]", path(id), lsb + width - 1))
        }
        ValuePiece::Constant(_) => None,
    };
    let mut all: Vec<String> = match value.pieces() {
        Some(pieces) => pieces.into_iter().rev().filter_map(piece).collect(),
        None => value.signals().into_iter().map(path).collect(),
    };
    all.dedup();
    if all.len() > MAX_NAMED {
        all.truncate(MAX_NAMED);
        all.push("..".to_owned());
    }
    all.join(", ")
}
