// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evaluation plan: what must be evaluated when a signal of a waveform changes, and where the result is stored.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use drra_golden::Fabric;
use drra_isa::{
    Unit, UnitKind,
    fabric::{Layout, Location, PortId},
};

use drra_lockstep::SignalAt;

use crate::{
    map::{CompareFrom, Expression, GoldenTest, MappedMemory, MappedRegister, SignalMap},
    names::SignalId,
};

/// Words in a memory row of a tile.
const ROW_WORDS: usize = 4;

/// An item that depends on a signal, by its number in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// The value of a register.
    Value(usize),
    /// The condition for comparing registers.
    Gate(usize),
    /// The write port of a memory.
    Write(usize),
    /// The value of an output port or of a signal between blocks.
    Wire(usize),
}

/// A condition for comparing registers.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) condition: Expression,
    /// Cycles by which the waveform lags.
    pub(crate) offset: i32,
    /// The registers, by number.
    pub(crate) registers: Vec<usize>,
}

/// A compared register, or a compared memory row of a tile.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) mapped: MappedRegister,
    /// Lowest bit in the state of the fabric.
    pub(crate) lsb: usize,
    /// The number of the memory, if it is a row of a memory.
    pub(crate) memory: Option<usize>,
    /// True if its contents are known before the waveform first shows them.
    pub(crate) known: bool,
}

/// An output port of one unit, or a signal between blocks.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) place: Place,
    pub(crate) value: Expression,
}

/// The port or signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The index of the column, for ports that each column has.
    Port(PortId, Option<usize>),
    Signal(SignalAt),
}

/// The evaluation plan of a map. The state of a fabric consists of the images of its units, each tile's image
/// followed by the rows of its memory, in words of 64 bits.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Arc<Layout>,
    /// Units in table order; for each, its registers by identity, then its rows.
    pub(crate) registers: Vec<Planned>,
    pub(crate) numbers: HashMap<Location, usize>,
    /// The registers that are compared only while the golden model meets a condition.
    pub(crate) conditional: Vec<usize>,
    /// The first word of every unit by position, followed by the end.
    pub(crate) first_words: Vec<usize>,
    pub(crate) gates: Vec<Gate>,
    pub(crate) memories: Vec<MappedMemory>,
    pub(crate) wires: Vec<Wire>,
    /// The items that depend on each signal.
    pub(crate) items: BTreeMap<SignalId, Vec<Item>>,
    /// Largest offset.
    pub(crate) lookahead: u32,
}

impl Plan {
    /// Creates the plan of a map.
    pub(crate) fn new(map: &SignalMap, layout: &Arc<Layout>) -> Self {
        let mut first_words = vec![0];
        for unit in layout.units() {
            let rows =
                if unit.kind() == UnitKind::Tile { layout.geometry().sram_blocks } else { 0 };
            let first = first_words.last().copied().unwrap_or_default();
            first_words.push(first + layout.words(unit.kind()) + ROW_WORDS * rows);
        }
        let mut plan = Self {
            layout: Arc::clone(layout),
            registers: Vec::new(),
            numbers: HashMap::new(),
            conditional: Vec::new(),
            first_words,
            gates: Vec::new(),
            memories: map.memories.clone(),
            wires: Vec::new(),
            items: BTreeMap::new(),
            lookahead: 0,
        };
        let mut all: Vec<(MappedRegister, Option<usize>)> =
            map.registers.iter().map(|register| (register.clone(), None)).collect();
        for (n, memory) in map.memories.iter().enumerate() {
            let row = |location: &Location| MappedRegister {
                location: *location,
                ..memory.block.clone()
            };
            all.extend(memory.blocks.iter().map(|block| (row(block), Some(n))));
        }
        all.sort_by_key(|(MappedRegister { location, .. }, _)| {
            let row = layout.find(location.register).is_none();
            (location.unit.position(layout.geometry()), row, *location)
        });
        all.into_iter().for_each(|(register, memory)| plan.add(register, memory));
        for (n, memory) in map.memories.iter().enumerate() {
            for port in [&memory.enable, &memory.address, &memory.block.value] {
                plan.depends(Item::Write(n), port, memory.block.offset);
            }
            let blocks = memory.blocks.iter().map(|block| plan.numbers[block]).collect();
            plan.gate(&memory.block, blocks);
        }
        for (port, values) in &map.ports.outputs {
            for (unit, value) in values.iter().enumerate() {
                let column = (port.info().unit == UnitKind::Column).then_some(unit);
                plan.wire(Place::Port(*port, column), value);
            }
        }
        for (signal, value) in &map.signals {
            plan.wire(Place::Signal(*signal), value);
        }
        plan
    }

