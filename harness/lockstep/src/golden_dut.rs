// SPDX-License-Identifier: MIT OR Apache-2.0
//! The golden model as a design under test: for tests of everything that needs one.

use std::sync::Arc;

use drra_case::Case;
use drra_golden::Fabric;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Signals;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_isa::ports::Block;
use drra_isa::ports::Inputs;
use drra_isa::ports::ZERO_BLOCK;

use crate::dut::AssertionFailure;
use crate::dut::Design;
use crate::dut::Dut;
use crate::dut::DutError;
use crate::dut::Outputs;
use crate::dut::StartError;
use crate::dut::StateSource;
use crate::signal::SignalDifference;
use crate::signal::differing_signals;

/// Makes golden models that are compared as if they were RTL.
///
/// A bit that is flipped ([`Dut::flip`]) shows until the register takes another value, as in a register
/// that nobody reads; it has no effect on others.
#[derive(Clone, Copy, Debug)]
pub struct GoldenDesign;

impl Design for GoldenDesign {
    fn start(
        &self,
        case: &Case,
        geometry: &Geometry,
        _layout: &Arc<Layout>,
    ) -> Result<Box<dyn Dut>, StartError> {
        let fabric = Fabric::new(*geometry, case.straps(geometry));
        Ok(Box::new(GoldenDut { fabric, flipped: Vec::new() }))
    }

    fn simulator(&self) -> &str {
        "golden model"
    }
}

struct GoldenDut {
    fabric: Fabric,
    flipped: Vec<Flipped>,
}

/// A flipped bit.
struct Flipped {
    unit: Unit,
    place: Place,
    bit: u32,
    /// Value of the register when its bit was flipped.
    value: Vec<u64>,
}

enum Place {
    /// Register: number of its group among those of the unit, and in the group.
    Register(usize, usize),
    /// Row of a tile's memory.
    Row(usize),
}

impl GoldenDut {
    /// Value of a register or row, low word first.
    fn value(&self, unit: Unit, place: &Place) -> Vec<u64> {
        match *place {
            Place::Row(row) => self.fabric.sram(unit.index)[row].to_vec(),
            Place::Register(group, register) => {
                let mut groups = self.fabric.layout().groups_of(unit.owner);
                let group = groups.nth(group).expect("group of the unit");
                let image = self.fabric.image(unit.owner, unit.index);
                group.registers[register].value(group.words(image))
            }
        }
    }

    fn place(&self, unit: Unit, register: &str) -> Option<Place> {
        if let Some(row) = register.strip_prefix("sram[") {
            let row = row.strip_suffix(']')?.parse().ok()?;
            let rows = self.fabric.geometry().sram_blocks;
            return (unit.owner == Owner::Tile && row < rows).then_some(Place::Row(row));
        }
        let mut groups = self.fabric.layout().groups_of(unit.owner).enumerate();
        groups.find_map(|(number, group)| {
            let register = group.registers.iter().position(|r| r.path == register)?;
            Some(Place::Register(number, register))
        })
    }
}

impl StateSource for GoldenDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.fabric.read(unit, image);
        for flipped in self.flipped.iter().filter(|f| f.unit == unit) {
            let Place::Register(group, register) = flipped.place else { continue };
            let group = self.fabric.layout().groups_of(unit.owner).nth(group);
            let group = group.expect("group of the unit");
            let bit = group.registers[register].lsb + flipped.bit;
            image[group.slot + (bit / 64) as usize] ^= 1 << (bit % 64);
        }
    }

    fn sram_block(&self, tile: usize, address: usize) -> Block {
        let mut block = self.fabric.sram(tile)[address];
        for flipped in self.flipped.iter().filter(|f| f.unit.index == tile) {
            if matches!(flipped.place, Place::Row(row) if row == address) {
                block[(flipped.bit / 64) as usize] ^= 1 << (flipped.bit % 64);
            }
        }
        block
    }
}

impl Dut for GoldenDut {
    fn step(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        self.fabric.step(inputs);
        self.fabric.pack();
        let mut flipped = std::mem::take(&mut self.flipped);
        flipped.retain(|f| self.value(f.unit, &f.place) == f.value);
        self.flipped = flipped;
        Ok(())
    }

    fn outputs(&self) -> Outputs {
        let status = self.fabric.status();
        Outputs {
            cell_idle: status.cell_idle,
            all_idle: status.all_idle,
            agu_busy: status.agu_busy,
            io_in_en: self.fabric.buffer_reads().fold(0, |m, r| m | 1 << r.col),
            io_out_en: self.fabric.buffer_writes().fold(0, |m, w| m | 1 << w.col),
        }
    }

    fn io_in_addr(&self, col: usize) -> u32 {
        self.fabric.buffer_reads().find(|r| r.col == col).map_or(0, |r| r.addr)
    }

    fn io_out(&self, col: usize) -> (u32, Block, u16) {
        let write = self.fabric.buffer_writes().find(|w| w.col == col);
        write.map_or((0, ZERO_BLOCK, 0), |w| (w.addr, w.data, w.mask))
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let ours = self.fabric.signals();
        Ok(differing_signals(self.fabric.geometry(), golden, |signal| signal.value(&ours)))
    }

    fn flip(&mut self, unit: Unit, register: &str, bit: u32) -> bool {
        let Some(place) = self.place(unit, register) else { return false };
        let value = self.value(unit, &place);
        self.flipped.push(Flipped { unit, place, bit, value });
        true
    }
}
