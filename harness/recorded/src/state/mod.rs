// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a design in a waveform in one cycle: words laid out like those of the golden model's images, with
//! masks of compared and of unknown bits. Only expressions that depend on a changed signal are evaluated.
//!
//! A register that the waveform shows some cycles late is evaluated when it is shown; a queue holds the values until
//! everything that belongs to the same cycle has arrived.

mod compare;

use std::{
    cell::RefCell,
    collections::VecDeque,
    ops::Deref,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
};

use drra_fabric::{Location, Register};
use drra_isa::Unit;
use drra_lockstep::{StepError, Value, put};

use crate::{
    map::{Expression, MappedMemory, MappedRegister},
    plan::{EvaluationPlan, ValueUse, WatchedExpression, first_cycle},
    samples::{LatestValues, Sample},
    tally::ComparisonTally,
};

/// The alignment of a waveform and a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alignment {
    /// Number of the edge that ends cycle 0.
    pub(crate) start: u64,
    /// First cycle in which every cell has all words of the case.
    pub(crate) load_end: u64,
}

/// A change in a cycle: the number of the watched expression, and its new value or, for a write port, the data (which
/// may be unknown) and the address of a write.
type ValueUpdate = (usize, Value, Option<Value>);

/// The counts of the first run, once it has ended.
pub(crate) type FirstTally = Arc<Mutex<Option<ComparisonTally>>>;

/// A design in a waveform in one cycle.
#[derive(Debug)]
pub(crate) struct RecordedDut {
    state: RecordedState,
    /// The state in which a recording begins that does not include earlier cycles: until then, nothing is compared.
    begin: Option<Box<RecordedState>>,
    samples: Receiver<Sample>,
    cut: Option<String>,
    first_tally: FirstTally,
}

/// The registers of a design in one cycle, and what follows in later cycles from the samples so far.
#[derive(Clone, Debug)]
pub(crate) struct RecordedState {
    plan: Arc<EvaluationPlan>,
    /// Number of the next sample.
    next: u64,
    alignment: Alignment,
    values: LatestValues,
    /// The next cycle, to which the front of the queue belongs.
    front: u64,
    queue: VecDeque<Vec<ValueUpdate>>,
    words: Vec<u64>,
    /// A 1 for every unknown bit.
    unknown: Vec<u64>,
    /// A 1 for every compared bit.
    mask: Vec<u64>,
    wires: Vec<Value>,
    /// For each register, true if its condition on the waveform, if there is one, is met.
    open: Vec<bool>,
    /// For each register, true if its contents are known or have been seen.
    known: Vec<bool>,
    /// The cycles in which the comparison of registers begins, each with its register, latest first. An entry is
    /// removed in its cycle.
    starts: Vec<(u64, usize)>,
    /// The watched expressions that a sample changes.
    changed: Vec<usize>,
    tally: RefCell<ComparisonTally>,
}

impl Deref for RecordedDut {
    type Target = RecordedState;

    fn deref(&self) -> &RecordedState {
        &self.state
    }
}

impl RecordedDut {
    /// A design before cycle 0.
    pub(crate) fn new(
        plan: Arc<EvaluationPlan>,
        alignment: Alignment,
        samples: Receiver<Sample>,
        cut: Option<String>,
        first_tally: FirstTally,
    ) -> Self {
        let state = RecordedState::new(plan, alignment);
        Self { state, begin: None, samples, cut, first_tally }
    }

    /// A design before cycle 0 whose owner has the samples.
    pub(crate) fn fed(plan: Arc<EvaluationPlan>, alignment: Alignment) -> Self {
        Self::new(plan, alignment, channel().1, None, FirstTally::default())
    }

    /// The same design with a recording that begins in a later cycle.
    pub(crate) fn beginning(mut self, mut begin: RecordedState) -> Self {
        begin.set_load_end(self.alignment.load_end);
        // Ports without a value are not compared.
        self.state.wires.clear();
        self.begin = Some(Box::new(begin));
        self
    }

    /// The state, which the owner of the samples advances.
    pub(crate) fn state_mut(&mut self) -> &mut RecordedState {
        &mut self.state
    }