    /// The registers and rows of a unit, by number.
    pub(crate) fn of_unit(&self, unit: Unit) -> Range<usize> {
        let position = |unit: Unit| unit.position(self.layout.geometry());
        let before =
            |end| self.registers.partition_point(|r| position(r.mapped.location.unit) < end);
        before(position(unit))..before(position(unit) + 1)
    }

    /// The first word of a memory row.
    pub(crate) fn row_word(&self, unit: Unit, row: usize) -> usize {
        let first = self.first_words[unit.position(self.layout.geometry())];
        first + self.layout.words(unit.kind()) + ROW_WORDS * row
    }

    /// Adds a register or a memory row with a given number.
    fn add(&mut self, mapped: MappedRegister, memory: Option<usize>) {
        let (number, layout, location) =
            (self.registers.len(), Arc::clone(&self.layout), mapped.location);
        let first = self.first_words[location.unit.position(layout.geometry())];
        let place = layout.find(location.register);
        let lsb = match place {
            Some((variable, field)) => 64 * (first + variable.slot) + field.lsb as usize,
            None => 64 * self.row_word(location.unit, location.register.key().index()),
        };
        if memory.is_none() {
            self.depends(Item::Value(number), &mapped.value, mapped.offset);
            self.gate(&mapped, vec![number]);
        }
        let known = memory.map_or(place.is_some(), |n| !self.memories[n].unknown);
        self.conditional.extend(mapped.while_golden.map(|_| number));
        self.numbers.insert(location, number);
        self.registers.push(Planned { mapped, lsb, memory, known });
    }

    /// Adds the condition for comparing registers, if there is one.
    fn gate(&mut self, of: &MappedRegister, registers: Vec<usize>) {
        if let Some(condition) = &of.while_waveform {
            self.depends(Item::Gate(self.gates.len()), condition, of.offset);
            self.gates.push(Gate { condition: condition.clone(), offset: of.offset, registers });
        }
    }

    fn wire(&mut self, place: Place, value: &Expression) {
        self.depends(Item::Wire(self.wires.len()), value, 0);
        self.wires.push(Wire { place, value: value.clone() });
    }

    fn depends(&mut self, item: Item, on: &Expression, offset: i32) {
        self.lookahead = self.lookahead.max(u32::try_from(offset).unwrap_or(0));
        for signal in on.signals() {
            let items = self.items.entry(signal).or_default();
            if items.last() != Some(&item) {
                items.push(item);
            }
        }
    }

    /// All items, for the first evaluation.
    pub(crate) fn all_items(&self) -> impl Iterator<Item = Item> {
        let values = (0..self.registers.len()).filter(|n| self.registers[*n].memory.is_none());
        let gates = (0..self.gates.len()).map(Item::Gate);
        let writes = (0..self.memories.len()).map(Item::Write);
        let wires = (0..self.wires.len()).map(Item::Wire);
        values.map(Item::Value).chain(gates).chain(writes).chain(wires)
    }

    /// The signals that show a register.
    pub(crate) fn signals_of(&self, location: Location) -> Vec<SignalId> {
        let number = self.numbers.get(&location);
        number.map_or_else(Vec::new, |n| self.registers[*n].mapped.value.signals())
    }
}

/// The cycle in which comparison begins.
pub(crate) fn first_cycle(from: CompareFrom, load_end: u64) -> u64 {
    match from {
        CompareFrom::Reset => 0,
        CompareFrom::LoadEnd => load_end,
        CompareFrom::Cycle(cycle) => cycle,
    }
}

/// True if a condition on the golden model is met.
pub(crate) fn holds(test: &Option<GoldenTest>, golden: &Fabric) -> bool {
    test.as_ref().is_none_or(|test| {
        let value = golden.value(test.location).and_then(|words| words.first().copied());
        (value == Some(test.value)) == test.equals
    })
}
