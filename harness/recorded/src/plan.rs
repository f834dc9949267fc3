// SPDX-License-Identifier: MIT OR Apache-2.0
//! What has to be evaluated when a signal of a dump changes, and where the result belongs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use drra_isa::{
    Unit, UnitKind,
    fabric::{Layout, Location, PortId},
};

use crate::{
    map::{CompareFrom, Expression, GoldenTest, MappedMemory, MappedRegister, SignalMap},
    names::SignalId,
    survey::signals,
};

/// What depends on a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// Value of a register.
    Value(usize),
    /// Whether a register is compared.
    Gate(usize),
    /// Write port of a memory.
    Write(usize),
    /// Whether a memory is compared.
    MemoryGate(usize),
    /// Value of an output port.
    Port(usize),
}

/// Where the value of a register belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Into the image of a unit.
    Image {
        /// Position of the unit.
        unit: usize,
        /// Lowest bit in the image.
        lsb: usize,
        /// Width in bits.
        width: u32,
    },
    /// Into a row of a tile's memory.
    Row {
        /// Index of the tile.
        tile: usize,
        row: usize,
    },
}

/// What shows a row of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowSource {
    /// A register of the map.
    Register(usize),
    /// The write port of a memory.
    Memory(usize),
}

/// An output port of one unit.
#[derive(Debug)]
pub(crate) struct PortPlace {
    pub(crate) port: PortId,
    /// Index of the column, for ports that each column has.
    pub(crate) column: Option<usize>,
    pub(crate) value: Expression,
}

/// The evaluation of a map.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Arc<Layout>,
    pub(crate) registers: Vec<MappedRegister>,
    pub(crate) places: Vec<Place>,
    /// Registers of every unit, by its position, in table order.
    pub(crate) of_unit: Vec<Vec<usize>>,
    pub(crate) memories: Vec<MappedMemory>,
    /// What shows a row of a tile's memory, by the index of the tile and the row.
    pub(crate) rows: Vec<Vec<Option<RowSource>>>,
    /// What is shown at all.
    pub(crate) shown: BTreeSet<Location>,
    pub(crate) ports: Vec<PortPlace>,
    /// What depends on each signal.
    pub(crate) items: BTreeMap<SignalId, Vec<Item>>,
    /// Largest offset.
    pub(crate) lookahead: u32,
}

impl Plan {
    /// A plan for a map.
    pub(crate) fn new(map: &SignalMap, layout: &Arc<Layout>) -> Self {
        let geometry = layout.geometry();
        let units: Vec<Unit> = layout.units().collect();
        let mut plan = Self {
            layout: Arc::clone(layout),
            registers: Vec::new(),
            places: Vec::new(),
            of_unit: vec![Vec::new(); units.len()],
            memories: map.memories.clone(),
            rows: vec![vec![None; geometry.sram_blocks]; UnitKind::Tile.count(geometry)],
            shown: BTreeSet::new(),
            ports: Vec::new(),
            items: BTreeMap::new(),
            lookahead: 0,
        };
        for register in &map.registers {
            plan.add_register(register);
        }
        for number in 0..plan.memories.len() {
            plan.add_memory(number);
        }
        for (port, values) in &map.ports.outputs {
            for (unit, value) in values.iter().enumerate() {
                let column = (port.info().unit == UnitKind::Column).then_some(unit);
                let item = Item::Port(plan.ports.len());
                plan.depends(item, value);
                plan.ports.push(PortPlace { port: *port, column, value: value.clone() });
            }
        }
        plan
    }

    fn add_register(&mut self, register: &MappedRegister) {
        let layout = Arc::clone(&self.layout);
        let location = register.location;
        let number = self.registers.len();
        match (location.unit, layout.find(location.register)) {
            (unit, Some((variable, field))) => {
                let unit = unit.position(layout.geometry());
                let lsb = 64 * variable.slot + field.lsb as usize;
                self.places.push(Place::Image { unit, lsb, width: field.width });
                self.of_unit[unit].push(number);
            }
            (Unit::Tile(tile), None) => {
                let tile = tile.index(layout.geometry());
                let row = location.register.key().index();
                self.places.push(Place::Row { tile, row });
                self.rows[tile][row] = Some(RowSource::Register(number));
            }
            // Only tiles have registers that are in no image.
            (_, None) => return,
        }
        self.shown.insert(location);
        self.depends(Item::Value(number), &register.value);
        if let Some(condition) = &register.while_dump {
            self.depends(Item::Gate(number), condition);
        }
        self.lookahead = self.lookahead.max(u32::try_from(register.offset).unwrap_or(0));
        self.registers.push(register.clone());
    }

    fn add_memory(&mut self, number: usize) {
        let memory = self.memories[number].clone();
        let geometry = *self.layout.geometry();
        for port in [&memory.enable, &memory.address, &memory.data] {
            self.depends(Item::Write(number), port);
        }
        if let Some(condition) = &memory.while_dump {
            self.depends(Item::MemoryGate(number), condition);
        }
        let tile = memory.tile.index(&geometry);
        for block in &memory.blocks {
            self.rows[tile][block.register.key().index()] = Some(RowSource::Memory(number));
            self.shown.insert(*block);
        }
        self.lookahead = self.lookahead.max(u32::try_from(memory.offset).unwrap_or(0));
    }

    fn depends(&mut self, item: Item, on: &Expression) {
        for signal in signals(on) {
            let items = self.items.entry(signal).or_default();
            if items.last() != Some(&item) {
                items.push(item);
            }
        }
    }

    /// All items, for the first evaluation.
    pub(crate) fn all_items(&self) -> impl Iterator<Item = Item> + use<> {
        let gates = |gate: &Option<Expression>| gate.is_some();
        let registers: Vec<bool> = self.registers.iter().map(|r| gates(&r.while_dump)).collect();
        let memories: Vec<bool> = self.memories.iter().map(|m| gates(&m.while_dump)).collect();
        let of = |n: usize, gated: bool, value: fn(usize) -> Item, gate: fn(usize) -> Item| {
            [Some(value(n)), gated.then(|| gate(n))].into_iter().flatten()
        };
        let registers = registers
            .into_iter()
            .enumerate()
            .flat_map(move |(n, g)| of(n, g, Item::Value, Item::Gate));
        let memories = memories
            .into_iter()
            .enumerate()
            .flat_map(move |(n, g)| of(n, g, Item::Write, Item::MemoryGate));
        registers.chain(memories).chain((0..self.ports.len()).map(Item::Port))
    }
}

/// The cycle from which on something is compared.
pub(crate) fn first_cycle(from: CompareFrom, load_end: u64) -> u64 {
    match from {
        CompareFrom::Reset => 0,
        CompareFrom::LoadEnd => load_end,
        CompareFrom::Cycle(cycle) => cycle,
    }
}

/// Whether a condition on the golden model holds.
pub(crate) fn holds(test: &Option<GoldenTest>, golden: &drra_golden::Fabric) -> bool {
    test.as_ref().is_none_or(|test| {
        let value = golden.value(test.location).and_then(|words| words.first().copied());
        (value == Some(test.value)) == test.equals
    })
}