    /// Advances to a cycle.
    pub(crate) fn enter(&mut self, cycle: u64) -> Result<(), StepError> {
        if let Some(begin) = self.begin.take_if(|begin| begin.front <= cycle) {
            self.state = *begin;
        }
        if self.begin.is_some() {
            self.state.front = cycle + 1;
            return Ok(());
        }
        let needed = self.last_sample(cycle);
        while self.next <= needed {
            let Ok(sample) = self.samples.recv() else {
                return Err(StepError::Ended { cut: self.cut.clone() });
            };
            self.state.take(&sample);
        }
        self.state.update(cycle);
        Ok(())
    }
}

impl RecordedState {
    /// A design before cycle 0.
    pub(crate) fn new(plan: Arc<EvaluationPlan>, alignment: Alignment) -> Self {
        let zeros = vec![0; plan.first_words.last().copied().unwrap_or(0)];
        let registers = plan.registers.iter().enumerate();
        let mut starts: Vec<(u64, usize)> =
            registers.map(|(n, r)| (first_cycle(r.mapped.from, alignment.load_end), n)).collect();
        starts.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            next: 0,
            alignment,
            values: LatestValues::default(),
            front: 0,
            queue: VecDeque::new(),
            words: zeros.clone(),
            unknown: zeros.clone(),
            mask: zeros,
            // The wires get their values in cycle 0.
            wires: vec![Value::unknown(1); plan.wires.len()],
            open: plan.registers.iter().map(|r| r.mapped.while_waveform.is_none()).collect(),
            known: plan.registers.iter().map(|r| r.known).collect(),
            starts,
            changed: Vec::new(),
            tally: RefCell::new(ComparisonTally::new(&plan)),
            plan,
        }
    }

    /// Number of the last sample that a cycle needs.
    pub(crate) fn last_sample(&self, cycle: u64) -> u64 {
        self.alignment.start + cycle + u64::from(self.plan.lookahead)
    }

    /// Number of the next sample.
    pub(crate) fn next_sample(&self) -> u64 {
        self.next
    }

    /// Sets the edge that ends cycle 0, before any sample of that cycle is applied.
    pub(crate) fn set_start(&mut self, start: u64) {
        self.alignment.start = start;
    }

    /// Sets the end of the load, which is in this cycle or later.
    pub(crate) fn set_load_end(&mut self, load_end: u64) {
        self.alignment.load_end = load_end;
        for (from, register) in &mut self.starts {
            *from = first_cycle(self.plan.registers[*register].mapped.from, load_end);
        }
        self.starts.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The counts so far.
    pub(crate) fn tally(&self) -> ComparisonTally {
        self.tally.borrow().clone()
    }

    /// Applies a sample. All samples that a cycle needs are applied before [`Self::update`] advances to it.
    pub(crate) fn take(&mut self, sample: &Sample) {
        self.next = sample.edge + 1;
        self.values.apply(sample);
        let (plan, mut changed) = (Arc::clone(&self.plan), std::mem::take(&mut self.changed));
        changed.clear();
        if sample.edge == 0 {
            changed.extend(0..plan.watched.len());
        } else {
            for (signal, _) in &sample.changes {
                changed.extend(plan.watchers.get(signal).into_iter().flatten());
            }
            // An enable that is unknown in reset and stays unknown is a possible write from cycle 0 on.
            let enables = plan.enables.iter().zip(&plan.memories);
            let begin = enables.filter(|(_, m)| sample.edge == self.begins(m.block.offset));
            changed.extend(begin.map(|(enable, _)| *enable));
            changed.sort_unstable();
            changed.dedup();
        }
        for &n in &changed {
            let WatchedExpression { value, offset, to } = &plan.watched[n];
            let value = self.value(value);
            let ValueUse::Memory(memory) = to else {
                self.later((n, value, None), sample.edge, *offset);
                continue;
            };
            let MappedMemory { address, block, .. } = &plan.memories[*memory];
            let data = match value.bit(0) {
                Some(true) => self.value(&block.value),
                None if sample.edge >= self.begins(*offset) => Value::unknown(block.width),
                _ => continue,
            };
            let address = self.value(address);
            self.later((n, data, Some(address)), sample.edge + 1, *offset);
        }
        self.changed = changed;
    }

    /// The edge that ends cycle 0 for values that the waveform shows this many cycles late.
    fn begins(&self, offset: i32) -> u64 {
        self.alignment.start.saturating_add_signed(i64::from(offset))
    }

    /// Queues an update for the cycle that ends at edge number `edge - offset`, but at the earliest for the next cycle.
    /// What happens up to cycle 0 takes effect at once, so that a long reset needs no memory.
    fn later(&mut self, update: ValueUpdate, edge: u64, offset: i32) {
        let cycle = edge.saturating_add_signed(-i64::from(offset));
        let slot = cycle.saturating_sub(self.alignment.start.saturating_add(self.front)) as usize;
        if (self.front, slot) == (0, 0) {
            return self.apply(update, 0);
        }
        if self.queue.len() <= slot {
            self.queue.resize_with(slot + 1, Vec::new);
        }
        self.queue[slot].push(update);
    }

    /// The value of an expression; unknown if the map does not cover the values of the signals.
    fn value(&self, expression: &Expression) -> Value {
        expression.value(&self.values).unwrap_or_else(|e| {
            self.tally.borrow_mut().note(e.to_string());
            Value::unknown(expression.width())
        })
    }

    /// Advances to a cycle, which must be the next one.
    pub(crate) fn update(&mut self, cycle: u64) {
        self.front = cycle + 1;
        for update in self.queue.pop_front().unwrap_or_default() {
            self.apply(update, cycle);
        }
        while self.starts.last().is_some_and(|(from, _)| *from <= cycle) {
            if let Some((_, register)) = self.starts.pop() {
                self.set_mask(register, cycle);
            }
        }
    }

    fn apply(&mut self, (n, value, address): ValueUpdate, cycle: u64) {
        let plan = Arc::clone(&self.plan);
        match &plan.watched[n].to {
            ValueUse::Register(n) => {
                self.put(plan.registers[*n].lsb, &value);
                self.is_known(*n, cycle);
            }
            ValueUse::Gate(registers) => registers.iter().for_each(|register| {
                self.open[*register] = value.bit(0) == Some(true);
                self.set_mask(*register, cycle);
            }),
            ValueUse::Memory(n) => self.write(*n, address.and_then(|a| a.number()), &value, cycle),
            ValueUse::Wire(n) => self.wires[*n] = value,
        }
    }

    fn put(&mut self, lsb: usize, value: &Value) {
        put(&mut self.words, lsb, value.width(), value.words());
        put(&mut self.unknown, lsb, value.width(), value.unknown_words());
    }

    /// Writes a row. If the address is unknown, any row may have been written, and all rows known so far become
    /// unknown.
    fn write(&mut self, memory: usize, address: Option<u64>, data: &Value, cycle: u64) {
        let unit = Unit::Tile(self.plan.memories[memory].tile);
        let data = if address.is_some() { data.clone() } else { Value::unknown(data.width()) };
        let rows = 0..self.plan.layout.geometry().sram_blocks;
        for row in rows.filter(|row| address.is_none_or(|address| address == *row as u64)) {
            let register = Register::TileSram(row);
            let number = self.plan.numbers.get(&Location { unit, register }).copied();
            if address.is_some() || number.is_some_and(|n| self.known[n]) {
                self.put(64 * self.plan.row_word(unit, row), &data);
                number.into_iter().for_each(|n| self.is_known(n, cycle));
            }
        }
    }

    fn is_known(&mut self, register: usize, cycle: u64) {
        if !self.known[register] {
            self.known[register] = true;
            self.set_mask(register, cycle);
        }
    }

    fn set_mask(&mut self, n: usize, cycle: u64) {
        let register = &self.plan.registers[n];
        let begun = first_cycle(register.mapped.from, self.alignment.load_end) <= cycle;
        let on = self.open[n] && self.known[n] && begun;
        if self.tally.get_mut().set(n, on) {
            let MappedRegister { width, missing, .. } = &register.mapped;
            let mut ones = vec![if on { u64::MAX } else { 0 }; width.div_ceil(64) as usize];
            missing.iter().for_each(|bit| ones[(bit / 64) as usize] &= !(1 << (bit % 64)));
            put(&mut self.mask, register.lsb, *width, &ones);
        }
    }
}

impl Drop for RecordedDut {
    fn drop(&mut self) {
        let mut first = self.first_tally.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(self.state.tally.take());
    }
}
