// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map that is bound to a dump: for every register of a fabric what shows it, or why nothing does.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Deref,
};

use drra_isa::{
    Geometry, TileId, Unit, UnitKind,
    fabric::{Location, PortId, RegisterId},
};
use drra_lockstep::Amount;

use super::{
    evaluate::{Expression, SignalValues},
    find::{Bound, Finder, NEAREST, Unbound},
    grammar::{CompareFrom, MapFile, Memory, Path, RegisterEntry, Span, Sum, Term, Value},
    pattern::{Bindings, Pattern},
    ports::MappedPorts,
    problem::{MapError, Problem},
};
use crate::{
    dump::Shown,
    frames::Clock,
    names::{Names, SignalId, SignalKind},
};

/// Most cycles that an immediate flag can come later.
const LATEST_FLAG: u32 = 64;
/// Signals that are named of an example.
const EXAMPLE: usize = 4;
/// Widest address of a memory in bits.
const ADDRESS: u32 = 64;
/// Bits of a block.
const BLOCK: u32 = 256;

/// A map that is bound to a dump.
#[derive(Clone, Debug)]
pub struct SignalMap {
    /// The clock. The values of a cycle are those just before the edge that ends it.
    pub clock: Clock,
    pub reset: Option<Reset>,
    /// Which edge ends cycle 0.
    pub cycle_0: CycleZero,
    /// What the dump shows of the ports.
    pub ports: MappedPorts,
    /// What it shows of the registers.
    pub all: RegisterMap,
}

/// The registers of a map that is bound to a dump or to a model in lock-step. Every register of the fabric, blocks
/// of the tiles included, is in exactly one of `registers`, `memories`, `excluded`, `lacking` and `unmapped`, each in
/// the order of the state tables.
#[derive(Clone, Debug, Default)]
pub struct RegisterMap {
    /// Registers that are compared.
    pub registers: Vec<MappedRegister>,
    /// Memories that are compared by their write ports.
    pub memories: Vec<MappedMemory>,
    /// Registers that the map excludes.
    pub excluded: Vec<Excluded>,
    /// Registers that the map names and the dump or the model lacks.
    pub lacking: Vec<Lacking>,
    /// Registers that the map does not name.
    pub unmapped: Vec<Location>,
    /// What became of the entries of the map.
    pub entries: Vec<EntryUse>,
}

impl Deref for SignalMap {
    type Target = RegisterMap;

    fn deref(&self) -> &RegisterMap {
        &self.all
    }
}

/// The reset of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    pub signal: SignalId,
    /// It is 1 while the fabric is in reset; else it is 0 then.
    pub high: bool,
}

/// Which edge ends cycle 0 of the golden model.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleZero {
    /// The first edge that samples this bit as 1; `None`: the first one that samples the reset as inactive.
    pub when: Option<Expression>,
    /// So many edges later.
    pub skip: u32,
}

/// A register that is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedRegister {
    pub location: Location,
    /// Its width in bits, which is that of the value.
    pub width: u32,
    /// What the dump shows of it.
    pub value: Expression,
    /// Cycles that the dump shows it later; negative: earlier.
    pub offset: i32,
    /// From when on it is compared.
    pub from: CompareFrom,
    /// Compared while this bit is 1, at the cycle in which the dump shows the register.
    pub while_dump: Option<Expression>,
    /// Compared while this holds for the golden model, in the cycle of the register.
    pub while_golden: Option<GoldenTest>,
    /// Number of its entry in [`RegisterMap::entries`].
    pub entry: usize,
}

impl MappedRegister {
    /// True if it is not compared in every cycle.
    pub fn is_conditional(&self) -> bool {
        self.from != CompareFrom::Reset || self.while_dump.is_some() || self.while_golden.is_some()
    }
}

/// A condition on a register of the golden model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldenTest {
    /// The register, at most 64 bits wide.
    pub location: Location,
    pub value: u64,
    /// Whether it must have the value or must not have it.
    pub equals: bool,
}

/// The memory of a tile, rebuilt from its write port: the block is written at an edge that samples `enable` as 1.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedMemory {
    pub tile: TileId,
    /// One bit.
    pub enable: Expression,
    /// Number of the block, at most 64 bits.
    pub address: Expression,
    /// The block, 256 bits.
    pub data: Expression,
    /// It begins with what the write port does not show: a block is compared once it was written.
    pub unknown: bool,
    /// Its blocks that are compared.
    pub blocks: Vec<Location>,
    /// Cycles that the dump shows a write later; negative: earlier.
    pub offset: i32,
    /// From when on it is compared. Writes before are seen.
    pub from: CompareFrom,
    /// Compared while this bit is 1.
    pub while_dump: Option<Expression>,
    /// Compared while this holds for the golden model.
    pub while_golden: Option<GoldenTest>,
    /// Number of its entry in [`RegisterMap::entries`].
    pub entry: usize,
}

