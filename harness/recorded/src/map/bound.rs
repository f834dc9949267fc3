// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map bound to a waveform: the expression that shows each register of a fabric, or the reason there is none.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    ops::Deref,
};

use drra_fabric::{Layout, Location, PortId, RegisterId, ports::InputPort};
use drra_isa::{Geometry, TileId, Unit, UnitKind};
use drra_lockstep::{SignalLocation, UncomparedReason};

use super::{
    evaluate::{Expression, ExpressionError, SignalValues},
    expression::BLOCK_BITS,
    file::{
        CompareFrom, ComparisonWindow, EntryKind, GoldenCondition, MapFile, RegisterEntry, Span,
        sizes,
    },
    find::MAX_SUGGESTIONS,
    pattern::{self, RegisterPattern},
    problem::{MapError, MapProblem},
    reader::{BindError, BindResult, Bindings, Finder, MapReader, ParseResult},
};
use crate::{
    names::{SignalHandle, SignalNames},
    samples::Clock,
    waveform::WaveformValue,
};

/// Maximum delay of an immediate flag in cycles.
const MAX_FLAG_DELAY: u32 = 64;
/// Maximum number of signals listed for an example.
const MAX_SIGNALS: usize = 4;

/// A map bound to a waveform.
#[derive(Clone, Debug)]
pub struct SignalMap {
    /// The clock. The values of a cycle are those just before the edge that ends it.
    pub clock: Clock,
    pub reset: Option<Reset>,
    /// The edge that ends cycle 0.
    pub cycle_0: CycleZero,
    /// The ports that the waveform shows.
    pub ports: MappedPorts,
    /// All registers: those that are compared and those that are left out; and the signals between blocks.
    pub all: RegisterMap,
}

/// The ports that a waveform shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedPorts {
    /// Input ports, with an expression for each unit that has such a port (a single expression for ports of the fabric
    /// as a whole).
    pub inputs: BTreeMap<InputPort, Vec<Expression>>,
    /// Output ports in the same way.
    pub outputs: BTreeMap<PortId, Vec<Expression>>,
    /// Ports of the map, and signals between blocks, that are missing from the waveform: the name of each, and a path
    /// that no signal has.
    pub lacking: Vec<(String, String)>,
    /// Cycles from a word to its immediate flag, by index of the cell.
    pub flag_delays: Vec<u32>,
}

impl MappedPorts {
    /// The expression for an input port of the fabric as a whole; `None` if the map or the waveform does not have the
    /// port.
    pub fn input(&self, port: InputPort) -> Option<&Expression> {
        self.inputs.get(&port)?.first()
    }
}

/// The registers and signals of a map bound to a waveform or to a model in lock-step. Every register of the fabric,
/// including the blocks of the tiles, is in exactly one of `registers` and `left_out`.
#[derive(Clone, Debug, Default)]
pub struct RegisterMap {
    /// Compared registers, in the order of the state tables.
    pub registers: Vec<MappedRegister>,
    /// Memories that are reconstructed from their write ports.
    pub memories: Vec<MappedMemory>,
    /// Registers that are not compared: those missing from the waveform or model and those excluded, then those that
    /// the map does not name. For the first missing register of each entry, paths similar to the missing path are
    /// included.
    pub left_out: Vec<(Location, UncomparedReason)>,
    /// The result for each entry of the map.
    pub entries: Vec<EntryUse>,
    /// The signals between blocks that the waveform or model shows.
    pub signals: Vec<(SignalLocation, Expression)>,
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
    pub signal: SignalHandle,
    /// True if active high.
    pub high: bool,
}

/// The edge that ends cycle 0 of the golden model.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleZero {
    /// The first edge that samples this bit as 1; `None`: the first edge that samples the reset as inactive.
    pub when: Option<Expression>,
    /// Number of edges from that edge to the one that ends cycle 0.
    pub skip: u32,
}

