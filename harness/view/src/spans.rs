// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cycles in which instructions are in force in the parts of the units.

use drra_diagnose::attribution::Cause;
use drra_isa::{CellId, Unit};

use crate::track::EventTime;

/// The parts of a cell with instructions in force, in the order of its spans: AGUs, inputs, DPU, loop slots.
pub(crate) const OF_CELLS: &[&str] = &[
    "w0", "w1", "wb", "r0", "r1", "rb", "to w0", "to w1", "to in0", "to in1", "to in2", "to in3",
    "DPU", "loop 0", "loop 1", "loop 2", "loop 3",
];
/// The parts of a column.
pub(crate) const OF_COLUMNS: &[&str] = &["reads", "writes"];
/// The parts of a tile.
pub(crate) const OF_TILES: &[&str] = &["reads", "writes", "path"];

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

/// The spans of a part, in the order of the cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpanList(Vec<Span>);

/// The spans of a part of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartSpans<'a> {
    pub(crate) unit: Unit,
    pub(crate) part: &'static str,
    pub(crate) spans: &'a [Span],
}

/// The parts of a unit with their spans.
pub(super) fn parts<'a>(
    unit: impl Into<Unit>,
    names: &'static [&'static str],
    lists: &'a [SpanList],
) -> impl Iterator<Item = PartSpans<'a>> {
    let unit = unit.into();
    names.iter().zip(lists).map(move |(part, list)| PartSpans { unit, part, spans: &list.0 })
}

impl SpanList {
    /// Records that an instruction is in force in a cycle.
    pub(super) fn force(&mut self, at: EventTime, by: &Cause) {
        let Some(by) = by.as_ref().filter(|_| at.shown) else { return };
        let (cell, address, decode, cycle) = (by.cell, by.address.into(), by.cycle, at.cycle);
        match self.0.last_mut() {
            Some(last)
                if last.to + 1 == cycle
                    && (last.cell, last.address, last.decode) == (cell, address, decode) =>
            {
                last.to = cycle;
            }
            _ => self.0.push(Span { cell, address, decode, from: cycle, to: cycle }),
        }
    }
}
