// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces the origin of a value in the golden model (chapters 3 to 7): from the register back through ports, switchbox,
//! DPU, blocks and the NoC to the initial words.
//!
//! Both sides agree in every cycle before the mismatch, so the result is valid for both.

mod blocks;
mod cell;
mod configuration;
mod result;

use drra_case::Case;
use drra_diagnose::{
    GoldenHistory,
    attribution::{Cause, IssuedInstruction},
    explain::is_dpu_data,
};
use drra_fabric::{
    AguId, CellInput, Location, PortId, Register, TilePart, UpdatePolicy, ports::Block,
};
use drra_isa::{CellId, Unit};
use drra_lockstep::{Difference, Element, PortDifference, Value};

use super::{
    program,
    recording::{GoldenCycles, MismatchContext},
};
use crate::data::{LinkKind, PathStep, ProvenanceEvent, Reading};

/// Maximum number of steps.
const MAX_STEPS: usize = 80;
/// Maximum depth. In the provenance of an end state, the limit shortens all operands of a sum alike.
const MAX_DEPTH: usize = 24;
const MAX_DEPTH_OF_END: usize = 14;
/// Bits of a word.
const WORD_BITS: u32 = 16;
/// Words of a block.
const BLOCK_WORDS: usize = drra_isa::Geometry::BLOCK_WORDS;

/// The provenance, with the connections along it.
#[derive(Default)]
pub(super) struct Provenance {
    pub(super) steps: Vec<PathStep>,
    /// Source unit, destination unit and kind.
    pub(super) links: Vec<(Unit, Unit, LinkKind)>,
}

/// The provenance of a value that differs.
pub(super) fn trace(recording: &MismatchContext<'_>, first: &Difference) -> Provenance {
    let Location { unit, register } = first.location;
    let beyond_cells = !matches!(unit, Unit::Cell(_));
    let mut tracer = Tracer::before_mismatch(recording, beyond_cells);
    let cycle = recording.mismatch;
    if tracer.keeps(first) {
        tracer.kept(first);
        if let (Unit::Cell(cell), Register::RfMem(_), Some(before)) =
            (unit, register, cycle.checked_sub(1))
        {
            tracer.carriers(cell, first.dut.low(), before);
        }
        return tracer.provenance;
    }
    // The first differing word of a block.
    let lowest = first.golden.bits_that_differ(&first.dut).last().copied().unwrap_or(0);
    let word = (lowest / WORD_BITS) as usize;
    match (unit, register, cycle.checked_sub(1)) {
        (Unit::Cell(cell), Register::RfMem(word), _) => tracer.word(0, cell, word, cycle),
        (Unit::Cell(cell), _, before) if is_dpu_data(register) => {
            if let Some(before) = before {
                tracer.data(cell, register, before);
            }
        }
        (Unit::Tile(tile), Register::TileXout(output), _) => {
            tracer.crossbar(0, tile, output, word, cycle);
        }
        (Unit::Tile(tile), Register::TileMemQ, before) => {
            if let Some(read) = before {
                tracer.memory_read(0, tile, word, read);
            }
        }
        (Unit::Tile(tile), Register::TileSram(row), _) => tracer.row(0, tile, row, word, cycle),
        (Unit::Column(column), Register::ColumnIoWdata, Some(before)) => {
            tracer.out(column, word, before);
        }
        (Unit::Column(column), Register::ColumnBlkInRow1, Some(before)) => {
            tracer.down(0, column, word, before);
        }
        (Unit::Column(column), Register::ColumnIoRdata, Some(_)) => {
            tracer.buffer(0, column, cycle);
        }
        _ => tracer.configuration(cycle, program::at_decode(register)),
    }
    // The initialisation chain never keeps a value: in every cycle, each tile captures the value of its predecessor, or
    // that of the ports.
    let is_chain = register.id().part() == TilePart::TileInitialisation.name();
    if tracer.provenance.steps.is_empty() && !is_chain && tracer.has_old_value(first) {
        tracer.kept(first);
    } else if tracer.provenance.steps.is_empty() && is_dpu_data(register) {
        // The mode makes the value a constant.
        tracer.configuration(cycle, false);
    }
    tracer.provenance
}

/// The provenance of the value at an output port: the block for the output buffer, or otherwise the responsible
/// instruction.
pub(super) fn trace_port(
    recording: &MismatchContext<'_>,
    first: Option<&PortDifference>,
) -> Provenance {
    let mut tracer = Tracer::before_mismatch(recording, true);
    let Some(first) = first else {
        return tracer.provenance;
    };
    let cycle = recording.mismatch;
    let lowest = first.golden.bits_that_differ(&first.dut).last().copied().unwrap_or(0);
    match (first.port, first.column, cycle.checked_sub(1)) {
        (PortId::IoOutData, Some(column), Some(before)) => {
            tracer.out(column, (lowest / WORD_BITS) as usize, before);
        }
        _ => tracer.configuration(cycle, false),
    }
    tracer.provenance
}

/// The provenance of a word of a memory in an end state, written at the edge before a cycle.
pub(super) fn trace_written(
    case: &Case,
    end: &GoldenHistory,
    element: Element,
    cycle: u64,
) -> Vec<PathStep> {
    let GoldenHistory { state, signals, attribution, .. } = end;
    let r = GoldenCycles { case, geometry: &case.geometry, state, signals, attribution };
    let provenance = Provenance::default();
    let mut tracer =
        Tracer { r, cycle, responsible: None, end: Some(end), provenance, beyond_cells: false };
    match element {
        Element::Register(Location { unit: Unit::Cell(cell), register: Register::RfMem(word) }) => {
            tracer.word(0, cell, word, cycle);
        }
        Element::Word(
            Location { unit: Unit::Tile(tile), register: Register::TileSram(row) },
            k,
        ) => {
            tracer.row(0, tile, row, k, cycle);
        }
        _ => {}
    }
    tracer.provenance.steps
}