/// A register that is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedRegister {
    pub location: Location,
    /// Width in bits, which is also the width of the value.
    pub width: u32,
    /// The expression that shows the value of the register.
    pub value: Expression,
    /// Cycles by which the waveform lags behind the register; negative if it is ahead.
    pub offset: i32,
    /// The beginning of the comparison.
    pub from: CompareFrom,
    /// Compared while this bit is 1 in the cycle in which the waveform shows the register.
    pub while_waveform: Option<Expression>,
    /// Compared while this condition is true of the golden model in the cycle of the register.
    pub while_golden: Option<GoldenTest>,
    /// The bits that are not compared because the waveform lacks them, highest first.
    pub missing: Vec<u32>,
    /// For a block that no signal shows, its memory in [`RegisterMap::memories`]; the value is then the data of a
    /// write.
    pub memory: Option<usize>,
}

impl MappedRegister {
    /// Number of bits that are compared.
    pub(crate) fn compared_bits(&self) -> u32 {
        self.width - self.missing.len() as u32
    }

    /// True if `from` or `while` in the map restricts the cycles in which the register is compared.
    pub fn is_conditional(&self) -> bool {
        self.from != CompareFrom::Reset
            || self.while_waveform.is_some()
            || self.while_golden.is_some()
    }
}

/// A condition on a register of the golden model, for one register of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldenTest {
    /// The register, at most 64 bits wide.
    pub location: Location,
    pub value: u64,
    /// True if the register must have the value, false if it must not have the value.
    pub equals: bool,
}

/// The memory of a tile, reconstructed from its write port: a block is written at every edge that samples `enable` as
/// 1.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedMemory {
    pub tile: TileId,
    /// One bit.
    pub enable: Expression,
    /// Number of the block, at most 64 bits.
    pub address: Expression,
    /// If true, the initial contents are unknown and a block is compared only after it has been written. Otherwise, the
    /// initial contents are 0, as in the golden model, so that a write missed by the design is found.
    pub unknown: bool,
    /// The comparison of all memory rows. Writes are also tracked before the comparison begins.
    pub block: MappedRegister,
}

/// The result for the map entry at the same position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryUse {
    /// Number of compared registers.
    pub mapped: usize,
    /// Number of registers missing from the waveform.
    pub lacking: usize,
    /// Number of excluded registers.
    pub excluded: usize,
    /// The reason why registers are excluded.
    pub reason: Option<String>,
    /// Number of registers of the pattern that a more specific entry covers.
    pub elsewhere: usize,
    /// Smallest and largest width of the registers, in bits.
    pub widths: Option<(u32, u32)>,
    /// The first compared register, and the signals that make up its value.
    pub example: Option<(Location, Vec<String>)>,
    /// Number of times each alternative was chosen, by its name: `first[1]`, `let.top[0]`.
    pub choices: BTreeMap<String, usize>,
    /// The first register missing from the waveform, the missing path, and similar paths.
    pub missing: Option<(Location, String, Vec<String>)>,
}

impl SignalMap {
    /// True if an edge that samples these values meets the condition of [`CycleZero`]; cycle 0 ends [`CycleZero::skip`]
    /// edges after the first such edge. An unknown value does not meet the condition.
    ///
    /// # Errors
    /// If a signal has a value that the map does not expect.
    pub fn begins(&self, values: &dyn SignalValues) -> Result<bool, ExpressionError> {
        match (&self.cycle_0.when, &self.reset) {
            (Some(when), _) => Ok(when.value(values)?.bit(0) == Some(true)),
            (None, Some(reset)) => {
                Ok(values.get(reset.signal).and_then(WaveformValue::bit) == Some(!reset.high))
            }
            (None, None) => Ok(true),
        }
    }

    /// Binds a map to the names of a waveform for a fabric size.
    ///
    /// # Errors
    /// Returns all problems of the map, not only the first problem. Registers missing from the waveform are not a
    /// problem, but a map that matches nothing at all is.
    pub fn resolve(
        file: &MapFile,
        names: &SignalNames,
        geometry: &Geometry,
    ) -> Result<Self, MapError> {
        Self::bind(file, names, geometry, Resolver::registers)
    }

    /// Like [`Self::resolve`], but without the registers.
    pub(crate) fn without_registers(
        file: &MapFile,
        names: &SignalNames,
        geometry: &Geometry,
    ) -> Result<Self, MapError> {
        Self::bind(file, names, geometry, |_| RegisterMap::default())
    }

