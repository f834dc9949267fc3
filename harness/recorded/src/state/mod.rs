// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a recorded design in one cycle: images like those of the golden model, with masks of what is
//! compared and of what is unknown. Only what depends on a changed signal is evaluated.
//!
//! A register that the dump shows some cycles late is evaluated when it is shown and waits in a queue until
//! all that belongs to the same cycle is there.

mod compare;
mod image;
mod row;

use std::{cell::RefCell, collections::VecDeque, sync::Arc};

use drra_isa::{TileId, Unit, ports::Block};

use crate::{
    Bits,
    frames::{Frame, Values},
    map::Expression,
    plan::{Item, Place, Plan, RowSource, first_cycle},
    tally::Tally,
};

use image::{Image, put};
use row::{Row, seen};

/// Where a dump and a case are aligned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alignment {
    /// Number of the edge that ends cycle 0.
    pub(crate) start: u64,
    /// First cycle after the load phase.
    pub(crate) load_end: u64,
}

/// What changes in a cycle.
#[derive(Debug)]
enum Update {
    Value(usize, Bits),
    Gate(usize, bool),
    MemoryGate(usize, bool),
    /// A write of a memory: address and data, of which nothing may be known.
    Write(usize, Bits, Bits),
    Port(usize, Bits),
}

/// The state of a recorded design in one cycle.
#[derive(Debug)]
pub(crate) struct State {
    plan: Arc<Plan>,
    alignment: Alignment,
    values: Values,
    first_frame: bool,
    /// Cycle to which the front of the queue belongs.
    front: u64,
    queue: VecDeque<Vec<Update>>,
    images: Vec<Image>,
    rows: Vec<Vec<Row>>,
    ports: Vec<Bits>,
    gates: Vec<bool>,
    memory_gates: Vec<bool>,
    /// Cycles from which on registers are compared, latest first.
    starts: Vec<(u64, usize)>,
    items: Vec<Item>,
    pub(crate) tally: RefCell<Tally>,
}

