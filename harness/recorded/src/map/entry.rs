// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entries of a map: from a pattern to the registers that it takes.

use std::collections::HashMap;

use drra_isa::{
    Geometry, Unit,
    fabric::{Location, RegisterId},
};

use super::{
    EntryUse, Excluded, GoldenTest, Lacking, MappedMemory, MappedRegister,
    at::At,
    bind::{Binder, Unbound},
    bindings::Bindings,
    expression::Expression,
    file::{CompareFrom, GoldenEntry, RegisterEntry},
    pattern::Pattern,
    problem::{Fault, NEAREST},
    term::{Initial, MemoryTerm, Term},
};

/// Most cycles that a dump can show a register later.
const LATEST: u32 = 64;
/// Signals that are named of an example.
const EXAMPLE: usize = 4;
/// Widest address of a memory in bits.
const ADDRESS: u32 = 64;
/// Bits of a block.
const BLOCK: u32 = 256;

/// What is found for the registers.
#[derive(Default)]
pub(super) struct Found {
    pub(super) registers: Vec<MappedRegister>,
    pub(super) memories: Vec<MappedMemory>,
    pub(super) excluded: Vec<Excluded>,
    pub(super) lacking: Vec<Lacking>,
    pub(super) unmapped: Vec<Location>,
    pub(super) entries: Vec<EntryUse>,
}

impl Found {
    /// Puts everything into the order of the state tables.
    pub(super) fn sort(&mut self) {
        self.registers.sort_by_key(|r| r.location);
        self.memories.sort_by_key(|m| (m.tile, m.entry));
        self.excluded.sort_by_key(|e| e.location);
        self.lacking.sort_by_key(|l| l.location);
    }
}

/// An entry whose pattern is read.
pub(super) struct Entry<'a> {
    /// Position in the file.
    pub(super) number: usize,
    written: &'a RegisterEntry,
    pattern: Pattern,
    condition: Option<(Pattern, &'a GoldenEntry)>,
    /// Its registers, and what the letters stand for.
    pub(super) locations: Vec<(Location, Bindings)>,
}

/// The use of an entry before anything is found for it.
pub(super) fn unused(entry: &RegisterEntry) -> EntryUse {
    EntryUse {
        register: entry.register.clone(),
        reason: entry.exclude.clone(),
        note: entry.note.clone(),
        ..EntryUse::default()
    }
}

impl<'a> Entry<'a> {
    /// Reads the patterns of an entry. The key of the element that is wrong comes with each fault.
    pub(super) fn new(
        number: usize,
        written: &'a RegisterEntry,
        geometry: &Geometry,
    ) -> Result<Self, Vec<(Option<&'static str>, Fault)>> {
        let mut faults = Vec::new();
        if written.value.is_some() == written.exclude.as_ref().is_some_and(|r| !r.is_empty()) {
            faults.push((None, Fault::ValueOrReason));
        }
        if written.offset.unsigned_abs() > LATEST {
            let what = Fault::Offset { offset: written.offset.into(), most: LATEST };
            faults.push((Some("offset"), what));
        }
        let condition = written.while_register.as_ref().and_then(|golden| {
            let key = Some("while_register");
            if golden.equals.is_some() == golden.not.is_some() {
                faults.push((key, Fault::Condition));
            }
            let pattern = Pattern::parse(&golden.register);
            let pattern = pattern.map_err(|e| faults.push((key, e.into()))).ok()?;
            Some((pattern, golden))
        });
        let pattern = Pattern::parse(&written.register);
        let pattern = pattern.map_err(|e| faults.push((Some("register"), e.into()))).ok();
        let Some(pattern) = pattern.filter(|_| faults.is_empty()) else { return Err(faults) };
        let locations = pattern.locations(geometry);
        if locations.is_empty() {
            return Err(vec![(Some("register"), Pattern::outside(&written.register).into())]);
        }
        Ok(Self { number, written, pattern, condition, locations })
    }

    /// Number of its indices that are fixed.
    pub(super) fn fixed(&self) -> usize {
        self.pattern.fixed()
    }

    /// Binds its registers, of which `owners` says that they are its own.
    pub(super) fn bind(
        &self,
        mut binder: Binder<'_>,
        owners: &HashMap<Location, usize>,
        geometry: &Geometry,
        found: &mut Found,
    ) {
        let root = At::root("registers");
        let at = root.index(self.number);
        let own = |l: &Location| owners.get(l) == Some(&self.number);
        let elsewhere = self.locations.iter().filter(|(l, _)| !own(l)).count();
        found.entries[self.number].elsewhere = elsewhere;
        let mut tile = None;
        for (location, bindings) in self.locations.iter().filter(|(l, _)| own(l)) {
            let width = location.register.width(geometry);
            found.entries[self.number].widen(width);
            if let Some(reason) = &self.written.exclude {
                found.entries[self.number].excluded += 1;
                found.excluded.push(Excluded { location: *location, reason: reason.clone() });
                continue;
            }
            binder.location = Some(*location);
            binder.bindings = bindings.clone();
            let bound = match &self.written.value {
                Some(Term::Memory { memory }) => {
                    // One write port for all blocks of a tile: it is bound once.
                    let unit = location.unit;
                    let (_, again) = tile
                        .take_if(|(last, _)| *last == unit)
                        .unwrap_or_else(|| (unit, self.memory(memory, &mut binder, &at, geometry)));
                    tile = Some((unit, again.clone()));
                    again.map(|memory| found.add_block(memory, *location))
                }
                Some(term) => self.register(term, width, &binder, &at, geometry).map(|register| {
                    found.entries[self.number].show(*location, &register.value, &binder);
                    found.registers.push(register);
                }),
                None => return,
            };
            let entry = &mut found.entries[self.number];
            match bound {
                Ok(()) => entry.mapped += 1,
                Err(Unbound::Wrong) => {}
                Err(Unbound::Lacking(path)) => {
                    entry.lacking += 1;
                    let nearest = match entry.missing {
                        None => binder.finder.names().nearest(&path, NEAREST),
                        Some(_) => Vec::new(),
                    };
                    let lacking = Lacking { location: *location, path, nearest };
                    entry.missing.get_or_insert_with(|| lacking.clone());
                    found.lacking.push(lacking);
                }
            }
            binder.thorough = false;
        }
        found.entries[self.number].choose(&at.to_string(), binder);
    }

