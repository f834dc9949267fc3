// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state map: where the variables of [`Layout`] are in the model. Comparison, trace and report read the
//! RTL through it.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use drra_golden::Fabric;
use drra_isa::{
    Geometry, TileId, Unit, UnitKind,
    fabric::{Layout, Location, RegisterId, scope::scope},
    ports::Block,
};
use drra_lockstep::{DutError, StateSource};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    sim::{Memory, Sim},
    unit_map::{StoredAt, UnitMap, bytes_of, condition},
};

/// Variables and their positions, which are the same in all models of a size. They are found by name once; in
/// every other model only the address of the whole is different.
#[derive(Debug)]
struct Shape {
    geometry: Geometry,
    layout: Arc<Layout>,
    units: Vec<Unit>,
    /// Per unit: lowest address of its registers from that of the first unit, index of its table.
    places: Vec<(isize, usize)>,
    maps: Vec<UnitMap>,
    /// Units of a kind with the same table that follow each other: compared together.
    groups: Vec<Group>,
    /// Memories of the tiles, counted alike.
    srams: Vec<isize>,
}

/// Units that are compared together.
#[derive(Debug)]
struct Group {
    kind: UnitKind,
    /// Index of the first one among those of its kind.
    first: usize,
    /// The units, by their position among all.
    units: Range<usize>,
    table: usize,
}

/// The state of one [`Sim`], readable in place.
///
/// The map holds pointers into the model: it must not outlive the `Sim` it was made for, and the
/// model must not be evaluated during a call. The module `model` keeps both in one structure.
#[derive(Debug)]
pub struct StateMap {
    shape: Arc<Shape>,
    /// Per unit: lowest address of its registers.
    bases: Vec<*const u8>,
    srams: Vec<*const u8>,
}

// SAFETY: the pointers lead into a model that is owned by one thread at a time together with the
// map; nothing is shared.
unsafe impl Send for StateMap {}

impl Shape {
    /// Finds every variable by name. Returns the address of the first unit, too.
    fn find(sim: &Sim, layout: &Arc<Layout>) -> Result<(Self, usize), DutError> {
        let geometry = layout.geometry();
        let units: Vec<Unit> = layout.units().collect();
        let mut maps: Vec<UnitMap> = Vec::new();
        let mut bases = Vec::new();
        let mut srams = Vec::new();
        for &unit in &units {
            let scope = scope(unit);
            let mut found = Vec::new();
            for variable in layout.variables_of(unit.kind()) {
                let (instance, name) = variable.in_rtl();
                let bytes = variable.storage_bytes();
                found.push((variable, address(sim, &scope, &instance, &name, bytes)?, bytes));
            }
            let base = found.iter().map(|f| f.1).min().unwrap_or(0);
            let mut map = UnitMap::new(layout.words(unit.kind()));
            for (variable, address, bytes) in found {
                let offset = u32::try_from(address - base).map_err(|_| {
                    DutError::Map(format!("{scope} is spread over more than 4 GiB"))
                })?;
                let place = StoredAt { offset, slot: variable.slot as u32, bytes: bytes as u32 };
                map.add(place, condition(layout, variable));
            }
            let table = maps.iter().position(|m| *m == map).unwrap_or_else(|| {
                maps.push(map);
                maps.len() - 1
            });
            bases.push((base, table));
            if let Unit::Tile(_) = unit {
                let bytes = geometry.sram_blocks * size_of::<Block>();
                let memory = RegisterId::TileSram.group().info();
                srams.push(address(sim, &scope, &memory.instance, &memory.variable, bytes)?);
            }
        }
        let first = bases[0].0;
        let from_first = |address: usize| address as isize - first as isize;
        let shape = Self {
            geometry: *geometry,
            layout: Arc::clone(layout),
            groups: groups(&units, &bases),
            units,
            places: bases.iter().map(|(base, table)| (from_first(*base), *table)).collect(),
            maps,
            srams: srams.into_iter().map(from_first).collect(),
        };
        Ok((shape, first))
    }