    /// The paths without `*` that the map refers to and that no signal has, for a fabric of this size, including those
    /// of alternatives; some are listed several times. Once signals with these paths have been added, the map may refer
    /// to others.
    pub fn missing(file: &MapFile, names: &SignalNames, geometry: &Geometry) -> Vec<String> {
        let mut resolver = Resolver::new(file, names, geometry);
        let _ = Self::found(&mut resolver, Resolver::registers);
        resolver.finder.missing
    }

    fn bind<'a>(
        file: &'a MapFile,
        names: &'a SignalNames,
        geometry: &'a Geometry,
        registers: fn(&mut Resolver<'a>) -> RegisterMap,
    ) -> Result<Self, MapError> {
        let mut resolver = Resolver::new(file, names, geometry);
        let found = Self::found(&mut resolver, registers);
        resolver.finish(found)
    }

    /// The bound map, unless the clock or cycle 0 is missing.
    fn found<'a>(
        resolver: &mut Resolver<'a>,
        registers: fn(&mut Resolver<'a>) -> RegisterMap,
    ) -> Option<Self> {
        let (clock, reset) = (resolver.clock(), resolver.reset());
        let (cycle_0, mut ports) = (resolver.cycle_zero(), resolver.ports());
        let signals = resolver.signals(&mut ports);
        let all = RegisterMap { signals, ..registers(resolver) };
        let (clock, cycle_0) = clock.zip(cycle_0)?;
        Some(Self { clock, reset, cycle_0, ports, all })
    }
}

impl RegisterMap {
    /// Binds the registers and signals of a map to the names of a model for a fabric size.
    ///
    /// # Errors
    /// Like [`SignalMap::resolve`]; the statements about clock, reset, cycle 0 and ports are ignored.
    pub fn resolve(
        file: &MapFile,
        names: &SignalNames,
        geometry: &Geometry,
    ) -> Result<Self, MapError> {
        let mut resolver = Resolver::new(file, names, geometry);
        let signals = resolver.signals(&mut MappedPorts::default());
        let all = Self { signals, ..resolver.registers() };
        resolver.finish(Some(all))
    }
}

struct Resolver<'a> {
    file: &'a MapFile,
    geometry: &'a Geometry,
    finder: Finder<'a>,
    found: RegisterMap,
    /// A block of the memory that was bound last, with its entry and tile.
    block: Option<((usize, Unit), BindResult<MappedRegister>)>,
}

impl<'a> Resolver<'a> {
    /// Creates a resolver, and checks that the map is meant for a fabric of this size.
    fn new(file: &'a MapFile, names: &'a SignalNames, geometry: &'a Geometry) -> Self {
        let mut finder = Finder::new(file, names);
        let mut size = *geometry;
        let sizes = sizes(&mut size).map(|(name, size)| (name, *size));
        for (name, map, span) in &file.fabric {
            let what = match sizes.iter().find(|(known, _)| known == name) {
                Some((_, fabric)) if fabric == map => continue,
                Some((_, fabric)) => {
                    format!("the map is for {map} {name}, but the fabric has {fabric}")
                }
                None => {
                    format!("there is no size `{name}`, only {}", sizes.map(|s| s.0).join(", "))
                }
            };
            let help = "use the map for this fabric, or change `fabric`";
            finder.note(MapProblem::new(span.clone(), what, help));
        }
        Self { file, geometry, finder, found: RegisterMap::default(), block: None }
    }

    /// The result, if there are no problems.
    fn finish<T>(self, found: Option<T>) -> Result<T, MapError> {
        let problems = self.finder.problems;
        found
            .filter(|_| problems.is_empty())
            .ok_or_else(|| MapError::new(&self.file.name, &self.file.text, problems))
    }

    /// Notes a problem that does not belong to a register; an empty span refers to the map as a whole.
    fn note(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        self.finder.location = None;
        self.finder.note(MapProblem::new(span, what, help));
    }

    /// A required bit, whose absence from the waveform is a problem.
    fn needed(&mut self, at: usize) -> Option<Expression> {
        let mut span = at..at;
        let found = self.finder.read(at, Bindings::new(), None, |reader| {
            let value = reader.expression_of(1);
            span = reader.since(at);
            value
        });
        if let Ok(Err(BindError::Lacking(path))) = &found {
            let what = format!("the waveform has no signal `{path}`");
            let help = like(&self.finder.names.nearest(path, MAX_SUGGESTIONS), "check the path");
            self.note(span, what, help);
        }
        found.ok()?.ok()
    }

