// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a recorded design beside those of the golden model: what is compared, and what differs.

use drra_golden::Fabric;
use drra_isa::{TileId, Unit, fabric::Register, ports::ZERO_BLOCK};
use drra_lockstep::{Difference, Value, hidden};

use super::{
    State,
    image::{take, words_of},
};
use crate::plan::{Place, RowSource, first_cycle, holds};

impl State {
    /// Counts what is compared in a cycle, at its first call in this cycle.
    pub(crate) fn count(&self, golden: &Fabric) {
        let cycle = self.front.saturating_sub(1);
        let mut tally = self.tally.borrow_mut();
        if !tally.enter(cycle) {
            return;
        }
        for register in tally.conditional() {
            if holds(&self.plan.registers[register].while_golden, golden) {
                tally.compared(register);
            }
        }
        for tile in TileId::all(golden.geometry()) {
            for row in 0..golden.geometry().sram_blocks {
                if self.row_is_compared(golden, tile, row, cycle) {
                    tally.row(tile.index(golden.geometry()), row);
                }
            }
        }
    }

    /// True if the registers agree, the memories apart.
    pub(crate) fn agrees(&self, golden: &Fabric) -> bool {
        let mut found = Vec::new();
        self.plan.layout.units().zip(&self.images).enumerate().all(|(position, (unit, image))| {
            let mut ours = golden.image(unit).iter().enumerate();
            ours.all(|(i, ours)| image.differs(i, *ours) == 0) || {
                self.registers_that_differ(golden, unit, position, &mut found);
                found.is_empty()
            }
        })
    }

    fn registers_that_differ(
        &self,
        golden: &Fabric,
        unit: Unit,
        position: usize,
        found: &mut Vec<Difference>,
    ) {
        let (ours, image) = (golden.image(unit), &self.images[position]);
        for &n in &self.plan.of_unit[position] {
            let Place::Image { lsb, width, .. } = self.plan.places[n] else { continue };
            let differs = |(i, ones): (usize, u64)| image.differs(i, ours[i]) & ones != 0;
            let register = &self.plan.registers[n];
            if !words_of(lsb, width).any(differs) || !holds(&register.while_golden, golden) {
                continue;
            }
            let get = |words: &[u64]| take(words, lsb, width);
            let golden_value = Value::new(get(ours), width);
            let dut = Value::with_unknown(get(&image.words), get(&image.unknown), width);
            let location = register.location;
            let variable = self.plan.layout.find(location.register).map(|(variable, _)| variable);
            if variable.is_none_or(|variable| !hidden(golden, unit, variable)) {
                found.push(Difference { location, golden: golden_value, dut });
            }
        }
    }

    /// All registers and rows that differ, in table order.
    pub(crate) fn differences(&self, golden: &Fabric) -> Vec<Difference> {
        let mut found = Vec::new();
        for (position, unit) in self.plan.layout.units().enumerate() {
            self.registers_that_differ(golden, unit, position, &mut found);
            let Unit::Tile(tile) = unit else { continue };
            for row in 0..golden.geometry().sram_blocks {
                if !self.row_agrees(golden, tile, row) {
                    let theirs = self.rows[tile.index(golden.geometry())][row];
                    let (words, unknown) = (theirs.words.to_vec(), theirs.unknown.to_vec());
                    found.push(Difference {
                        location: drra_isa::fabric::Location {
                            unit,
                            register: Register::TileSram(row),
                        },
                        golden: Value::new(golden.sram(tile)[row].to_vec(), 256),
                        dut: Value::with_unknown(words, unknown, 256),
                    });
                }
            }
        }
        found
    }

    fn row_is_compared(&self, golden: &Fabric, tile: TileId, row: usize, cycle: u64) -> bool {
        let index = tile.index(golden.geometry());
        if !self.rows[index][row].seen {
            return false;
        }
        let (open, from, test) = match self.plan.rows[index][row] {
            None => return false,
            Some(RowSource::Register(n)) => {
                let register = &self.plan.registers[n];
                (self.gates[n], register.from, &register.while_golden)
            }
            Some(RowSource::Memory(n)) => {
                let memory = &self.plan.memories[n];
                (self.memory_gates[n], memory.from, &memory.while_golden)
            }
        };
        open && first_cycle(from, self.alignment.load_end) <= cycle && holds(test, golden)
    }

    /// True if a row of a memory agrees, or is not compared now.
    pub(crate) fn row_agrees(&self, golden: &Fabric, tile: TileId, row: usize) -> bool {
        let theirs = &self.rows[tile.index(golden.geometry())][row];
        let equal = theirs.words == golden.sram(tile)[row] && theirs.unknown == ZERO_BLOCK;
        equal || !self.row_is_compared(golden, tile, row, self.front.saturating_sub(1))
    }
}
