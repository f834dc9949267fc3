// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings that change while data flow: the mode and the width of a DPU, and what an input is connected to.

use std::ops::Range;

use drra_isa::{
    CellId, Opcode,
    instructions::{bw, swb},
};
use rand::RngExt;

use super::words::{draw_mode, operation};
use crate::{op::Op, plan::CasePlan};

/// The inputs of a cell that belong to its DPU, as values of `v_index`.
pub(super) const OF_DPU: Range<u64> = 2..6;

/// In some cases, changes up to three settings of a cell, by instructions decoded in the given cycles: the connection
/// of one of the given inputs or, if these are the inputs of its DPU, also the mode or the width of the DPU.
pub(super) fn settings(
    plan: &mut CasePlan<'_>,
    cell: CellId,
    inputs: Range<u64>,
    cycles: Range<u64>,
) {
    if cycles.is_empty() || !plan.has_room(cell) || !plan.rng.random_bool(0.3) {
        return;
    }
    for _ in 0..plan.rng.random_range(1..4) {
        let op = match plan.rng.random_range(0..6u8) {
            0 | 1 if inputs == OF_DPU => {
                Op::new(Opcode::Bw, &[(bw::CONFIG, plan.rng.random_range(0..4))])
            }
            2 if inputs == OF_DPU => {
                let (mode, _) = draw_mode(plan);
                operation(plan, mode)
            }
            _ => {
                let input = plan.rng.random_range(inputs.clone());
                connection(plan, cell, input)
            }
        };
        let op = plan.maybe_deferred(op);
        let at = plan.rng.random_range(cycles.clone());
        plan.cells[cell].timed.entry(at).or_insert(op);
    }
}

/// An SWB that connects an input: often to a cell nearby, otherwise to any column of the window, which may be beyond
/// the edge, or to nothing.
fn connection(plan: &mut CasePlan<'_>, cell: CellId, input: u64) -> Op {
    let source = plan.near(cell);
    let rng = &mut *plan.rng;
    let (column, other) = match rng.random_bool(0.4) {
        true => ((source.col() + 2 - cell.col()) as u64, source.row() != cell.row()),
        false => (rng.random_range(0..8), rng.random()),
    };
    Op::new(
        Opcode::Swb,
        &[
            (swb::SRC_BLOCK, rng.random_range(0..2)),
            (swb::SRC_PORT, rng.random_range(0..2)),
            (swb::HB_INDEX, column),
            (swb::SEND_TO_OTHER_ROW, other.into()),
            (swb::V_INDEX, input),
        ],
    )
}
