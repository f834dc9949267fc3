// SPDX-License-Identifier: MIT OR Apache-2.0
//! The golden model as a design under test: in tests, and in place of a design that is known to crash.

use std::sync::Arc;

use drra_case::Case;
use drra_fabric::{
    Layout, Location,
    ports::{Block, Inputs},
};
use drra_golden::{Fabric, Signals};
use drra_isa::{TileId, Unit};

use crate::{
    difference::{StateSource, sram_row},
    dut::{Compare, Design, Dut},
    port::Ports,
    signal::{SignalDifference, differing_signals},
    stop::{AssertionFailure, DutError, StartError, StepError},
};

/// Makes golden models that are compared as if they were RTL.
///
/// A flipped bit ([`Dut::flip`]) is visible until the register takes another value, as in a register that is never
/// read; it does not affect other registers.
#[derive(Clone, Copy, Debug)]
pub struct GoldenDesign;

impl Design for GoldenDesign {
    fn start(&self, case: &Case, _layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let fabric = Fabric::new(case.geometry, case.straps());
        let inputs = Inputs::default();
        Ok(Box::new(GoldenDut { fabric, inputs, answers: Vec::new(), flipped: Vec::new() }))
    }

    fn simulator(&self) -> &str {
        "golden model"
    }
}

struct GoldenDut {
    fabric: Fabric,
    /// Inputs of the current cycle, except the answers of the buffers.
    inputs: Inputs<'static>,
    answers: Vec<Block>,
    flipped: Vec<FlippedBit>,
}

impl GoldenDut {
    fn inputs(&self) -> Inputs<'_> {
        Inputs { io_in_data: &self.answers, ..self.inputs }
    }
}

/// A flipped bit.
struct FlippedBit {
    location: Location,
    bit: u32,
    /// Value of the register when its bit was flipped.
    value: Vec<u64>,
}

impl FlippedBit {
    /// Flips the bit in words; `lsb` is the lowest bit of the register in them.
    fn apply(&self, words: &mut [u64], lsb: u32) {
        let bit = lsb + self.bit;
        words[(bit / 64) as usize] ^= 1 << (bit % 64);
    }
}

impl StateSource for GoldenDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.fabric.read(unit, image);
        for flipped in self.flipped.iter().filter(|f| f.location.unit == unit) {
            if let Some((variable, field)) = self.fabric.layout().find(flipped.location.register) {
                flipped.apply(&mut image[variable.slot..], field.lsb);
            }
        }
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        let mut block = self.fabric.sram(tile)[row];
        let here = sram_row(tile, row);
        for flipped in self.flipped.iter().filter(|f| f.location == here) {
            flipped.apply(&mut block, 0);
        }
        block
    }
}

impl Compare for GoldenDut {}

impl Dut for GoldenDut {
    fn drive(&mut self, inputs: &Inputs<'_>) -> Result<(), AssertionFailure> {
        self.answers.clear();
        self.answers.extend_from_slice(inputs.io_in_data);
        self.inputs = Inputs { io_in_data: &[], ..*inputs };
        Ok(())
    }

    fn step(&mut self) -> Result<(), StepError> {
        self.fabric.step(&Inputs { io_in_data: &self.answers, ..self.inputs });
        self.fabric.pack();
        let mut flipped = std::mem::take(&mut self.flipped);
        flipped.retain(|f| self.fabric.value(f.location).as_ref() == Some(&f.value));
        self.flipped = flipped;
        Ok(())
    }

    fn ports(&self) -> Option<&dyn Ports> {
        Some(&self.fabric)
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        let ours = self.fabric.all_signals(&self.inputs());
        Ok(differing_signals(self.fabric.geometry(), golden, |signal| signal.value(&ours)))
    }

    fn take_over(&mut self, golden: &Fabric) -> bool {
        self.fabric.clone_from(golden);
        self.flipped.clear();
        true
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        let Some(value) = self.fabric.value(location) else { return false };
        let exists = bit < location.register.width(self.fabric.geometry());
        if exists {
            self.flipped.push(FlippedBit { location, bit, value });
        }
        exists
    }
}
