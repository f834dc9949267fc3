// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map that is bound to a dump: for every register of a fabric what shows it, or why nothing does.

use std::collections::BTreeMap;

use drra_isa::{
    Geometry, TileId,
    fabric::{Location, RegisterId},
};
use drra_lockstep::Amount;

use super::{
    expression::{Expression, SignalValues},
    file::{CompareFrom, Level},
    ports::MappedPorts,
    term::Initial,
};
use crate::{dump::Shown, frames::Clock, names::SignalId};

/// A map that is bound to a dump. Every register of the fabric, blocks of the tiles included, is in exactly one of
/// `registers`, `memories`, `excluded`, `lacking` and `unmapped`, each in the order of the state tables.
#[derive(Clone, Debug)]
pub struct SignalMap {
    /// The clock. The values of a cycle are those just before the edge that ends it.
    pub clock: Clock,
    pub reset: Option<Reset>,
    /// Which edge ends cycle 0.
    pub cycle_0: CycleZero,
    /// Registers that are compared.
    pub registers: Vec<MappedRegister>,
    /// Memories that are compared.
    pub memories: Vec<MappedMemory>,
    /// What the dump shows of the ports.
    pub ports: MappedPorts,
    /// Registers that the map excludes.
    pub excluded: Vec<Excluded>,
    /// Registers that the map names and the dump lacks.
    pub lacking: Vec<Lacking>,
    /// Registers that the map does not name.
    pub unmapped: Vec<Location>,
    /// What became of the entries of the map.
    pub entries: Vec<EntryUse>,
}

/// The registers of a map that is bound to a model in lock-step. Every register of the fabric is in exactly one
/// of the lists, as in a [`SignalMap`].
#[derive(Clone, Debug)]
pub struct RegisterMap {
    /// Registers that are compared.
    pub registers: Vec<MappedRegister>,
    /// Memories that are compared by their write ports.
    pub memories: Vec<MappedMemory>,
    /// Registers that the map excludes.
    pub excluded: Vec<Excluded>,
    /// Registers that the map names and the model lacks.
    pub lacking: Vec<Lacking>,
    /// Registers that the map does not name.
    pub unmapped: Vec<Location>,
}

/// The reset of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    pub signal: SignalId,
    /// Its level while the fabric is in reset.
    pub active: Level,
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
    /// Number of its entry in [`SignalMap::entries`].
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
    /// What it begins with.
    pub initial: Initial,
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
    /// Number of its entry in [`SignalMap::entries`].
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
    /// How many registers use an alternative, by the place of the alternative: `value.first_of[1]`, `let.top[0]`.
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
                Some(Shown::Bits(bits)) => {
                    bits.bit(0).map(|bit| bit == (reset.active == Level::Low))
                }
                _ => None,
            },
            (None, None) => None,
        };
        level == Some(true)
    }

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
pub(super) fn all_locations(geometry: &Geometry) -> impl Iterator<Item = Location> + use<> {
    let geometry = *geometry;
    drra_isa::Unit::all(&geometry).flat_map(move |unit| {
        let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
        ids.flat_map(move |id| id.all(&geometry))
            .filter_map(move |register| Location::new(unit, register))
    })
}
