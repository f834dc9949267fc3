// SPDX-License-Identifier: MIT OR Apache-2.0
//! What has to be evaluated when a signal of a waveform changes, and where the result belongs.

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

use crate::{
    map::{CompareFrom, Expression, GoldenTest, MappedMemory, MappedRegister, SignalMap},
    names::SignalId,
    scan::signals,
};

/// Words of a row of a tile's memory.
const ROW_WORDS: usize = 4;

/// What depends on a signal, by its number in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// Value of a register.
    Value(usize),
    /// Whether registers are compared.
    Gate(usize),
    /// Write port of a memory.
    Write(usize),
    /// Value of an output port.
    Port(usize),
}

/// An expression that is about registers.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) expression: Expression,
    /// Cycles that the waveform shows it later.
    pub(crate) offset: i32,
    /// The registers, by number.
    pub(crate) registers: Vec<usize>,
}

/// A register, or a row of a tile's memory, that is compared.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) location: Location,
    /// Lowest bit in the state of the fabric.
    pub(crate) lsb: usize,
    /// Width in bits.
    pub(crate) width: u32,
    pub(crate) from: CompareFrom,
    pub(crate) while_golden: Option<GoldenTest>,
    /// The value, or the write port of the memory.
    pub(crate) shown_by: Item,
    /// There is a content to compare before the waveform shows one.
    pub(crate) known: bool,
}

/// An output port of one unit.
#[derive(Debug)]
pub(crate) struct PortPlace {
    pub(crate) port: PortId,
    /// Index of the column, for ports that each column has.
    pub(crate) column: Option<usize>,
    pub(crate) value: Expression,
}

/// The evaluation of a map. The state of a fabric is the images of its units, each tile's followed by the rows of its
/// memory, in words of 64 bits.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Arc<Layout>,
    /// In the order of the map: units in table order, of each the registers by their identities, then the rows.
    pub(crate) registers: Vec<Planned>,
    pub(crate) numbers: HashMap<Location, usize>,
    /// Those that are compared only while the golden model agrees to it.
    pub(crate) conditional: Vec<usize>,
    /// The registers of every unit, by its position.
    pub(crate) of_unit: Vec<Range<usize>>,
    /// First word of every unit, by its position, and the end.
    pub(crate) first_words: Vec<usize>,
    pub(crate) values: Vec<About>,
    pub(crate) gates: Vec<About>,
    pub(crate) memories: Vec<MappedMemory>,
    pub(crate) ports: Vec<PortPlace>,
    /// What depends on each signal.
    pub(crate) items: BTreeMap<SignalId, Vec<Item>>,
    /// Largest offset.
    pub(crate) lookahead: u32,
}