    /// A required one-bit signal.
    fn signal(&mut self, span: &Span) -> Option<SignalHandle> {
        let bit = self.needed(span.start)?;
        let signal = bit.signal();
        if signal.is_none() {
            self.note(span.clone(), "this is not a whole signal", "name a one-bit signal");
        }
        signal
    }

    fn clock(&mut self) -> Option<Clock> {
        let Some((edge, path)) = &self.file.clock else {
            self.note(0..0, "the map has no clock", "add `clock rising PATH`");
            return None;
        };
        Some(Clock { signal: self.signal(path)?, edge: *edge })
    }

    fn reset(&mut self) -> Option<Reset> {
        let (high, path) = self.file.reset.as_ref()?;
        Some(Reset { signal: self.signal(path)?, high: *high })
    }

    fn cycle_zero(&mut self) -> Option<CycleZero> {
        let (when, skip) = self.file.cycle_0;
        if when.is_none() && self.file.reset.is_none() {
            let what = "cycle 0 is determined by the end of the reset, but there is no `reset`";
            self.note(0..0, what, "add `reset low PATH`, or `cycle_0 when EXPRESSION`");
            return None;
        }
        let when = when.map(|at| self.needed(at).ok_or(()));
        Some(CycleZero { when: when.transpose().ok()?, skip })
    }

    fn ports(&mut self) -> MappedPorts {
        let (file, geometry) = (self.file, self.geometry);
        let mut ports = MappedPorts::default();
        for (port, at) in &file.ports {
            let found = self.port(*at, port.unit(), port.width(geometry));
            let found = noted(&mut ports, port.name(), found);
            ports.inputs.extend(found.map(|expressions| (*port, expressions)));
        }
        for (port, at) in &file.outputs {
            let info = port.info();
            let found = self.port(*at, info.unit, info.width.bits(geometry, 0));
            let found = noted(&mut ports, port.name(), found);
            ports.outputs.extend(found.map(|expressions| (*port, expressions)));
        }
        ports.flag_delays = match file.flag_delay {
            Some(at) => self.each(UnitKind::Cell, at, flag_delay).unwrap_or_default(),
            None => vec![0; geometry.cells()],
        };
        ports
    }

    /// Reads a value for each unit of a kind, and continues even if a value is missing.
    fn each<T>(
        &mut self,
        kind: UnitKind,
        at: usize,
        read: impl Fn(&mut MapReader<'_, '_>) -> ParseResult<BindResult<T>>,
    ) -> BindResult<Vec<T>> {
        let mut all = Vec::new();
        for unit in Unit::of_kind(kind, self.geometry) {
            all.push(self.finder.read(at, pattern::letters(unit), None, &read).flatten());
        }
        all.into_iter().collect()
    }

    /// The signals between blocks that the waveform or model shows; missing signals are noted in the same way as
    /// missing ports.
    fn signals(&mut self, ports: &mut MappedPorts) -> Vec<(SignalLocation, Expression)> {
        let (file, geometry) = (self.file, self.geometry);
        let mut found = Vec::new();
        for (written, at, span) in &file.signals {
            let (name, letter) = match written.strip_suffix(']').and_then(|w| w.split_once('[')) {
                Some((name, letter)) => (name, Some(letter)),
                None => (written.as_str(), None),
            };
            let mut characters = letter.unwrap_or_default().chars();
            let (letter, more) = (characters.next(), characters.next());
            let id = drra_fabric::SignalId::from_name(name)
                .filter(|id| id.key_kind().is_some() == letter.is_some() && more.is_none());
            let Some(id) = id else {
                let what = format!("`{written}` is not a signal between blocks");
                let help =
                    "chapter 5, 7.4, lists the signals; if a unit has several, write `dpu_in[k]`";
                self.note(span.clone(), what, help);
                continue;
            };
            let units = Unit::of_kind(id.info().unit, geometry);
            let all = units.flat_map(|u| id.keys(geometry).map(move |key| (u, key)));
            let all = all.map(|(unit, key)| {
                let bindings = letter.map(|letter| (letter, pattern::item(key)));
                let bindings = pattern::letters(unit).into_iter().chain(bindings).collect();
                let read = |reader: &mut MapReader<'_, '_>| reader.expression_of(id.info().width);
                let value = self.finder.read(*at, bindings, None, read).flatten()?;
                Ok((SignalLocation::new(unit, id, key), value))
            });
            let all = all.collect::<Vec<_>>().into_iter().collect::<BindResult<Vec<_>>>();
            found.extend(noted(ports, written, all).into_iter().flatten());
        }
        found
    }

