// SPDX-License-Identifier: MIT OR Apache-2.0
//! Binds a map to the names of a dump.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
};

use drra_isa::{
    Geometry, Unit, UnitKind,
    fabric::{Location, PortId},
};

use super::{
    CycleZero, MapFile, MapProblem, MappedPorts, RegisterMap, Reset, SignalMap,
    at::At,
    bind::{Binder, Problems, Unbound},
    bindings::Bindings,
    entry::{Entry, Found},
    expression::Expression,
    file::ClockEdge,
    finder::Finder,
    problem::{Fault, NEAREST},
    signal_map::all_locations,
    term::Term,
};
use crate::{
    frames::{Clock, Edge},
    names::{Names, SignalId, SignalKind},
};

/// Most cycles that an immediate flag can come later.
const LATEST_FLAG: u32 = 64;

impl SignalMap {
    /// Binds a map to the names of a dump, for a fabric of a size.
    ///
    /// # Errors
    /// Everything that is wrong with the map, not only the first thing. Registers that the dump lacks are no
    /// problem, but a map that matches nothing at all is one.
    pub fn resolve(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
    ) -> Result<Self, Vec<MapProblem>> {
        Self::bind(file, names, geometry, true)
    }

    /// As [`Self::resolve`], for clock, reset, cycle 0 and ports alone.
    pub(crate) fn without_registers(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
    ) -> Result<Self, Vec<MapProblem>> {
        Self::bind(file, names, geometry, false)
    }

    fn bind(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
        registers: bool,
    ) -> Result<Self, Vec<MapProblem>> {
        let take = |resolver: &Resolver<'_>| {
            let found = || if registers { resolver.registers() } else { Found::default() };
            (resolver.clock(), resolver.reset(), resolver.cycle_zero(), resolver.ports(), found())
        };
        let ((clock, reset, cycle_0, ports, found), problems) =
            Resolver::run(file, names, geometry, take);
        match (clock, cycle_0) {
            (Some(clock), Some(cycle_0)) if problems.is_empty() => Ok(Self {
                clock,
                reset,
                cycle_0,
                ports,
                registers: found.registers,
                memories: found.memories,
                excluded: found.excluded,
                lacking: found.lacking,
                unmapped: found.unmapped,
                entries: found.entries,
            }),
            _ => Err(problems),
        }
    }
}

impl RegisterMap {
    /// Binds the registers of a map to the names of a model, for a fabric of a size.
    ///
    /// # Errors
    /// As [`SignalMap::resolve`]; what the map says about clock, reset and ports does not matter.
    pub fn resolve(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
    ) -> Result<Self, Vec<MapProblem>> {
        let (found, problems) =
            Resolver::run(file, names, geometry, |resolver| resolver.registers());
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            registers: found.registers,
            memories: found.memories,
            excluded: found.excluded,
            lacking: found.lacking,
            unmapped: found.unmapped,
        })
    }
}

struct Resolver<'a> {
    file: &'a MapFile,
    geometry: &'a Geometry,
    finder: &'a Finder<'a>,
    problems: &'a RefCell<Problems>,
}