impl Plan {
    /// A plan for a map.
    pub(crate) fn new(map: &SignalMap, layout: &Arc<Layout>) -> Self {
        let mut plan = Self {
            layout: Arc::clone(layout),
            registers: Vec::new(),
            numbers: HashMap::new(),
            conditional: Vec::new(),
            of_unit: Vec::new(),
            first_words: vec![0],
            values: Vec::new(),
            gates: Vec::new(),
            memories: map.memories.clone(),
            ports: Vec::new(),
            items: BTreeMap::new(),
            lookahead: 0,
        };
        let shown = map.registers.iter().map(|r| (r.location, (r, None)));
        let memories = map.memories.iter().enumerate();
        let rows =
            memories.flat_map(|(n, m)| m.blocks.iter().map(move |b| (*b, (&m.block, Some(n)))));
        let shown: HashMap<Location, (&MappedRegister, Option<usize>)> =
            shown.chain(rows).collect();
        let mut locations = layout.locations().peekable();
        for unit in layout.units() {
            let first = plan.registers.len();
            let of_unit =
                std::iter::from_fn(|| locations.next_if(|location| location.unit == unit));
            let mut of_unit: Vec<Location> = of_unit.collect();
            of_unit.sort_by_key(|location| (layout.find(location.register).is_none(), *location));
            for location in of_unit {
                if let Some((register, memory)) = shown.get(&location) {
                    plan.add(location, register, *memory);
                }
            }
            plan.of_unit.push(first..plan.registers.len());
            let end = plan.row_word(unit, rows_of(layout, unit));
            plan.first_words.push(end);
        }
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
                plan.depends(Item::Port(plan.ports.len()), value, 0);
                plan.ports.push(PortPlace { port: *port, column, value: value.clone() });
            }
        }
        plan
    }

    /// The word in which a row of the memory of a tile begins; the unit is the last one that is planned, or one before.
    pub(crate) fn row_word(&self, unit: Unit, row: usize) -> usize {
        let first = self.first_words[unit.position(self.layout.geometry())];
        first + self.layout.words(unit.kind()) + ROW_WORDS * row
    }

    /// Adds a register, or a row of a memory, whose number is given.
    fn add(&mut self, location: Location, register: &MappedRegister, memory: Option<usize>) {
        let (number, layout) = (self.registers.len(), Arc::clone(&self.layout));
        let first = self.first_words[location.unit.position(layout.geometry())];
        let place = layout.find(location.register);
        let lsb = match place {
            Some((variable, field)) => 64 * (first + variable.slot) + field.lsb as usize,
            None => 64 * self.row_word(location.unit, location.register.key().index()),
        };
        let MappedRegister { offset, from, while_golden, .. } = *register;
        let (shown_by, known) = match memory {
            Some(n) => (Item::Write(n), !self.memories[n].unknown),
            None => {
                let shown_by = Item::Value(self.values.len());
                self.depends(shown_by, &register.value, offset);
                let expression = register.value.clone();
                self.values.push(About { expression, offset, registers: vec![number] });
                self.gate(register, vec![number]);
                (shown_by, place.is_some())
            }
        };
        self.conditional.extend(while_golden.map(|_| number));
        self.numbers.insert(location, number);
        let width = location.register.width(layout.geometry());
        let planned = Planned { location, lsb, width, from, while_golden, shown_by, known };
        self.registers.push(planned);
    }

    /// Adds the condition under which registers are compared.
    fn gate(&mut self, of: &MappedRegister, registers: Vec<usize>) {
        if let Some(condition) = &of.while_waveform {
            self.depends(Item::Gate(self.gates.len()), condition, of.offset);
            let (expression, offset) = (condition.clone(), of.offset);
            self.gates.push(About { expression, offset, registers });
        }
    }

    fn depends(&mut self, item: Item, on: &Expression, offset: i32) {
        self.lookahead = self.lookahead.max(u32::try_from(offset).unwrap_or(0));
        for signal in signals(on) {
            let items = self.items.entry(signal).or_default();
            if items.last() != Some(&item) {
                items.push(item);
            }
        }
    }

    /// All items, for the first evaluation.
    pub(crate) fn all_items(&self) -> impl Iterator<Item = Item> + use<> {
        let values = (0..self.values.len()).map(Item::Value);
        let gates = (0..self.gates.len()).map(Item::Gate);
        let writes = (0..self.memories.len()).map(Item::Write);
        values.chain(gates).chain(writes).chain((0..self.ports.len()).map(Item::Port))
    }

    /// The signals that show a register.
    pub(crate) fn signals_of(&self, location: Location) -> Vec<SignalId> {
        match self.numbers.get(&location).map(|n| self.registers[*n].shown_by) {
            Some(Item::Value(n)) => signals(&self.values[n].expression),
            Some(Item::Write(n)) => signals(&self.memories[n].block.value),
            _ => Vec::new(),
        }
    }
}

/// The rows of the memory of a unit.
fn rows_of(layout: &Layout, unit: Unit) -> usize {
    if unit.kind() == UnitKind::Tile { layout.geometry().sram_blocks } else { 0 }
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
pub(crate) fn holds(test: &Option<GoldenTest>, golden: &Fabric) -> bool {
    test.as_ref().is_none_or(|test| {
        let value = golden.value(test.location).and_then(|words| words.first().copied());
        (value == Some(test.value)) == test.equals
    })
}