    /// A port: an expression for each unit of a kind.
    fn port(&mut self, at: usize, kind: UnitKind, width: u32) -> BindResult<Vec<Expression>> {
        self.each(kind, at, |reader| reader.expression_of(width))
    }

    fn registers(&mut self) -> RegisterMap {
        let file = self.file;
        self.finder.location = None;
        self.finder.choices.clear();
        let mut entries = Vec::new();
        for (number, written) in file.registers.iter().enumerate() {
            match ParsedEntry::new(number, written, self.geometry) {
                Ok(entry) => entries.push(entry),
                Err(problem) => self.finder.note(problem),
            }
        }
        let owners = self.owners(&entries);
        self.found.entries = vec![EntryUse::default(); file.registers.len()];
        for entry in &entries {
            self.finder.thorough = true;
            for (location, bindings) in &entry.locations {
                let own = owners.get(location) == Some(&entry.number);
                if own {
                    self.bind(entry, *location, bindings);
                    self.finder.thorough = false;
                } else {
                    self.found.entries[entry.number].elsewhere += 1;
                }
            }
            self.found.entries[entry.number].choices = mem::take(&mut self.finder.choices);
        }
        let mut found = mem::take(&mut self.found);
        found.registers.sort_by_key(|r| r.location);
        found.left_out.sort_by_key(|(location, _)| *location);
        if found.registers.is_empty() {
            let lacking = found.left_out.iter().find_map(|(_, why)| match why {
                UncomparedReason::Lacking { path, .. } => Some(path.as_str()),
                _ => None,
            });
            if let Some(path) = lacking {
                let nearest = self.finder.names.nearest(path, MAX_SUGGESTIONS);
                let help = like(&nearest, "check `let` against the names of the waveform");
                let what = "the map matches nothing: none of its signals is in the waveform";
                self.note(0..0, what, format!("looked for `{path}`; {help}"));
            } else {
                let help = "add a register, or exclude fewer";
                self.note(0..0, "the map compares nothing", help.to_owned());
            }
        }
        let layout = Layout::new(self.geometry);
        let unmapped = layout.locations().filter(|location| !owners.contains_key(location));
        found.left_out.extend(unmapped.map(|location| (location, UncomparedReason::Unmapped)));
        found
    }