/// A register that the map excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    pub location: Location,
    pub reason: String,
}

/// A register that the map names and the dump lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    pub location: Location,
    /// The path that is missing.
    pub path: String,
    /// Paths that are like it; only for the first register of an entry.
    pub nearest: Vec<String>,
}

/// What became of an entry of the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryUse {
    pub register: String,
    /// Registers that are compared.
    pub mapped: usize,
    /// Registers that the dump lacks.
    pub lacking: usize,
    /// Registers that are excluded.
    pub excluded: usize,
    /// Registers of the pattern that a more specific entry takes.
    pub elsewhere: usize,
    /// Least and largest width of its registers in bits.
    pub widths: Option<(u32, u32)>,
    /// The first register that is compared, and the signals that its value is made of.
    pub example: Option<(Location, Vec<String>)>,
    /// How many registers use an alternative, by its name: `first[1]`, `let.top[0]`.
    pub choices: BTreeMap<String, usize>,
    /// The first register that the dump lacks.
    pub missing: Option<Lacking>,
    /// Why it is excluded.
    pub reason: Option<String>,
    /// What the map says to readers.
    pub note: Option<String>,
}

/// What becomes of all registers of a fabric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Compared.
    pub compared: Amount,
    /// Missing in the dump.
    pub lacking: Amount,
    /// Excluded by the map.
    pub excluded: Amount,
    /// Not in the map.
    pub unmapped: Amount,
}

/// How many registers these are.
fn count(locations: impl Iterator<Item = Location>, geometry: &Geometry) -> Amount {
    let mut count = Amount::default();
    locations.for_each(|location| count.add(location.register.width(geometry)));
    count
}

impl SignalMap {
    /// Whether the edge that samples these values is the one that [`CycleZero`] looks for, [`CycleZero::skip`]
    /// edges before the end of cycle 0. Unknown values are none.
    pub fn begins(&self, values: &dyn SignalValues) -> bool {
        let level = match (&self.cycle_0.when, &self.reset) {
            (Some(when), _) => when.value(values).ok().and_then(|bits| bits.bit(0)),
            (None, Some(reset)) => match values.get(reset.signal) {
                Some(Shown::Bits(bits)) => bits.bit(0).map(|bit| bit != reset.high),
                _ => None,
            },
            (None, None) => None,
        };
        level == Some(true)
    }
}

impl RegisterMap {
    /// How many registers are compared and how many are not.
    pub fn amounts(&self, geometry: &Geometry) -> Amounts {
        let registers = self.registers.iter().map(|r| r.location);
        let blocks = self.memories.iter().flat_map(|m| m.blocks.iter().copied());
        Amounts {
            compared: count(registers.chain(blocks), geometry),
            lacking: count(self.lacking.iter().map(|l| l.location), geometry),
            excluded: count(self.excluded.iter().map(|e| e.location), geometry),
            unmapped: count(self.unmapped.iter().copied(), geometry),
        }
    }
}

/// All registers of a fabric in the order of the state tables, blocks of the tiles included.
fn all_locations(geometry: &Geometry) -> impl Iterator<Item = Location> + use<> {
    let geometry = *geometry;
    drra_isa::Unit::all(&geometry).flat_map(move |unit| {
        let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
        ids.flat_map(move |id| id.all(&geometry))
            .filter_map(move |register| Location::new(unit, register))
    })
}

impl SignalMap {
    /// Binds a map to the names of a dump, for a fabric of a size.
    ///
    /// # Errors
    /// Everything that is wrong with the map, not only the first thing. Registers that the dump lacks are no
    /// problem, but a map that matches nothing at all is one.
    pub fn resolve(file: &MapFile, names: &Names, geometry: &Geometry) -> Result<Self, MapError> {
        Self::bind(file, names, geometry, Resolver::registers)
    }

    /// As [`Self::resolve`], for clock, reset, cycle 0 and ports alone.
    pub(crate) fn without_registers(
        file: &MapFile,
        names: &Names,
        geometry: &Geometry,
    ) -> Result<Self, MapError> {
        Self::bind(file, names, geometry, |_| RegisterMap::default())
    }