    /// Address of the first unit in a model of this shape; `None` if the model has another one: its
    /// last register is not where the shape says.
    fn locate(&self, sim: &Sim) -> Option<usize> {
        let address_of = |index: usize| {
            let (unit, (offset, table)) = (self.units[index], self.places[index]);
            let variable = self.layout.variables_of(unit.kind()).next()?;
            let (instance, name) = variable.in_rtl();
            let bytes = variable.storage_bytes();
            let found = address(sim, &scope(unit), &instance, &name, bytes).ok()?;
            Some((found - self.maps[table].all[0].offset as usize) as isize - offset)
        };
        let first = address_of(0)?;
        (address_of(self.units.len() - 1)? == first).then_some(first as usize)
    }
}

/// Units of a kind with the same table that follow each other; per unit its base and its table.
fn groups(units: &[Unit], bases: &[(usize, usize)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (position, (unit, &(_, table))) in units.iter().zip(bases).enumerate() {
        let kind = unit.kind();
        match groups.last_mut().filter(|group| (group.kind, group.table) == (kind, table)) {
            Some(group) => group.units.end = position + 1,
            None => {
                let first = units[..position].iter().filter(|unit| unit.kind() == kind).count();
                groups.push(Group { kind, first, units: position..position + 1, table });
            }
        }
    }
    groups
}

/// Address of a variable that has so many bytes.
fn address(
    sim: &Sim,
    scope: &str,
    instance: &str,
    name: &str,
    bytes: usize,
) -> Result<usize, DutError> {
    let path = if instance.is_empty() { scope.to_owned() } else { format!("{scope}.{instance}") };
    let Memory { address, bytes: found } = sim.memory(&path, name)?;
    if found != bytes {
        let what = format!("{path}.{name} has {found} bytes, the state map says {bytes}");
        return Err(DutError::Map(what));
    }
    Ok(address)
}

impl StateMap {
    /// Finds every variable.
    ///
    /// # Errors
    /// If the model lacks a variable or one has another size than the table says: a defect of the
    /// build, not of the design under test.
    pub fn new(sim: &Sim, layout: &Arc<Layout>) -> Result<Self, DutError> {
        static KNOWN: Mutex<BTreeMap<Geometry, Arc<Shape>>> = Mutex::new(BTreeMap::new());
        let shapes = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shapes().get(layout.geometry()).map(Arc::clone);
        let (shape, first) = match known.and_then(|s| s.locate(sim).map(|first| (s, first))) {
            Some(found) => found,
            None => {
                let (shape, first) = Shape::find(sim, layout)?;
                let shape = Arc::new(shape);
                shapes().insert(*layout.geometry(), Arc::clone(&shape));
                (shape, first)
            }
        };
        let at = |offset: isize| first.wrapping_add_signed(offset) as *const u8;
        Ok(Self {
            bases: shape.places.iter().map(|(offset, _)| at(*offset)).collect(),
            srams: shape.srams.iter().map(|offset| at(*offset)).collect(),
            shape,
        })
    }

    /// Size of its fabric.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.shape.geometry
    }

    /// True if all registers agree. The memories of the tiles are compared by [`Self::sram_row`]
    /// and [`Self::srams_agree`].
    #[inline]
    pub fn agrees(&self, golden: &Fabric) -> bool {
        self.shape.groups.iter().all(|group| {
            let map = &self.shape.maps[group.table];
            let words = map.words();
            let images = &golden.images(group.kind)[group.first * words..];
            let (pairs, last) = self.bases[group.units.clone()].as_chunks::<2>();
            let (of_pairs, of_last) = images.split_at(2 * pairs.len() * words);
            // SAFETY: the table was made for these units, whose registers start at the bases.
            let pair = |(bases, images): (&[_; 2], &[u64])| unsafe {
                let (one, two) = images.split_at(words);
                map.agrees(*bases, [one, two])
            };
            // SAFETY: as above.
            let single = |base: &_, image| unsafe { map.agrees([*base], [image]) };
            pairs.iter().zip(of_pairs.chunks_exact(2 * words)).all(pair)
                && last.iter().all(|base| single(base, of_last))
        })
    }

    /// True if a row of a tile's memory agrees.
    #[inline]
    pub fn sram_row(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        self.sram_block(tile, row) == golden.sram(tile)[row]
    }

    /// True if all memories agree.
    pub fn srams_agree(&self, golden: &Fabric) -> bool {
        TileId::all(&self.shape.geometry)
            .all(|tile| self.sram_bytes(tile) == bytes_of(golden.sram(tile)))
    }

    /// The memory of a tile: blocks of eight 32-bit words, lowest first.
    fn sram_bytes(&self, tile: TileId) -> &[u8] {
        // SAFETY:
        // * the variable has `sram_blocks` blocks, checked in `new`;
        // * the model lives and is not evaluated while `self` is borrowed.
        unsafe {
            std::slice::from_raw_parts(
                self.srams[tile.index(&self.shape.geometry)],
                self.shape.geometry.sram_blocks * size_of::<Block>(),
            )
        }
    }

    /// Gives all registers random values, from a seed, and clears the memories of the tiles, which have no reset
    /// but begin as zeros (chapter 5, 5.6). To be done in reset: what has no reset value keeps them.
    pub(crate) fn randomize(&mut self, seed: u64) {
        let (mut random, mut noise) = (ChaCha8Rng::seed_from_u64(seed), Vec::new());
        let Shape { geometry, layout, units, places, maps, .. } = &*self.shape;
        for ((unit, (_, table)), base) in units.iter().zip(places).zip(&self.bases) {
            for (variable, place) in layout.variables_of(unit.kind()).zip(&maps[*table].all) {
                // SAFETY: the variable has so many bytes; the model's memory is writable, and nothing else refers to
                // it while `self` is borrowed.
                let bytes = unsafe {
                    let start = base.wrapping_add(place.offset as usize).cast_mut();
                    std::slice::from_raw_parts_mut(start, place.bytes as usize)
                };
                noise.resize(bytes.len(), 0);
                random.fill_bytes(&mut noise);
                for field in &variable.fields {
                    let (lsb, end) = (field.lsb as usize, (field.lsb + field.width) as usize);
                    for i in lsb / 8..end.div_ceil(8) {
                        let (from, to) = (lsb.saturating_sub(8 * i), (end - 8 * i).min(8));
                        let mask = 0xff << from & 0xff >> (8 - to);
                        bytes[i] = bytes[i] & !mask | noise[i] & mask;
                    }
                }
            }
        }
        for memory in &self.srams {
            // SAFETY: as above; the size was checked in `new`.
            unsafe { memory.cast_mut().write_bytes(0, geometry.sram_blocks * size_of::<Block>()) };
        }
    }

    /// Flips one bit of a register, or of a row of a tile's memory, in the model. False if there is no such
    /// bit.
    pub fn flip(&mut self, location: Location, bit: u32) -> bool {
        let Some((variable, bit)) = self.find_bit(location, bit) else { return false };
        // SAFETY: the bit lies within the variable, whose size was checked; the model's memory is writable.
        unsafe { *variable.cast_mut().add(bit / 8) ^= 1 << (bit % 8) };
        true
    }

    /// Start of the variable that holds a bit of a register, and number of the bit in it.
    fn find_bit(&self, location: Location, bit: u32) -> Option<(*const u8, usize)> {
        let Shape { geometry, layout, .. } = &*self.shape;
        let Location { unit, register } = location;
        let exists = unit.is_in(geometry)
            && register.unit_kind() == unit.kind()
            && bit < register.width(geometry);
        if !exists {
            return None;
        }
        if let (Unit::Tile(tile), RegisterId::TileSram) = (unit, register.id()) {
            let row = register.number().filter(|row| *row < geometry.sram_blocks)?;
            let memory = self.srams[tile.index(geometry)];
            return Some((memory, 8 * size_of::<Block>() * row + bit as usize));
        }
        let (variable, field) = layout.find(register)?;
        let number = layout.variables_of(unit.kind()).position(|v| std::ptr::eq(v, variable))?;
        let position = unit.position(geometry);
        let place = self.shape.maps[self.shape.places[position].1].all[number];
        Some((self.bases[position].wrapping_add(place.offset as usize), (field.lsb + bit) as usize))
    }
}

impl StateSource for StateMap {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        let position = unit.position(&self.shape.geometry);
        let map = &self.shape.maps[self.shape.places[position].1];
        // SAFETY: the table was made for this unit, whose registers start at its base.
        unsafe { map.read(self.bases[position], image) };
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        let bytes = &self.sram_bytes(tile)[row * size_of::<Block>()..][..size_of::<Block>()];
        std::array::from_fn(|i| {
            u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight"))
        })
    }
}