impl State {
    /// A state before cycle 0.
    pub(crate) fn new(plan: Arc<Plan>, alignment: Alignment) -> Self {
        let layout = &plan.layout;
        let image = |unit: Unit| {
            let zeros = || vec![0; layout.words(unit.kind())];
            Image { words: zeros(), unknown: zeros(), mask: zeros() }
        };
        let row = |source: &Option<RowSource>| Row::new(&plan, *source);
        let registers = plan.registers.iter().enumerate();
        let mut starts: Vec<(u64, usize)> =
            registers.map(|(n, r)| (first_cycle(r.from, alignment.load_end), n)).collect();
        starts.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            alignment,
            values: Values::default(),
            first_frame: true,
            front: 0,
            queue: VecDeque::new(),
            images: layout.units().map(image).collect(),
            rows: plan.rows.iter().map(|rows| rows.iter().map(row).collect()).collect(),
            ports: plan.ports.iter().map(|p| Bits::unknown(p.value.width())).collect(),
            gates: plan.registers.iter().map(|r| r.while_dump.is_none()).collect(),
            memory_gates: plan.memories.iter().map(|m| m.while_dump.is_none()).collect(),
            starts,
            items: Vec::new(),
            tally: RefCell::new(Tally::new(&plan)),
            plan,
        }
    }

    /// Number of the last frame that a cycle needs.
    pub(crate) fn needs(&self, cycle: u64) -> u64 {
        self.alignment.start + cycle + u64::from(self.plan.lookahead)
    }

    /// Takes over a frame. All frames up to [`Self::needs`] come before the cycle is entered.
    pub(crate) fn take(&mut self, frame: &Frame) {
        self.values.apply(frame);
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        if self.first_frame {
            self.first_frame = false;
            items.extend(self.plan.all_items());
        } else {
            for (signal, _) in &frame.changes {
                items.extend(self.plan.items.get(signal).into_iter().flatten());
            }
            // What was unknown in reset counts if it stays so.
            let memories = self.plan.memories.iter().enumerate();
            let begin = memories.filter(|(_, m)| frame.edge == self.begins(m.offset));
            items.extend(begin.map(|(n, _)| Item::Write(n)));
            items.sort_unstable();
            items.dedup();
        }
        for item in &items {
            self.evaluate(*item, frame.edge);
        }
        self.items = items;
    }

    fn evaluate(&mut self, item: Item, edge: u64) {
        let plan = Arc::clone(&self.plan);
        let (update, offset) = match item {
            Item::Value(n) => {
                let register = &plan.registers[n];
                (Update::Value(n, self.value(&register.value)), register.offset)
            }
            Item::Gate(n) => {
                let register = &plan.registers[n];
                (Update::Gate(n, self.bit(register.while_dump.as_ref())), register.offset)
            }
            Item::MemoryGate(n) => {
                let memory = &plan.memories[n];
                (Update::MemoryGate(n, self.bit(memory.while_dump.as_ref())), memory.offset)
            }
            Item::Write(n) => {
                let memory = &plan.memories[n];
                let enable = self.value(&memory.enable).bit(0);
                let in_reset = edge < self.begins(memory.offset);
                if enable == Some(false) || enable.is_none() && in_reset {
                    return;
                }
                let (address, data) = (self.value(&memory.address), self.value(&memory.data));
                let data = if enable.is_some() { data } else { Bits::unknown(data.width()) };
                return self.later(Update::Write(n, address, data), edge + 1, memory.offset);
            }
            Item::Port(n) => (Update::Port(n, self.value(&plan.ports[n].value)), 0),
        };
        self.later(update, edge, offset);
    }

    /// The edge that ends cycle 0 of what the dump shows so many cycles later.
    fn begins(&self, offset: i32) -> u64 {
        self.alignment.start.saturating_add_signed(i64::from(offset))
    }

    /// Puts an update into the queue, for the cycle that an edge ends.
    fn later(&mut self, update: Update, edge: u64, offset: i32) {
        let cycle = edge.saturating_add_signed(-i64::from(offset));
        let slot = cycle.saturating_sub(self.alignment.start + self.front) as usize;
        if self.queue.len() <= slot {
            self.queue.resize_with(slot + 1, Vec::new);
        }
        self.queue[slot].push(update);
    }

    /// Value of an expression; unknown if the map has none for what the signals show.
    fn value(&self, expression: &Expression) -> Bits {
        expression.value(&self.values).unwrap_or_else(|e| {
            self.tally.borrow_mut().note(e.to_string());
            Bits::unknown(expression.width())
        })
    }

    fn bit(&self, condition: Option<&Expression>) -> bool {
        condition.is_none_or(|condition| self.value(condition).bit(0) == Some(true))
    }

    /// Goes on to a cycle, the next one after the last.
    pub(crate) fn enter(&mut self, cycle: u64) {
        let updates = self.queue.pop_front().unwrap_or_default();
        self.front = cycle + 1;
        for update in updates {
            self.apply(update, cycle);
        }
        while self.starts.last().is_some_and(|(from, _)| *from <= cycle) {
            if let Some((_, register)) = self.starts.pop() {
                self.set_mask(register, cycle);
            }
        }
    }

    fn apply(&mut self, update: Update, cycle: u64) {
        match update {
            Update::Value(n, bits) => match self.plan.places[n] {
                Place::Image { unit, lsb, width } => {
                    let image = &mut self.images[unit];
                    put(&mut image.words, lsb, width, bits.words());
                    put(&mut image.unknown, lsb, width, bits.unknown_words());
                }
                Place::Row { tile, row } => self.rows[tile][row] = seen(&bits),
            },
            Update::Gate(n, open) => {
                self.gates[n] = open;
                self.set_mask(n, cycle);
            }
            Update::MemoryGate(n, open) => self.memory_gates[n] = open,
            Update::Write(n, address, data) => {
                let tile = self.plan.memories[n].tile.index(self.plan.layout.geometry());
                let rows = &mut self.rows[tile];
                match address.number().map(usize::try_from) {
                    Some(Ok(row)) if row < rows.len() => rows[row] = seen(&data),
                    Some(_) => {}
                    // Any row may have been written: none is known any more.
                    None => {
                        for row in rows.iter_mut().filter(|row| row.seen) {
                            *row = seen(&Bits::unknown(256));
                        }
                    }
                }
            }
            Update::Port(n, bits) => self.ports[n] = bits,
        }
    }

    fn set_mask(&mut self, n: usize, cycle: u64) {
        let register = &self.plan.registers[n];
        let on = self.gates[n] && first_cycle(register.from, self.alignment.load_end) <= cycle;
        if let Place::Image { unit, lsb, width } = self.plan.places[n] {
            let ones = vec![if on { u64::MAX } else { 0 }; width.div_ceil(64) as usize];
            put(&mut self.images[unit].mask, lsb, width, &ones);
        }
        self.tally.borrow_mut().set(n, on, register.while_golden.is_some());
    }

    /// The image of a unit, by its position.
    pub(crate) fn image(&self, unit: usize) -> &[u64] {
        &self.images[unit].words
    }

    /// A 1 for every bit of the image of a unit that is unknown or not shown now.
    pub(crate) fn unknown(&self, unit: usize) -> impl Iterator<Item = u64> {
        let image = &self.images[unit];
        image.unknown.iter().zip(&image.mask).map(|(unknown, mask)| unknown | !mask)
    }

    /// A row of a memory; unknown bits are 0.
    pub(crate) fn row(&self, tile: TileId, row: usize) -> Block {
        self.rows[tile.index(self.plan.layout.geometry())][row].words
    }

    /// The output ports of the map, by their number in the plan.
    pub(crate) fn ports(&self) -> &[Bits] {
        &self.ports
    }
}