    fn bind<'a>(
        file: &'a MapFile,
        names: &'a Names,
        geometry: &'a Geometry,
        registers: fn(&mut Resolver<'a>) -> RegisterMap,
    ) -> Result<Self, MapError> {
        let mut resolver = Resolver::new(file, names, geometry);
        let (clock, reset) = (resolver.clock(), resolver.reset());
        let (cycle_0, ports) = (resolver.cycle_zero(), resolver.ports());
        let all = registers(&mut resolver);
        match (clock, cycle_0) {
            (Some(clock), Some(cycle_0)) if resolver.finder.problems.is_empty() => {
                Ok(Self { clock, reset, cycle_0, ports, all })
            }
            _ => Err(resolver.error()),
        }
    }
}

impl RegisterMap {
    /// Binds the registers of a map to the names of a model, for a fabric of a size.
    ///
    /// # Errors
    /// As [`SignalMap::resolve`]; what the map says about clock, reset and ports does not matter.
    pub fn resolve(file: &MapFile, names: &Names, geometry: &Geometry) -> Result<Self, MapError> {
        let mut resolver = Resolver::new(file, names, geometry);
        let all = resolver.registers();
        if resolver.finder.problems.is_empty() { Ok(all) } else { Err(resolver.error()) }
    }
}

struct Resolver<'a> {
    file: &'a MapFile,
    geometry: &'a Geometry,
    finder: Finder<'a>,
}

impl<'a> Resolver<'a> {
    /// Checks that the map is meant for a fabric of this size.
    fn new(file: &'a MapFile, names: &'a Names, geometry: &'a Geometry) -> Self {
        let mut finder = Finder::new(file, names);
        let sizes = [
            ("columns", geometry.columns),
            ("tile_rows", geometry.tile_rows),
            ("rf_words", geometry.rf_words),
            ("sram_blocks", geometry.sram_blocks),
        ];
        for (name, map, span) in &file.fabric {
            let what = match sizes.iter().find(|(known, _)| known == name) {
                Some((_, fabric)) if fabric == map => continue,
                Some((_, fabric)) => {
                    format!("the map is for {map} {name}, the fabric has {fabric}")
                }
                None => format!("a fabric has no `{name}`, but {}", sizes.map(|s| s.0).join(", ")),
            };
            let help = "use the map of this fabric, or change `fabric`";
            finder.note(Problem::new(span.clone(), what, help));
        }
        Self { file, geometry, finder }
    }

    fn error(self) -> MapError {
        MapError::new(&self.file.name, &self.file.text, self.finder.problems)
    }

    /// Notes a problem of the map as a whole.
    fn note(&mut self, what: impl Into<String>, help: impl Into<String>) {
        self.finder.note(Problem::new(0..0, what, help));
    }

    /// What nothing works without: what the dump lacks of it is a problem.
    fn needed<T>(&mut self, found: Bound<T>, span: Span) -> Option<T> {
        if let Err(Unbound::Lacking(path)) = &found {
            let what = format!("the dump has no signal `{path}`");
            let help = like(&self.finder.names.nearest(path, NEAREST), "check the path");
            self.finder.note(Problem::new(span, what, help));
        }
        found.ok()
    }

    /// A signal of one bit that nothing works without.
    fn bit(&mut self, path: &Path) -> Option<SignalId> {
        self.finder.begin(Bindings::default(), None);
        let found = self.finder.signal(path);
        let id = self.needed(found, path.span.clone())?;
        let span = path.span.clone();
        let wrong: Bound<()> = match self.finder.names.signal(id).kind {
            SignalKind::Bits { width: 1 } => return Some(id),
            SignalKind::Bits { width } => self.finder.wrong_width(span, 1, width),
            _ => {
                self.finder.wrong(span, "the signal does not show bits", "name a signal of one bit")
            }
        };
        wrong.ok().and(None)
    }

    fn clock(&mut self) -> Option<Clock> {
        let Some((edge, path)) = &self.file.clock else {
            self.note("the map names no clock", "add `clock rising PATH`");
            return None;
        };
        Some(Clock { signal: self.bit(path)?, edge: *edge })
    }

    fn reset(&mut self) -> Option<Reset> {
        let (high, path) = self.file.reset.as_ref()?;
        Some(Reset { signal: self.bit(path)?, high: *high })
    }

