// SPDX-License-Identifier: MIT OR Apache-2.0
//! Layout of the register images: the position of every register of a unit in an array of 64-bit words.
//!
//! Registers of a group are packed in the order of the description, with the first register in the upper bits. The
//! variables of a unit follow each other in its image; each starts at a new word. Memories are not part of an image.

use std::{
    fmt::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use drra_isa::{Geometry, Unit, UnitKind};

use crate::{
    ids::{GroupId, Key, KeyKind, Register, RegisterId},
    load::description,
    location::Location,
    model::{ArrayStorage, GroupInfo},
    words::wide,
};

/// One register: a bit field of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The register.
    pub register: Register,
    /// Width in bits, at most 256.
    pub width: u32,
    /// Lowest bit within the variable.
    pub lsb: u32,
}

impl Field {
    /// The value in the words of its variable, as 64-bit words, low word first.
    pub fn value(&self, words: &[u64]) -> Vec<u64> {
        wide(words, self.lsb, self.width)
    }
}

/// One variable: registers that are stored together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Kind of unit.
    pub unit: UnitKind,
    /// Group.
    pub group: GroupId,
    /// Key of the variable, if the group has one variable per key.
    pub key: Key,
    /// First word in the image.
    pub slot: usize,
    /// Bits of the whole variable.
    pub bits: u32,
    /// Number of elements, each of `bits / count` bits.
    pub count: u32,
    /// Registers of the variable in table order.
    pub fields: Vec<Field>,
}

impl Variable {
    /// Words of the variable in the image of a unit.
    pub fn words<'a>(&self, image: &'a [u64]) -> &'a [u64] {
        &image[self.slot..self.slot + self.bits.div_ceil(64) as usize]
    }

    /// Number of bytes that the variable takes in storage of its own.
    pub fn storage_bytes(&self) -> usize {
        (storage_bits(self.bits) / 8) as usize
    }
}

/// For each group, the first word of its first variable in the image of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupOffsets([u16; GroupId::ALL.len()]);

impl GroupOffsets {
    /// First word of the first variable of a group in the image of the unit.
    #[inline]
    pub fn of(&self, group: GroupId) -> usize {
        usize::from(self.0[group.index()])
    }
}

/// The layout of all images of a fabric.
#[derive(Clone, Debug)]
pub struct Layout {
    geometry: Geometry,
    variables: Vec<Variable>,
    slots: GroupOffsets,
    /// Number of words of an image, by kind of unit.
    words: [usize; UnitKind::ALL.len()],
    /// Index of the variable, and of the field in it, by register and key.
    places: Vec<Vec<(u32, u32)>>,
}

impl Layout {
    /// The layout for a fabric of this size.
    ///
    /// # Panics
    /// If the geometry is not one of those in chapter 0, section 4.
    pub fn new(geometry: &Geometry) -> Arc<Self> {
        // Cached, because all fabrics of a size have the same layout, and building it takes as long as running many
        // cycles.
        static KNOWN: Mutex<Vec<Arc<Layout>>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = known.iter().find(|l| l.geometry == *geometry) {
            return Arc::clone(layout);
        }
        let layout = Arc::new(Self::make(geometry));
        known.push(Arc::clone(&layout));
        layout
    }

    fn make(g: &Geometry) -> Self {
        if let Err(e) = g.check() {
            panic!("{e}");
        }
        let mut layout = Self {
            geometry: *g,
            variables: Vec::new(),
            slots: GroupOffsets([0; GroupId::ALL.len()]),
            words: [0; UnitKind::ALL.len()],
            places: vec![Vec::new(); RegisterId::ALL.len()],
        };
        for (index, group) in description().groups.iter().enumerate() {
            if group.array != Some(ArrayStorage::Memory) {
                layout.add(GroupId::ALL[index], group);
            }
        }
        layout
    }

    fn add(&mut self, id: GroupId, group: &GroupInfo) {
        let words = self.words[group.unit as usize];
        self.slots.0[id.index()] = u16::try_from(words).expect("an image is small");
        let kind = group.key.and_then(KeyKind::from_index);
        let keys: Vec<Key> = Key::all(kind, &self.geometry).collect();
        if group.array.is_some() {
            self.add_variable(id, group, Key::None, &keys);
        } else {
            for key in keys {
                self.add_variable(id, group, key, &[key]);
            }
        }
    }