struct Tracer<'a> {
    r: GoldenCycles<'a>,
    /// The cycle of the mismatch, or the cycle after the write of a value of the end state.
    cycle: u64,
    /// The instruction responsible for the mismatch.
    responsible: Option<&'a IssuedInstruction>,
    /// For a value of an end state.
    end: Option<&'a GoldenHistory>,
    provenance: Provenance,
    /// True if the difference is not in a cell, but in a column, a tile or the load pipeline, or at a port.
    beyond_cells: bool,
}

impl<'a> Tracer<'a> {
    fn before_mismatch(context: &MismatchContext<'a>, beyond_cells: bool) -> Self {
        Self {
            r: context.recorded,
            cycle: context.mismatch,
            responsible: context.explanation.responsible.as_ref(),
            end: None,
            provenance: Provenance::default(),
            beyond_cells,
        }
    }

    /// True if the golden model captures nothing new at the last edge, so that its value has no provenance.
    fn keeps(&self, first: &Difference) -> bool {
        let (cycle, Location { unit, register }) = (self.cycle, first.location);
        let Some(before) = cycle.checked_sub(1) else { return false };
        match (unit, register) {
            (Unit::Cell(cell), Register::RfMem(word)) => {
                let write = self.r.attribution.rf_write(cell, word, cycle);
                return write.is_none_or(|write| write.cycle != before);
            }
            (Unit::Tile(tile), Register::TileSram(row)) => {
                let write = self.r.attribution.row_write(tile, row, cycle);
                return write.is_none_or(|write| write.cycle != before);
            }
            _ => {}
        }
        let group = register.id().group();
        let takes = group.info().takes;
        if !self.has_old_value(first) || takes == UpdatePolicy::Always {
            return false;
        }
        let mark = || {
            let first = Register::new(group.registers()[0], register.key())?;
            Some(self.r.golden(cycle)?.low(unit, first))
        };
        match (takes == UpdatePolicy::Marked).then(mark).flatten() {
            Some(mark) => mark == 0,
            // An instruction may load a value that is already there.
            None => {
                self.responsible.is_none_or(|i| i.released.get() != Some(before) || i.is_control())
            }
        }
    }

    /// True if the golden model still has the value of the previous cycle; false for memory rows, whose values are not
    /// known here.
    fn has_old_value(&self, first: &Difference) -> bool {
        let Location { unit, register } = first.location;
        let before = self.cycle.checked_sub(1).and_then(|cycle| self.r.golden(cycle));
        before.and_then(|then| then.value(unit, register)).as_ref() == Some(&first.golden)
    }

    /// Adds the value that only the design loads.
    fn kept(&mut self, first: &Difference) {
        let unit = first.location.unit;
        let taken = self.r.reading(self.cycle, first.location, first.dut.clone());
        self.add(
            (0, self.cycle.saturating_sub(1)),
            unit,
            ProvenanceEvent::Kept,
            Some(taken),
            &None,
        );
    }

    /// Traces the write ports of a register file that carry the value that the design wrote to a word.
    fn carriers(&mut self, cell: CellId, word: u64, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        for (agu, input) in [(AguId::W0, CellInput::Write0), (AguId::W1, CellInput::Write1)] {
            let writes = signals.cell(cell).emitted(agu).is_some();
            if writes && u64::from(signals.cell(cell).input(input)) == word {
                self.input(1, cell, input, cycle);
            }
        }
    }

    /// Adds a step with its value and the instruction that had set it up; false if a limit is reached.
    fn add(
        &mut self,
        (depth, cycle): (usize, u64),
        unit: impl Into<Unit>,
        step: ProvenanceEvent,
        value: Option<Reading>,
        by: &Cause,
    ) -> bool {
        let max_depth = if self.end.is_some() { MAX_DEPTH_OF_END } else { MAX_DEPTH };
        if self.provenance.steps.len() >= MAX_STEPS || depth > max_depth {
            return false;
        }
        let by = by.as_deref().map(program::place);
        self.provenance.steps.push(PathStep { depth, cycle, unit: unit.into(), step, value, by });
        true
    }

    /// The first cycle that can show a recorded write; `None` if the recording starts at cycle 0.
    fn since(&self) -> Option<u64> {
        let start = match self.end {
            Some(end) => end.state.cycles().end.saturating_sub(GoldenHistory::KEPT_CYCLES),
            None => self.r.cycles().start,
        };
        Some(start).filter(|first| *first > 0).map(|first| first + 1)
    }

    /// Adds a step without value or instruction; false if a limit is reached.
    fn bare(
        &mut self,
        depth: usize,
        cycle: u64,
        unit: impl Into<Unit>,
        step: ProvenanceEvent,
    ) -> bool {
        self.add((depth, cycle), unit, step, None, &None)
    }

    fn link(&mut self, from: impl Into<Unit>, to: impl Into<Unit>, kind: LinkKind) {
        self.provenance.links.push((from.into(), to.into(), kind));
    }
}

/// A word as a number in two's complement.
fn word_value(word: u16) -> Reading {
    Reading::number(Value::new(vec![word.into()], WORD_BITS)).signed(1)
}

/// A word of a block.
fn word_of(block: &Block, word: usize) -> u16 {
    (block[word / 4] >> (16 * (word % 4))) as u16
}