    fn cycle_zero(&mut self) -> Option<CycleZero> {
        let (when, skip) = &self.file.cycle_0;
        let Some(when) = when else {
            if self.file.reset.is_none() {
                let what = "cycle 0 is found by the end of the reset, and there is no `reset`";
                self.note(what, "add `reset low PATH`, or `cycle_0 when EXPRESSION`");
                return None;
            }
            return Some(CycleZero { when: None, skip: *skip });
        };
        self.finder.begin(Bindings::default(), None);
        let found = self.finder.of_width(when, 1);
        Some(CycleZero { when: Some(self.needed(found, when.span())?), skip: *skip })
    }

    fn ports(&mut self) -> MappedPorts {
        let (file, geometry) = (self.file, self.geometry);
        let mut ports = MappedPorts::default();
        for (port, term) in &file.ports {
            match self.port(term, port.unit(), port.width(geometry)) {
                Ok(expressions) => _ = ports.inputs.insert(*port, expressions),
                Err(Unbound::Lacking(path)) => ports.lacking.push((port.name().to_owned(), path)),
                Err(Unbound::Wrong) => {}
            }
        }
        for (name, (term, span)) in &file.outputs {
            let Some(port) = PortId::from_name(name) else {
                let what = format!("`{name}` is no output of the fabric");
                let help = "outputs are named in chapter 5, without `_o`";
                self.finder.note(Problem::new(span.clone(), what, help));
                continue;
            };
            let info = port.info();
            match self.port(term, info.unit, info.width.bits(geometry, 0)) {
                Ok(expressions) => _ = ports.outputs.insert(port, expressions),
                Err(Unbound::Lacking(path)) => ports.lacking.push((name.clone(), path)),
                Err(Unbound::Wrong) => {}
            }
        }
        if let Some((delay, span)) = &file.flag_delay {
            ports.flag_delays = self.flag_delays(delay, span);
        }
        ports
    }

    /// A port: an expression for each unit of a kind.
    fn port(&mut self, term: &Term, kind: UnitKind, width: u32) -> Bound<Vec<Expression>> {
        let mut expressions = Vec::new();
        for unit in Unit::of_kind(kind, self.geometry) {
            self.finder.begin(letters(unit), None);
            expressions.push(self.finder.of_width(term, width));
        }
        expressions.into_iter().collect()
    }

    fn flag_delays(&mut self, delay: &Sum, span: &Span) -> Vec<u32> {
        let mut delays = Vec::new();
        for unit in Unit::of_kind(UnitKind::Cell, self.geometry) {
            self.finder.begin(letters(unit), None);
            match self.finder.count(delay, span) {
                Ok(delay) if delay <= LATEST_FLAG => delays.push(delay),
                Ok(delay) => {
                    let what = format!("a delay of {delay} cycles, more than {LATEST_FLAG}");
                    self.finder.note(Problem::new(span.clone(), what, "check the arithmetic"));
                }
                Err(_) => {}
            }
        }
        delays
    }

    fn registers(&mut self) -> RegisterMap {
        let (file, geometry) = (self.file, self.geometry);
        self.finder.begin(Bindings::default(), None);
        self.finder.choices.clear();
        let mut entries = Vec::new();
        for (number, written) in file.registers.iter().enumerate() {
            match Entry::new(number, written, geometry) {
                Ok(entry) => entries.push(entry),
                Err(problem) => self.finder.note(problem),
            }
        }
        let owners = self.owners(&entries);
        let mut found = RegisterMap {
            entries: file.registers.iter().map(EntryUse::of).collect(),
            ..RegisterMap::default()
        };
        for entry in &entries {
            self.finder.thorough = true;
            entry.bind(&mut self.finder, &owners, geometry, &mut found);
            found.entries[entry.number].choices = std::mem::take(&mut self.finder.choices);
        }
        self.finder.begin(Bindings::default(), None);
        let unowned = |location: &Location| !owners.contains_key(location);
        found.unmapped = all_locations(geometry).filter(unowned).collect();
        found.registers.sort_by_key(|r| r.location);
        found.memories.sort_by_key(|m| (m.tile, m.entry));
        found.excluded.sort_by_key(|e| e.location);
        found.lacking.sort_by_key(|l| l.location);
        if found.registers.is_empty() && found.memories.is_empty() {
            let path = found.lacking.first().map(|l| l.path.clone()).unwrap_or_default();
            let nearest = self.finder.names.nearest(&path, NEAREST);
            let help = like(&nearest, "check `let` against the names of the dump");
            let what = "the map matches nothing: none of the signals that it names is in the dump";
            self.note(what, format!("`{path}` was looked for; {help}"));
        }
        found
    }