    /// The entry that covers each register, which is the entry with the most fixed indices.
    fn owners(&mut self, entries: &[ParsedEntry<'_>]) -> HashMap<Location, usize> {
        let mut owners: HashMap<Location, &ParsedEntry<'_>> = HashMap::new();
        let mut rivals = BTreeMap::new();
        for entry in entries {
            for (location, _) in &entry.locations {
                let owner = owners.entry(*location).or_insert(entry);
                let (fixed, others) = (entry.pattern.fixed(), owner.pattern.fixed());
                if fixed > others {
                    *owner = entry;
                    rivals.remove(location);
                } else if fixed == others && entry.number != owner.number {
                    rivals.insert(*location, (entry.written, owner.written));
                }
            }
        }
        for (location, (one, other)) in rivals {
            let what =
                format!("`{}` matches the same register and is equally specific", other.register);
            let help =
                "fix an index in one of them; the entry with more fixed indices takes precedence";
            self.finder.location = Some(location);
            self.finder.note(MapProblem::new(one.span.clone(), what, help));
        }
        owners.into_iter().map(|(location, entry)| (location, entry.number)).collect()
    }

    /// Binds a register of an entry.
    fn bind(&mut self, entry: &ParsedEntry<'_>, location: Location, bindings: &Bindings) {
        let width = location.register.width(self.geometry);
        let using = &mut self.found.entries[entry.number];
        let (least, most) = using.widths.unwrap_or((width, width));
        using.widths = Some((least.min(width), most.max(width)));
        let bound = match &entry.written.kind {
            EntryKind::Excluded(reason) => return self.exclude(entry.number, location, reason),
            EntryKind::Expression(at) => self.register(entry, *at, (location, width), bindings),
            EntryKind::Memory(at) => self.block(entry, *at, location, bindings),
        };
        let bound = bound.map(|register| self.found.registers.push(register));
        let using = &mut self.found.entries[entry.number];
        match bound {
            Ok(()) => using.mapped += 1,
            Err(BindError::Wrong) => {}
            Err(BindError::Constant) => {
                self.exclude(entry.number, location, "the map has a constant");
            }
            Err(BindError::Lacking(path)) => {
                using.lacking += 1;
                let nearest = match using.missing {
                    None => self.finder.names.nearest(&path, MAX_SUGGESTIONS),
                    Some(_) => Vec::new(),
                };
                using.missing.get_or_insert_with(|| (location, path.clone(), nearest.clone()));
                self.found.left_out.push((location, UncomparedReason::Lacking { path, nearest }));
            }
        }
    }

    /// Excludes a register from the comparison, with the reason.
    fn exclude(&mut self, entry: usize, location: Location, reason: &str) {
        let using = &mut self.found.entries[entry];
        using.excluded += 1;
        using.reason.get_or_insert_with(|| reason.to_owned());
        self.found
            .left_out
            .push((location, UncomparedReason::Excluded { reason: reason.to_owned() }));
    }

    fn register(
        &mut self,
        entry: &ParsedEntry<'_>,
        at: usize,
        place: (Location, u32),
        bindings: &Bindings,
    ) -> BindResult<MappedRegister> {
        let (location, width) = place;
        let read = self.finder.read(at, bindings.clone(), Some(location), |reader| {
            Ok((reader.register_of(width)?, reader.when()?.1))
        });
        let (value, condition) = read?;
        let (value, missing) = value.map_or_else(|e| (Err(e), Vec::new()), |(v, m)| (Ok(v), m));
        let register = self.compared(entry, place, bindings, value, condition)?;
        let register = MappedRegister { missing, ..register };
        if register.value.is_constant() {
            return Err(BindError::Constant);
        }
        if self.found.entries[entry.number].example.is_none() {
            let signals = register.value.signals().into_iter().take(MAX_SIGNALS);
            let paths = signals.map(|id| self.finder.names.signal(id).path.clone()).collect();
            self.found.entries[entry.number].example = Some((location, paths));
        }
        Ok(register)
    }

    /// A register, or the blocks of a memory, with the conditions on signals and on the golden model under which it is
    /// compared.
    fn compared(
        &mut self,
        entry: &ParsedEntry<'_>,
        (location, width): (Location, u32),
        bindings: &Bindings,
        value: BindResult<Expression>,
        condition: Option<BindResult<Expression>>,
    ) -> BindResult<MappedRegister> {
        let while_golden = match (&entry.golden, &entry.written.when.golden) {
            (Some(pattern), Some(golden)) => Some(self.golden(pattern, golden, bindings)?),
            _ => None,
        };
        let (while_waveform, value) = (condition.transpose()?, value?);
        let ComparisonWindow { offset, from, .. } = entry.written.when;
        Ok(MappedRegister {
            location,
            width,
            value,
            offset,
            from,
            while_waveform,
            while_golden,
            missing: Vec::new(),
            memory: None,
        })
    }

    /// The condition on a register of the golden model.
    fn golden(
        &mut self,
        of: &RegisterPattern,
        golden: &GoldenCondition,
        bindings: &Bindings,
    ) -> BindResult<GoldenTest> {
        let location = of.bound(bindings, self.geometry);
        let location = location.map_err(|problem| self.finder.wrong(problem))?;
        let (width, value) = (location.register.width(self.geometry), golden.value);
        let (what, help) = if width > u64::BITS || location.register.id() == RegisterId::TileSram {
            let help = "use a condition on another register";
            ("the register in the condition is wider than 64 bits".to_owned(), help)
        } else if width < u64::BITS && value >> width != 0 {
            let what = format!("the value {value} does not fit in {width} bits");
            (what, "check the value and the width")
        } else {
            return Ok(GoldenTest { location, value, equals: golden.equals });
        };
        Err(self.finder.wrong(MapProblem::new(golden.span.clone(), what, help)))
    }

    /// A block of the memory of a tile, which has one write port for all blocks and is bound only once.
    fn block(
        &mut self,
        entry: &ParsedEntry<'_>,
        at: usize,
        location: Location,
        bindings: &Bindings,
    ) -> BindResult<MappedRegister> {
        let key = (entry.number, location.unit);
        let block = match self.block.take() {
            Some((known, block)) if known == key => block,
            _ => self.memory(entry, at, location, bindings),
        };
        self.block = Some((key, block.clone()));
        Ok(MappedRegister { location, ..block? })
    }

    fn memory(
        &mut self,
        entry: &ParsedEntry<'_>,
        at: usize,
        location: Location,
        bindings: &Bindings,
    ) -> BindResult<MappedRegister> {
        let all = entry.pattern.register == RegisterId::TileSram && entry.pattern.takes_all_keys();
        let (true, Unit::Tile(tile)) = (all, location.unit) else {
            let read =
                |reader: &mut MapReader<'_, '_>| reader.no_memory::<BindResult<Expression>>();
            self.finder.read(at, bindings.clone(), Some(location), read)??;
            return Err(BindError::Wrong);
        };
        // The letter of the block number has no meaning in the write port.
        let bindings = bindings[..bindings.len() - 1].to_vec();
        let read = self.finder.read(at, bindings.clone(), Some(location), |reader| {
            Ok((reader.memory()?, reader.when()?.1))
        });
        let ((enable, address, data, unknown), condition) = read?;
        let block = self.compared(entry, (location, BLOCK_BITS), &bindings, data, condition);
        let (enable, address, block) = (enable?, address?, block?);
        let block = MappedRegister { memory: Some(self.found.memories.len()), ..block };
        self.found.memories.push(MappedMemory {
            tile,
            enable,
            address,
            unknown,
            block: block.clone(),
        });
        Ok(block)
    }
}

/// The result for a port; a missing signal is noted.
fn noted<T>(ports: &mut MappedPorts, name: &str, found: BindResult<T>) -> Option<T> {
    if let Err(BindError::Lacking(path)) = &found {
        ports.lacking.push((name.to_owned(), path.clone()));
    }
    found.ok()
}

/// Cycles from a word to its immediate flag.
fn flag_delay(reader: &mut MapReader<'_, '_>) -> ParseResult<BindResult<u32>> {
    let start = reader.at;
    let sum = reader.sum()?;
    let span = reader.since(start);
    Ok(reader.count(sum, &span).and_then(|delay| match delay {
        0..=MAX_FLAG_DELAY => Ok(delay),
        _ => {
            let what = format!("a delay of {delay} cycles exceeds the maximum of {MAX_FLAG_DELAY}");
            reader.wrong(span, what, "check the arithmetic")
        }
    }))
}

fn like(nearest: &[String], otherwise: &str) -> String {
    match nearest {
        [] => otherwise.to_owned(),
        some => format!("the waveform has {}", some.join(", ")),
    }
}

/// An entry whose patterns have been read.
struct ParsedEntry<'a> {
    /// Position in the file.
    number: usize,
    written: &'a RegisterEntry,
    pattern: RegisterPattern,
    golden: Option<RegisterPattern>,
    /// The registers of the entry, and the values of the letters.
    locations: Vec<(Location, Bindings)>,
}

impl<'a> ParsedEntry<'a> {
    fn new(
        number: usize,
        written: &'a RegisterEntry,
        geometry: &Geometry,
    ) -> Result<Self, MapProblem> {
        let golden = written.when.golden.as_ref();
        let golden = golden.map(|g| RegisterPattern::parse(&g.register, &g.span)).transpose()?;
        let pattern = RegisterPattern::parse(&written.register, &written.span)?;
        let locations = pattern.locations(geometry)?;
        Ok(Self { number, written, pattern, golden, locations })
    }
}
