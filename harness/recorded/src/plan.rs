// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evaluation plan: what must be evaluated when a signal of a waveform changes, and where the result is stored.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use drra_fabric::{Layout, Location, PortId};
use drra_golden::Fabric;
use drra_isa::{Unit, UnitKind};

use drra_lockstep::SignalLocation;

use crate::{
    map::{CompareFrom, Expression, GoldenTest, MappedMemory, MappedRegister, SignalMap},
    names::SignalHandle,
};

/// Words of 64 bits in a memory row of a tile.
const ROW_WORDS: usize = 4;

/// An expression that is evaluated when one of its signals changes.
#[derive(Debug)]
pub(crate) struct WatchedExpression {
    pub(crate) value: Expression,
    /// Cycles by which the waveform lags behind the fabric; negative if it is ahead.
    pub(crate) offset: i32,
    pub(crate) to: ValueUse,
}

/// The use of a value. Registers, memories and wires are given by their numbers in the plan.
#[derive(Debug)]
pub(crate) enum ValueUse {
    /// The value of a register.
    Register(usize),
    /// The condition for comparing registers.
    Gate(Vec<usize>),
    /// The enable of a write port.
    Memory(usize),
    /// The value of an output port or of a signal between blocks.
    Wire(usize),
}

/// A compared register, or a compared memory row of a tile.
#[derive(Debug)]
pub(crate) struct PlannedRegister {
    pub(crate) mapped: MappedRegister,
    /// Position of its lowest bit in the state of the fabric.
    pub(crate) lsb: usize,
    /// True if its contents are known before the waveform first shows them.
    pub(crate) known: bool,
}

/// An output port of one unit, or a signal between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The index of the column, for ports that each column has.
    Port(PortId, Option<usize>),
    Signal(SignalLocation),
}

/// The evaluation plan of a map. The state of a fabric consists of the images of its units, each tile's image
/// followed by the rows of its memory, in words of 64 bits.
#[derive(Debug)]
pub(crate) struct EvaluationPlan {
    pub(crate) layout: Arc<Layout>,
    /// Units in table order; for each, its registers by identity, then its rows.
    pub(crate) registers: Vec<PlannedRegister>,
    pub(crate) numbers: HashMap<Location, usize>,
    /// The registers that are compared only while the golden model meets a condition.
    pub(crate) conditional: Vec<usize>,
    /// The first word of every unit by position, followed by the end.
    pub(crate) first_words: Vec<usize>,
    pub(crate) memories: Vec<MappedMemory>,
    pub(crate) wires: Vec<Wire>,
    pub(crate) watched: Vec<WatchedExpression>,
    /// For each memory, the number of its enable among the watched expressions.
    pub(crate) enables: Vec<usize>,
    /// The watched expressions that depend on each signal.
    pub(crate) watchers: BTreeMap<SignalHandle, Vec<usize>>,
    /// Largest offset.
    pub(crate) lookahead: u32,
    /// Largest number of cycles by which the waveform is ahead.
    pub(crate) ahead: u32,
}

impl EvaluationPlan {
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
            memories: map.memories.clone(),
            wires: Vec::new(),
            watched: Vec::new(),
            enables: Vec::new(),
            watchers: BTreeMap::new(),
            lookahead: 0,
            ahead: 0,
        };
        let mut registers = map.registers.clone();
        registers.sort_by_key(|MappedRegister { location, .. }| {
            let row = layout.find(location.register).is_none();
            (location.unit.position(layout.geometry()), row, *location)
        });
        registers.into_iter().for_each(|register| plan.add(register));
        for (n, MappedMemory { enable, address, block, .. }) in map.memories.iter().enumerate() {
            plan.enables.push(plan.watched.len());
            plan.watch(enable, &[address, &block.value], block.offset, ValueUse::Memory(n));
            let rows = plan.registers.iter().enumerate();
            let rows = rows.filter(|(_, row)| row.mapped.memory == Some(n)).map(|(row, _)| row);
            plan.gate(block, rows.collect());
        }
        for (port, values) in &map.ports.outputs {
            for (unit, value) in values.iter().enumerate() {
                let column = (port.info().unit == UnitKind::Column).then_some(unit);
                plan.wire(Wire::Port(*port, column), value);
            }
        }
        for (signal, value) in &map.signals {
            plan.wire(Wire::Signal(*signal), value);
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

    /// Adds the next register or memory row.
    fn add(&mut self, mapped: MappedRegister) {
        let (number, location) = (self.registers.len(), mapped.location);
        let (lsb, reset) = match self.layout.find(location.register) {
            Some((variable, field)) => {
                let first = self.first_words[location.unit.position(self.layout.geometry())];
                (64 * (first + variable.slot) + field.lsb as usize, true)
            }
            None => (64 * self.row_word(location.unit, location.register.key().index()), false),
        };
        let known = mapped.memory.map_or(reset, |n| !self.memories[n].unknown);
        if mapped.memory.is_none() {
            self.watch(&mapped.value, &[], mapped.offset, ValueUse::Register(number));
            self.gate(&mapped, vec![number]);
        }
        self.conditional.extend(mapped.while_golden.map(|_| number));
        self.numbers.insert(location, number);
        self.registers.push(PlannedRegister { mapped, lsb, known });
    }

    /// Adds the condition for comparing registers, if there is one.
    fn gate(&mut self, of: &MappedRegister, registers: Vec<usize>) {
        if let Some(condition) = &of.while_waveform {
            self.watch(condition, &[], of.offset, ValueUse::Gate(registers));
        }
    }

    fn wire(&mut self, wire: Wire, value: &Expression) {
        self.watch(value, &[], 0, ValueUse::Wire(self.wires.len()));
        self.wires.push(wire);
    }

    /// Watches the signals of an expression, and those of others that are evaluated with it.
    fn watch(&mut self, value: &Expression, others: &[&Expression], offset: i32, to: ValueUse) {
        let number = self.watched.len();
        self.lookahead = self.lookahead.max(u32::try_from(offset).unwrap_or(0));
        self.ahead = self.ahead.max(u32::try_from(-i64::from(offset)).unwrap_or(0));
        for signal in [value].iter().chain(others).flat_map(|of| of.signals()) {
            let watchers = self.watchers.entry(signal).or_default();
            if watchers.last() != Some(&number) {
                watchers.push(number);
            }
        }
        self.watched.push(WatchedExpression { value: value.clone(), offset, to });
    }

    /// The signals that show a register.
    pub(crate) fn signals_of(&self, location: Location) -> Vec<SignalHandle> {
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

/// True if a condition on the golden model is met, or if there is none.
pub(crate) fn holds(test: &Option<GoldenTest>, golden: &Fabric) -> bool {
    test.as_ref().is_none_or(|test| {
        let value = golden.value(test.location).and_then(|words| words.first().copied());
        (value == Some(test.value)) == test.equals
    })
}
