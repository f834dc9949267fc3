// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cycles in which instructions are in force in the parts of the units.

use std::collections::BTreeMap;

use drra_diagnose::attribution::Cause;
use drra_fabric::{AguId, CellInput, Generator};
use drra_isa::{CellId, Unit};

use crate::track::EventTime;

/// The inputs of a cell, as the short forms of instructions name them.
pub(crate) const INPUTS: [&str; 6] = ["w0", "w1", "in0", "in1", "in2", "in3"];

/// A part of a unit, in which at most one instruction is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// An AGU of a cell.
    Agu(AguId),
    /// The connection of an input of a cell.
    Input(CellInput),
    /// The DPU of a cell.
    Dpu,
    /// A loop slot of a cell.
    Loop(usize),
    /// A generator of a column or tile.
    Generator(Generator),
    /// The crossbar of a tile.
    Path,
}

impl Part {
    /// Its name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Agu(agu) => agu.to_string(),
            Self::Input(input) => format!("to {}", INPUTS[input.index()]),
            Self::Dpu => "DPU".to_owned(),
            Self::Loop(slot) => format!("loop {slot}"),
            Self::Generator(generator) => ["reads", "writes"][generator.index()].to_owned(),
            Self::Path => "path".to_owned(),
        }
    }
}

/// An execution of an instruction, and the cycles shown in which it is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The cell that decodes the instruction.
    pub cell: CellId,
    /// Address of its first word.
    pub address: usize,
    /// Cycle of the decode.
    pub decode: u64,
    /// First cycle in which it is in force.
    pub from: u64,
    /// Last cycle in which it is in force.
    pub to: u64,
}

/// The spans of the parts of all units, in the order of the cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartSpans(pub(crate) BTreeMap<(Unit, Part), Vec<Span>>);

impl PartSpans {
    /// Records that an instruction is in force in a cycle.
    pub(super) fn force(&mut self, at: EventTime, unit: impl Into<Unit>, part: Part, by: &Cause) {
        let Some(by) = by.as_ref().filter(|_| at.shown) else { return };
        let (cell, address, decode, cycle) = (by.cell, by.address.into(), by.cycle, at.cycle);
        let spans = self.0.entry((unit.into(), part)).or_default();
        let begun = spans.last_mut().filter(|last| last.to + 1 == cycle);
        match begun.filter(|last| (last.cell, last.address, last.decode) == (cell, address, decode))
        {
            Some(last) => last.to = cycle,
            None => spans.push(Span { cell, address, decode, from: cycle, to: cycle }),
        }
    }
}