    /// Adds a variable with one element per key.
    fn add_variable(&mut self, id: GroupId, group: &GroupInfo, key: Key, elements: &[Key]) {
        let registers = &RegisterId::ALL[group.registers.clone()];
        let width = |r: RegisterId, k: Key| r.info().width.bits(&self.geometry, k.index());
        let used = |k: Key| registers.iter().map(|r| width(*r, k)).sum::<u32>();
        let stride = match group.array {
            None | Some(ArrayStorage::Packed) => used(elements[0]),
            Some(ArrayStorage::Unpacked | ArrayStorage::Memory) => storage_bits(used(elements[0])),
        };
        let mut fields = Vec::new();
        for (element, &k) in elements.iter().enumerate() {
            let mut lsb = element as u32 * stride + used(k);
            for &id in registers {
                let width = width(id, k);
                lsb -= width;
                let register = Register::new(id, k).expect("key of the group");
                self.places[id.index()].push((self.variables.len() as u32, fields.len() as u32));
                fields.push(Field { register, width, lsb });
            }
        }
        let slot = self.words[group.unit as usize];
        let bits = stride * elements.len() as u32;
        self.words[group.unit as usize] += bits.div_ceil(64) as usize;
        let count = elements.len() as u32;
        self.variables.push(Variable {
            unit: group.unit,
            group: id,
            key,
            slot,
            bits,
            count,
            fields,
        });
    }

    /// The size of the fabric.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// All variables in table order: those of a cell, of a column, of a tile and of the fabric.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Variables of one kind of unit.
    pub fn variables_of(&self, unit: UnitKind) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(move |v| v.unit == unit)
    }

    /// Variable and bit field of a register; `None` for memories, and for keys that do not exist in a fabric of this
    /// size.
    pub fn find(&self, register: Register) -> Option<(&Variable, &Field)> {
        let place = self.places[register.id().index()].get(register.key().index())?;
        let variable = &self.variables[place.0 as usize];
        Some((variable, &variable.fields[place.1 as usize]))
    }

    /// Value of a register in the image of its unit, low word first; `None` in the same cases as for [`Self::find`].
    pub fn value(&self, register: Register, image: &[u64]) -> Option<Vec<u64>> {
        let (variable, field) = self.find(register)?;
        Some(field.value(variable.words(image)))
    }

    /// For each group, the first word of its first variable in the image of a unit.
    #[inline]
    pub fn slots(&self) -> &GroupOffsets {
        &self.slots
    }

    /// Number of words in the image of a unit of this kind.
    pub fn words(&self, unit: UnitKind) -> usize {
        self.words[unit as usize]
    }

    /// All units in table order.
    pub fn units(&self) -> impl Iterator<Item = Unit> + use<> {
        Unit::all(&self.geometry)
    }

    /// All registers in table order; the registers of a tile are followed by the rows of its memory.
    pub fn locations(&self) -> impl Iterator<Item = Location> {
        self.units().flat_map(|unit| {
            let rows = if unit.kind() == UnitKind::Tile { self.geometry.sram_blocks } else { 0 };
            let fields = self.variables_of(unit.kind()).flat_map(|v| &v.fields);
            let memory = (0..rows).map(Register::TileSram);
            fields
                .map(|f| f.register)
                .chain(memory)
                .map(move |register| Location { unit, register })
        })
    }

    /// Bits of state of one unit of a kind, without memories.
    pub fn unit_bits(&self, unit: UnitKind) -> u64 {
        self.variables_of(unit).flat_map(|v| &v.fields).map(|f| u64::from(f.width)).sum()
    }

    /// Number of state bits of the whole fabric, including the tile memories.
    pub fn state_bits(&self) -> u64 {
        let g = &self.geometry;
        let registers: u64 =
            UnitKind::ALL.into_iter().map(|k| k.count(g) as u64 * self.unit_bits(k)).sum();
        registers + (g.tiles() * g.sram_blocks * 256) as u64
    }

    /// A value as `0x..` with as many digits as the width needs.
    pub fn hex(value: &[u64], width: u32) -> String {
        let digits = width.div_ceil(4) as usize;
        let mut all = String::new();
        for word in value.iter().rev() {
            write!(all, "{word:016x}").expect("writing to a string");
        }
        format!("0x{}", &all[all.len() - digits..])
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (instance, name) = self.in_rtl();
        if instance.is_empty() { f.write_str(&name) } else { write!(f, "{instance}.{name}") }
    }
}

/// Number of bits that a variable or element of this many bits takes in storage of its own.
fn storage_bits(bits: u32) -> u32 {
    match bits {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        33..=64 => 64,
        _ => bits.div_ceil(32) * 32,
    }
}