    /// The entry that takes each register: that with the most fixed indices.
    fn owners(&mut self, entries: &[Entry<'_>]) -> HashMap<Location, usize> {
        let mut owners: HashMap<Location, &Entry<'_>> = HashMap::new();
        let mut rivals = BTreeMap::new();
        for entry in entries {
            for (location, _) in &entry.locations {
                let owner = owners.entry(*location).or_insert(entry);
                if entry.pattern.fixed() > owner.pattern.fixed() {
                    *owner = entry;
                    rivals.remove(location);
                } else if entry.pattern.fixed() == owner.pattern.fixed()
                    && entry.number != owner.number
                {
                    rivals.insert(*location, (entry.written, owner.written));
                }
            }
        }
        for (location, (one, other)) in rivals {
            let what =
                format!("`{}` takes the same register and is equally specific", other.register);
            let help = "fix an index in one of them; more fixed indices win";
            self.finder.location = Some(location);
            self.finder.note(Problem::new(one.span.clone(), what, help));
        }
        owners.into_iter().map(|(location, entry)| (location, entry.number)).collect()
    }
}

fn like(nearest: &[String], otherwise: &str) -> String {
    match nearest {
        [] => otherwise.to_owned(),
        some => format!("the dump has {}", some.join(", ")),
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

/// An entry whose patterns are read.
struct Entry<'a> {
    /// Position in the file.
    number: usize,
    written: &'a RegisterEntry,
    pattern: Pattern,
    golden: Option<Pattern>,
    /// Its registers, and what the letters stand for.
    locations: Vec<(Location, Bindings)>,
}

impl<'a> Entry<'a> {
    fn new(
        number: usize,
        written: &'a RegisterEntry,
        geometry: &Geometry,
    ) -> Result<Self, Problem> {
        let golden = written.golden.as_ref().map(|g| Pattern::parse(&g.register, &g.span));
        let (golden, pattern) =
            (golden.transpose()?, Pattern::parse(&written.register, &written.span)?);
        let locations = pattern.locations(geometry);
        if locations.is_empty() {
            return Err(Pattern::outside(&written.register, &written.span));
        }
        Ok(Self { number, written, pattern, golden, locations })
    }

    /// Binds its registers, of which `owners` says that they are its own.
    fn bind(
        &self,
        finder: &mut Finder<'_>,
        owners: &HashMap<Location, usize>,
        geometry: &Geometry,
        found: &mut RegisterMap,
    ) {
        let own = |l: &Location| owners.get(l) == Some(&self.number);
        let mut tile = None;
        for (location, bindings) in &self.locations {
            if !own(location) {
                found.entries[self.number].elsewhere += 1;
                continue;
            }
            let width = location.register.width(geometry);
            found.entries[self.number].widen(width);
            finder.begin(bindings.clone(), Some(*location));
            let bound = match &self.written.value {
                Value::Excluded(reason) => {
                    found.entries[self.number].excluded += 1;
                    found.excluded.push(Excluded { location: *location, reason: reason.clone() });
                    continue;
                }
                Value::Memory(memory) => {
                    // One write port for all blocks of a tile: it is bound once.
                    let unit = location.unit;
                    let (_, again) = tile
                        .take_if(|(last, _)| *last == unit)
                        .unwrap_or_else(|| (unit, self.memory(memory, finder, geometry)));
                    tile = Some((unit, again.clone()));
                    again.map(|memory| found.add_block(memory, *location))
                }
                Value::Term(term) => self.register(term, width, finder, geometry).map(|register| {
                    found.entries[self.number].show(*location, &register.value, finder.names);
                    found.registers.push(register);
                }),
            };
            let entry = &mut found.entries[self.number];
            match bound {
                Ok(()) => entry.mapped += 1,
                Err(Unbound::Wrong) => {}
                Err(Unbound::Lacking(path)) => {
                    entry.lacking += 1;
                    let nearest = match entry.missing {
                        None => finder.names.nearest(&path, NEAREST),
                        Some(_) => Vec::new(),
                    };
                    let lacking = Lacking { location: *location, path, nearest };
                    entry.missing.get_or_insert_with(|| lacking.clone());
                    found.lacking.push(lacking);
                }
            }
            finder.thorough = false;
        }
    }

    fn register(
        &self,
        term: &Term,
        width: u32,
        finder: &mut Finder<'_>,
        geometry: &Geometry,
    ) -> Bound<MappedRegister> {
        let value = finder.of_width(term, width);
        let (while_dump, while_golden) = self.conditions(finder, geometry)?;
        Ok(MappedRegister {
            location: finder.location.ok_or(Unbound::Wrong)?,
            width,
            value: value?,
            offset: self.written.offset,
            from: self.written.from,
            while_dump,
            while_golden,
            entry: self.number,
        })
    }

    fn conditions(
        &self,
        finder: &mut Finder<'_>,
        geometry: &Geometry,
    ) -> Bound<(Option<Expression>, Option<GoldenTest>)> {
        let while_dump = self.written.condition.as_ref().map(|term| finder.of_width(term, 1));
        let (Some(pattern), Some(golden)) = (&self.golden, &self.written.golden) else {
            return Ok((while_dump.transpose()?, None));
        };
        let location = pattern.bound((&golden.register, &golden.span), &finder.bindings, geometry);
        let location = location.map_err(|problem| {
            finder.note(problem);
            Unbound::Wrong
        })?;
        let (width, value) = (location.register.width(geometry), golden.value);
        if width > u64::BITS || location.register.id() == RegisterId::TileSram {
            let help = "use a condition on another register";
            return finder.wrong(golden.span.clone(), "a condition on more than 64 bits", help);
        }
        if width < u64::BITS && value >> width != 0 {
            let what = format!("the value {value} does not fit {width} bits");
            return finder.wrong(golden.span.clone(), what, "check the value and the width");
        }
        let test = GoldenTest { location, value, equals: golden.equals };
        Ok((while_dump.transpose()?, Some(test)))
    }

    /// The write port of the tile of a block.
    fn memory(
        &self,
        memory: &Memory,
        finder: &mut Finder<'_>,
        geometry: &Geometry,
    ) -> Bound<MappedMemory> {
        let all = self.pattern.register() == RegisterId::TileSram && self.pattern.takes_all_keys();
        let Some(Unit::Tile(tile)) = finder.location.map(|l| l.unit).filter(|_| all) else {
            let what = "a memory is the value of all blocks of a tile, and nothing else";
            let help = "write it as the value of `tile[R][c].sram[a]`";
            return finder.wrong(memory.enable.span(), what, help);
        };
        // The write port is that of the tile: the letter of the block stands for nothing in it.
        finder.bindings.0.pop();
        let enable = finder.of_width(&memory.enable, 1);
        let address = finder.expression(&memory.address);
        let data = finder.of_width(&memory.data, BLOCK);
        let (while_dump, while_golden) = self.conditions(finder, geometry)?;
        let (enable, address, data) = (enable?, address?, data?);
        if address.width() > ADDRESS {
            return finder.wrong_width(memory.address.span(), ADDRESS, address.width());
        }
        Ok(MappedMemory {
            tile,
            enable,
            address,
            data,
            unknown: memory.unknown,
            blocks: Vec::new(),
            offset: self.written.offset,
            from: self.written.from,
            while_dump,
            while_golden,
            entry: self.number,
        })
    }
}

impl RegisterMap {
    /// Adds a block to its memory.
    fn add_block(&mut self, memory: MappedMemory, location: Location) {
        let same = |m: &&mut MappedMemory| m.tile == memory.tile && m.entry == memory.entry;
        match self.memories.iter_mut().rev().find(same) {
            Some(known) => known.blocks.push(location),
            None => self.memories.push(MappedMemory { blocks: vec![location], ..memory }),
        }
    }
}

impl EntryUse {
    /// The use of an entry before anything is found for it.
    fn of(entry: &RegisterEntry) -> Self {
        let reason = match &entry.value {
            Value::Excluded(reason) => Some(reason.clone()),
            Value::Term(_) | Value::Memory(_) => None,
        };
        Self {
            register: entry.register.clone(),
            reason,
            note: entry.note.clone(),
            ..Self::default()
        }
    }

    fn widen(&mut self, width: u32) {
        let (least, most) = self.widths.unwrap_or((width, width));
        self.widths = Some((least.min(width), most.max(width)));
    }

    /// Takes a register as the example, if it is the first one.
    fn show(&mut self, location: Location, value: &Expression, names: &Names) {
        if self.example.is_none() {
            let mut signals = Vec::new();
            value.signals(&mut signals);
            signals.truncate(EXAMPLE);
            let path = |id| names.signal(id).path.clone();
            self.example = Some((location, signals.into_iter().map(path).collect()));
        }
    }
}