    fn register(
        &self,
        term: &Term,
        width: u32,
        binder: &Binder<'_>,
        at: &At<'_>,
        geometry: &Geometry,
    ) -> Result<MappedRegister, Unbound> {
        let value = binder.of_width(term, width, &at.key("value"));
        let (while_dump, while_golden) = self.conditions(binder, at, geometry)?;
        Ok(MappedRegister {
            location: binder.location.ok_or(Unbound::Wrong)?,
            width,
            value: value?,
            offset: self.written.offset,
            from: self.written.from.unwrap_or(CompareFrom::Reset),
            while_dump,
            while_golden,
            entry: self.number,
        })
    }

    fn conditions(
        &self,
        binder: &Binder<'_>,
        at: &At<'_>,
        geometry: &Geometry,
    ) -> Result<(Option<Expression>, Option<GoldenTest>), Unbound> {
        let at_while = at.key("while");
        let while_dump = self.written.condition.as_ref();
        let while_dump = while_dump.map(|term| binder.of_width(term, 1, &at_while));
        let while_golden = self.condition.as_ref().map(|(pattern, golden)| {
            let wrong = |what| {
                let place = at.key("while_register").to_string();
                binder.problems.borrow_mut().add(place, what, binder.location);
                Unbound::Wrong
            };
            let location = pattern.bound(&golden.register, &binder.bindings, geometry);
            let location = location.map_err(|e| wrong(e.into()))?;
            let width = location.register.width(geometry);
            if width > u64::BITS || location.register.id() == RegisterId::TileSram {
                return Err(wrong(Fault::ConditionWidth));
            }
            let value = golden.equals.or(golden.not).unwrap_or_default();
            if width < u64::BITS && value >> width != 0 {
                return Err(wrong(Fault::Value { value, width }));
            }
            Ok(GoldenTest { location, value, equals: golden.equals.is_some() })
        });
        Ok((while_dump.transpose()?, while_golden.transpose()?))
    }

    /// The write port of the tile of a block.
    fn memory(
        &self,
        memory: &MemoryTerm,
        binder: &mut Binder<'_>,
        at: &At<'_>,
        geometry: &Geometry,
    ) -> Result<MappedMemory, Unbound> {
        let value = at.key("value");
        let at_memory = value.key("memory");
        let wrong = |what| {
            binder.problems.borrow_mut().add(at_memory.to_string(), what, binder.location);
            Unbound::Wrong
        };
        let tile = match binder.location.map(|l| l.unit) {
            Some(Unit::Tile(tile))
                if self.pattern.register() == RegisterId::TileSram
                    && self.pattern.takes_all_keys() =>
            {
                tile
            }
            _ => return Err(wrong(Fault::Memory)),
        };
        // The write port is that of the tile: the letter of the block stands for nothing in it.
        binder.bindings.forget_last();
        let enable = binder.of_width(&memory.enable, 1, &at_memory.key("enable"));
        let address = binder.expression(&memory.address, &at_memory.key("address"));
        let data = binder.of_width(&memory.data, BLOCK, &at_memory.key("data"));
        let (while_dump, while_golden) = self.conditions(binder, at, geometry)?;
        let (enable, address, data) = (enable?, address?, data?);
        if address.width() > ADDRESS {
            let what = Fault::Width { expected: ADDRESS, found: address.width() };
            let place = at_memory.key("address").to_string();
            binder.problems.borrow_mut().add(place, what, binder.location);
            return Err(Unbound::Wrong);
        }
        Ok(MappedMemory {
            tile,
            enable,
            address,
            data,
            initial: memory.initial.unwrap_or(Initial::Reset),
            blocks: Vec::new(),
            offset: self.written.offset,
            from: self.written.from.unwrap_or(CompareFrom::Reset),
            while_dump,
            while_golden,
            entry: self.number,
        })
    }
}

impl Found {
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
    fn widen(&mut self, width: u32) {
        let (least, most) = self.widths.unwrap_or((width, width));
        self.widths = Some((least.min(width), most.max(width)));
    }

    /// Takes a register as the example, if it is the first one.
    fn show(&mut self, location: Location, value: &Expression, binder: &Binder<'_>) {
        if self.example.is_none() {
            let mut signals = Vec::new();
            value.signals(&mut signals);
            signals.truncate(EXAMPLE);
            let path = |id| binder.finder.names().signal(id).path.clone();
            self.example = Some((location, signals.into_iter().map(path).collect()));
        }
    }

    /// Notes which alternatives were taken.
    fn choose(&mut self, at: &str, binder: Binder<'_>) {
        let of_prefixes = binder.finder.take_used().into_iter();
        let of_prefixes =
            of_prefixes.map(|((name, number), count)| (format!("let.{name}[{number}]"), count));
        let own = |place: String| {
            place.strip_prefix(at).unwrap_or(&place).trim_start_matches('.').to_owned()
        };
        let of_terms = binder.choices.into_inner().into_iter().map(|(place, n)| (own(place), n));
        self.choices = of_prefixes.chain(of_terms).collect();
    }
}
