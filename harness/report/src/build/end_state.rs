// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of values of an end state that are not the expected ones.

use std::collections::BTreeSet;

use drra_case::Case;
use drra_diagnose::{
    GoldenHistory, HISTORY_CYCLES,
    attribution::{Attribution, Cause},
};
use drra_fabric::{Location, Register};
use drra_isa::Unit;
use drra_lockstep::{Element, SliceItem, UnexpectedValue};

use super::provenance::trace_written;
use crate::data::PathStep;

/// Maximum number of values that are traced.
const MAX_TRACED: usize = 2;

/// The provenance of a value of an end state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndStateProvenance {
    /// The word of a memory.
    pub element: Element,
    /// True if words are shown as signed numbers.
    pub signed: bool,
    /// The steps, as in [`Report::path`](crate::Report::path).
    pub steps: Vec<PathStep>,
}

/// The provenance of the first unexpected words of memories that different instructions wrote, after a run of a number
/// of cycles on the golden model.
pub fn end_state(
    case: &Case,
    cycles: u64,
    unexpected: &[UnexpectedValue],
) -> Vec<EndStateProvenance> {
    if unexpected.is_empty() {
        return Vec::new();
    }
    let whole = GoldenHistory::record(case, cycles..cycles);
    let (mut writers, mut traced) = (BTreeSet::new(), Vec::new());
    for unexpected in unexpected.iter().filter(|value| value.found.is_ok()) {
        let SliceItem { element, signed, .. } = unexpected.item;
        let cycles = unexpected.cycle.unwrap_or(cycles);
        let Some((cycle, by)) = last_write(&whole.attribution, element, cycles) else { continue };
        if traced.len() < MAX_TRACED && writers.insert(by.map(|by| (by.cell, by.address))) {
            let until = cycles.min(cycle + 1 + HISTORY_CYCLES);
            let near = GoldenHistory::record(case, cycle.saturating_sub(HISTORY_CYCLES)..until);
            let steps = trace_written(case, &near, element, cycle + 1);
            traced.push(EndStateProvenance { element, signed, steps });
        }
    }
    traced
}

/// The last write to a word of a memory, the last cycle if nothing wrote it; `None` for another element.
fn last_write(run: &Attribution, element: Element, cycles: u64) -> Option<(u64, Cause)> {
    let write = match element {
        Element::Register(Location { unit: Unit::Cell(cell), register: Register::RfMem(word) }) => {
            run.rf_write(cell, word, cycles).map(|write| (write.cycle, write.by.clone()))
        }
        Element::Word(
            Location { unit: Unit::Tile(tile), register: Register::TileSram(row) },
            _,
        ) => run.row_write(tile, row, cycles).map(|write| (write.cycle, write.by.clone())),
        _ => return None,
    };
    Some(write.unwrap_or((cycles.checked_sub(1)?, None)))
}