impl Resolver<'_> {
    /// Takes parts of a map for a fabric of a size, and lists all problems on the way.
    fn run<T>(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
        take: impl FnOnce(&Resolver<'_>) -> T,
    ) -> (T, Vec<MapProblem>) {
        let problems = RefCell::new(Problems::default());
        let note = |at: &At<'_>, what| problems.borrow_mut().add(at.to_string(), what, None);
        let finder = Finder::new(file, names, note);
        let resolver = Resolver { file, geometry, finder: &finder, problems: &problems };
        resolver.size();
        let taken = take(&resolver);
        (taken, problems.into_inner().into_list())
    }

    fn note(&self, at: &At<'_>, what: Fault) {
        self.problems.borrow_mut().add(at.to_string(), what, None);
    }

    /// Checks that the map is meant for a fabric of this size.
    fn size(&self) {
        if let Some(size) = &self.file.fabric
            && let Some((name, map, fabric)) = size.difference(self.geometry)
        {
            self.note(&At::root("fabric"), Fault::Fabric { name, map, fabric });
        }
    }

    fn binder(&self, bindings: Bindings) -> Binder<'_> {
        Binder {
            finder: self.finder,
            problems: self.problems,
            choices: RefCell::default(),
            bindings,
            location: None,
            thorough: true,
        }
    }

    /// What nothing works without: what the dump lacks of it is a problem.
    fn needed<T>(&self, found: Result<T, Unbound>, at: &At<'_>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(Unbound::Wrong) => None,
            Err(Unbound::Lacking(path)) => {
                let nearest = self.finder.names().nearest(&path, NEAREST);
                self.note(at, Fault::Missing { path, nearest });
                None
            }
        }
    }

    /// A signal of one bit that nothing works without.
    fn bit(&self, path: &str, at: &At<'_>) -> Option<SignalId> {
        let found = self.binder(Bindings::default()).signal(path, at);
        let id = self.needed(found, at)?;
        match self.finder.names().signal(id).kind {
            SignalKind::Bits { width: 1 } => Some(id),
            SignalKind::Bits { width } => {
                self.note(at, Fault::Width { expected: 1, found: width });
                None
            }
            _ => {
                self.note(at, Fault::Text { path: path.to_owned() });
                None
            }
        }
    }

    fn clock(&self) -> Option<Clock> {
        if self.file.clock.is_missing() {
            self.note(&At::root("clock"), Fault::NoClock);
            return None;
        }
        let signal = self.bit(&self.file.clock.signal, &At::root("clock").key("signal"))?;
        let edge = match self.file.clock.edge {
            ClockEdge::Rising => Edge::Rising,
            ClockEdge::Falling => Edge::Falling,
        };
        Some(Clock { signal, edge })
    }

    fn reset(&self) -> Option<Reset> {
        let reset = self.file.reset.as_ref()?;
        let signal = self.bit(&reset.signal, &At::root("reset").key("signal"))?;
        Some(Reset { signal, active: reset.active })
    }

    fn cycle_zero(&self) -> Option<CycleZero> {
        let at = At::root("cycle_0");
        let entry = self.file.cycle_0.as_ref();
        let skip = entry.map_or(0, |e| e.skip);
        let Some(when) = entry.and_then(|e| e.when.as_ref()) else {
            if self.file.reset.is_none() {
                self.note(&at, Fault::NoReset);
                return None;
            }
            return Some(CycleZero { when: None, skip });
        };
        let at = at.key("when");
        let found = self.binder(Bindings::default()).of_width(when, 1, &at);
        Some(CycleZero { when: Some(self.needed(found, &at)?), skip })
    }

    fn ports(&self) -> MappedPorts {
        let mut ports = MappedPorts::default();
        let root = At::root("ports");
        for (port, term) in &self.file.ports {
            let name = port.name();
            let width = port.width(self.geometry);
            match self.port(term, port.unit(), width, &root.key(&name)) {
                Ok(expressions) => _ = ports.inputs.insert(*port, expressions),
                Err(Unbound::Lacking(path)) => ports.lacking.push((name, path)),
                Err(Unbound::Wrong) => {}
            }
        }
        let root = At::root("outputs");
        for (name, term) in &self.file.outputs {
            let at = root.key(name);
            let Some(port) = PortId::from_name(name) else {
                self.note(&at, Fault::Output { name: name.clone() });
                continue;
            };
            let info = port.info();
            match self.port(term, info.unit, info.width.bits(self.geometry, 0), &at) {
                Ok(expressions) => _ = ports.outputs.insert(port, expressions),
                Err(Unbound::Lacking(path)) => ports.lacking.push((name.clone(), path)),
                Err(Unbound::Wrong) => {}
            }
        }
        ports.flag_delays = self.flag_delays();
        ports
    }

    /// A port: an expression for each unit of a kind.
    fn port(
        &self,
        term: &Term,
        kind: UnitKind,
        width: u32,
        at: &At<'_>,
    ) -> Result<Vec<Expression>, Unbound> {
        Unit::of_kind(kind, self.geometry)
            .map(|unit| self.binder(letters(unit)).of_width(term, width, at))
            .collect()
    }

    fn flag_delays(&self) -> Vec<u32> {
        let Some(delay) = &self.file.flag_delay else { return Vec::new() };
        let at = At::root("flag_delay");
        let mut delays = Vec::new();
        for unit in Unit::of_kind(UnitKind::Cell, self.geometry) {
            match self.finder.number(delay, &letters(unit)) {
                Ok(n) if n <= LATEST_FLAG => delays.push(n),
                Ok(offset) => {
                    self.note(&at, Fault::Offset { offset: offset.into(), most: LATEST_FLAG })
                }
                Err(e) => self.note(&at, e.into()),
            }
        }
        delays
    }

    fn registers(&self) -> Found {
        let mut entries = Vec::new();
        let root = At::root("registers");
        for (i, entry) in self.file.registers.iter().enumerate() {
            let at = root.index(i);
            match Entry::new(i, entry, self.geometry) {
                Ok(entry) => entries.push(entry),
                Err(faults) => faults.into_iter().for_each(|(key, what)| match key {
                    Some(key) => self.note(&at.key(key), what),
                    None => self.note(&at, what),
                }),
            }
        }
        let owners = self.owners(&entries);
        let mut found = Found {
            entries: self.file.registers.iter().map(super::entry::unused).collect(),
            ..Found::default()
        };
        self.finder.take_used();
        for entry in &entries {
            let binder = self.binder(Bindings::default());
            entry.bind(binder, &owners, self.geometry, &mut found);
        }
        let unowned = |location: &Location| !owners.contains_key(location);
        found.unmapped = all_locations(self.geometry).filter(unowned).collect();
        found.sort();
        if found.registers.is_empty() && found.memories.is_empty() {
            let path = found.lacking.first().map(|l| l.path.clone()).unwrap_or_default();
            let nearest = self.finder.names().nearest(&path, NEAREST);
            self.note(&root, Fault::Nothing { path, nearest });
        }
        found
    }

    /// The entry that takes each register.
    fn owners(&self, entries: &[Entry<'_>]) -> HashMap<Location, usize> {
        let mut owners: HashMap<Location, &Entry<'_>> = HashMap::new();
        let mut rivals: BTreeMap<Location, (usize, usize)> = BTreeMap::new();
        for entry in entries {
            for (location, _) in &entry.locations {
                let owner = owners.entry(*location).or_insert(entry);
                if entry.fixed() > owner.fixed() {
                    *owner = entry;
                    rivals.remove(location);
                } else if entry.fixed() == owner.fixed() && entry.number != owner.number {
                    rivals.insert(*location, (entry.number, owner.number));
                }
            }
        }
        let root = At::root("registers");
        for (location, (one, other)) in rivals {
            let other = root.index(other).to_string();
            let at = root.index(one).to_string();
            self.problems.borrow_mut().add(at, Fault::Ambiguous { other }, Some(location));
        }
        owners.into_iter().map(|(location, entry)| (location, entry.number)).collect()
    }
}

/// The letters of a unit: `r` and `c` of a cell, `c` of a column.
fn letters(unit: Unit) -> Bindings {
    match unit {
        Unit::Cell(cell) => Bindings::new([('r', cell.row()), ('c', cell.col())]),
        Unit::Column(column) => Bindings::new([('c', column.col())]),
        Unit::Tile(_) | Unit::Fabric => Bindings::default(),
    }
}
