// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a design in a waveform with the golden model: registers, memories, output ports and signals between blocks.

use std::collections::{BTreeSet, HashMap};

use drra_fabric::{
    Location, Register,
    ports::{Block, Inputs},
};
use drra_golden::{Fabric, Signals};
use drra_isa::{ColumnId, TileId, Unit};
use drra_lockstep::{
    AssertionFailure, Compare, Difference, Dut, DutError, PortDifference, Ports, SignalDifference,
    SignalLocation, StateSource, StepError, Value, ValueWords, differing_signals, hidden,
    port_words, take,
};

use super::{RecordedDut, RecordedState};
use crate::{
    map::MappedRegister,
    plan::{PlannedRegister, Wire, holds},
};

impl RecordedState {
    /// The positions of the words of a unit's image.
    fn image_words(&self, unit: Unit) -> std::ops::Range<usize> {
        let first = self.plan.first_words[unit.position(self.plan.layout.geometry())];
        first..first + self.plan.layout.words(unit.kind())
    }

    /// True if no compared bit differs or is unknown in the words of `ours`, the first of which is word `first`.
    fn same(&self, first: usize, ours: &[u64]) -> bool {
        let words = first..first + ours.len();
        let theirs = self.words[words.clone()].iter().zip(&self.unknown[words.clone()]);
        let all = ours.iter().zip(theirs).zip(&self.mask[words]);
        all.fold(0, |found, ((ours, (theirs, unknown)), mask)| {
            found | ((theirs ^ ours) | unknown) & mask
        }) == 0
    }

    fn difference(&self, golden: &Fabric, n: usize) -> Option<Difference> {
        let PlannedRegister { mapped, lsb, .. } = &self.plan.registers[n];
        let MappedRegister { location, width, while_golden, .. } = mapped;
        let unit = location.unit;
        let mask = take(&self.mask, *lsb, *width);
        if mask.iter().all(|word| *word == 0) {
            return None;
        }
        let (first, ours): (usize, &[u64]) = match (unit, location.register) {
            (Unit::Tile(tile), Register::TileSram(row)) => (lsb / 64, &golden.sram(tile)[row]),
            _ => (self.image_words(unit).start, golden.image(unit)),
        };
        let field = |words: &[u64], lsb| take(words, lsb, *width);
        let ours = Value::new(field(ours, lsb - 64 * first), *width);
        // Missing bits are as in the golden model.
        let (words, unknown) = (field(&self.words, *lsb), field(&self.unknown, *lsb));
        let both = words.iter().zip(ours.words()).zip(&mask);
        let words: ValueWords = both.map(|((w, ours), mask)| w & mask | ours & !mask).collect();
        let unknown: ValueWords = unknown.iter().zip(&mask).map(|(u, mask)| u & mask).collect();
        let dut = Value::with_unknown(words, unknown, *width);
        let variable = self.plan.layout.find(location.register).map(|(variable, _)| variable);
        let differs = ours != dut
            && holds(while_golden, golden)
            && !variable.is_some_and(|variable| hidden(golden, unit, variable));
        differs.then(|| Difference { location: *location, golden: ours, dut })
    }

    /// The signals between blocks that are in the map, with their values.
    fn signals(&self) -> impl Iterator<Item = (SignalLocation, Value)> {
        let wires = self.plan.wires.iter().zip(&self.wires);
        wires.filter_map(|(wire, bits)| match *wire {
            Wire::Signal(signal) => Some((signal, bits.clone())),
            Wire::Port(..) => None,
        })
    }
}

impl StateSource for RecordedDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        image.clear();
        image.extend_from_slice(&self.words[self.image_words(unit)]);
    }

    fn unknown(&self, unit: Unit, image: &mut Vec<u64>) {
        let words = self.image_words(unit);
        let (unknown, mask) = (&self.unknown[words.clone()], &self.mask[words]);
        image.clear();
        image.extend(unknown.iter().zip(mask).map(|(unknown, mask)| unknown | !mask));
    }

    fn shows(&self, unit: Unit, register: Register) -> bool {
        self.plan.numbers.contains_key(&Location { unit, register })
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        let first = self.plan.row_word(Unit::Tile(tile), row);
        std::array::from_fn(|i| self.words[first + i])
    }
}

impl Compare for RecordedDut {
    /// Also compares the memories, because a waveform may differ temporarily in a row that the golden model does not
    /// access.
    fn agrees(&self, golden: &Fabric) -> bool {
        let cycle = self.front.saturating_sub(1);
        self.tally.borrow_mut().count(&self.plan, golden, cycle);
        self.plan.layout.units().all(|unit| {
            let memory = match unit {
                Unit::Tile(tile) => golden.sram(tile).as_flattened(),
                _ => &[],
            };
            let words = self.image_words(unit);
            self.same(words.start, golden.image(unit)) && self.same(words.end, memory)
                || self.plan.of_unit(unit).all(|n| self.difference(golden, n).is_none())
        })
    }

    fn sram_row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        let (unit, register) = (Unit::Tile(tile), Register::TileSram(row));
        self.same(self.plan.row_word(unit, row), &golden.sram(tile)[row]) || {
            let number = self.plan.numbers.get(&Location { unit, register });
            number.is_none_or(|n| self.difference(golden, *n).is_none())
        }
    }

    fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        (0..self.plan.registers.len()).filter_map(|n| self.difference(golden, n)).collect()
    }
}

impl Dut for RecordedDut {
    /// The stimulus is already in the waveform.
    fn drive(&mut self, _inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        Ok(())
    }

    fn step(&mut self) -> Result<(), StepError> {
        self.enter(self.front)
    }

    /// No buffer is read: the answers that the design received are already in the waveform.
    fn ports(&self) -> Option<&dyn Ports> {
        None
    }

    fn differing_ports(&self, golden: &Fabric) -> Vec<PortDifference> {
        let mut found = Vec::new();
        for (wire, bits) in self.plan.wires.iter().zip(&self.wires) {
            let Wire::Port(port, column) = *wire else { continue };
            let (column, dut) = (column.and_then(ColumnId::new), bits.clone());
            let golden = Value::new(port_words(golden, port, column), dut.width());
            if golden != dut {
                found.push(PortDifference { port, column, golden, dut });
            }
        }
        found
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let ours: HashMap<SignalLocation, Value> = self.signals().collect();
        let geometry = self.plan.layout.geometry();
        Ok(differing_signals(geometry, golden, |signal| ours.get(&signal).cloned()))
    }

    fn shown_signals(&self) -> Option<BTreeSet<SignalLocation>> {
        Some(self.signals().map(|(signal, _)| signal).collect())
    }
}
