// SPDX-License-Identifier: MIT OR Apache-2.0
//! Switchbox connections whose data are used.

use std::sync::LazyLock;

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate};
use drra_fabric::{AguId, CellInput, Lane};
use drra_isa::instructions::DpuMode;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::feed::{STREAM, connect, read};
use crate::cross::{Dimension, DirectedCross, cross};

/// Inputs that each mode uses, as bits in the order of [`CellInput::ALL`].
static USED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let used = |mode: &DpuMode| {
        let [a, b] = mode.info().operands;
        a.union(b).inputs().fold(0, |set, input| set | 4 << input)
    };
    DpuMode::ALL.iter().map(used).collect()
});

/// Inputs of a cell that a mode of its DPU uses, as bits in the order of [`CellInput::ALL`].
pub(crate) fn used(mode: DpuMode) -> u8 {
    USED[usize::from(mode.code())]
}

cross! {
    /// Nonzero data that pass from a lane of a cell to an input, where the write port or the current mode uses them.
    Connections "data through the switchbox" {
        lane: Lane = "lane" "from {lane}",
        input: CellInput = "input" "to {input}",
        /// Column of the source, relative to the column of the cell.
        column: Column ["-2 columns", "-1 column", "own column", "+1 column", "+2 columns"]
            = "column",
        row: Row ["own row", "other row"] = "row",
    }
}

impl Connections {
    /// The bin of an input whose source is `column` columns to the east, optionally in the other row.
    pub(crate) fn new(lane: Lane, input: CellInput, column: isize, other_row: bool) -> Self {
        let column = Column((column + 2) as usize);
        Self { lane, input, column, row: Row::class(other_row) }
    }
}

/// Instructions with which a cell drives a lane from cycle 9 on, for the length of a stream.
fn drive(lane: Lane) -> Vec<(u64, InstructionTemplate)> {
    match lane {
        Lane::Rf0 => vec![(6, read(AguId::R0, 0, STREAM, 2))],
        Lane::Rf1 => vec![(7, read(AguId::R1, STREAM, STREAM, 1))],
        // Results follow their operands by one cycle.
        Lane::Dpu0 | Lane::Dpu1 => {
            let [a, b] = if lane == Lane::Dpu0 {
                [CellInput::Dpu0, CellInput::Dpu1]
            } else {
                [CellInput::Dpu2, CellInput::Dpu3]
            };
            vec![
                (1, connect(a, Lane::Rf0, 0, false)),
                (2, connect(b, Lane::Rf1, 0, false)),
                (5, InstructionTemplate::dpu(DpuMode::Add)),
                (6, read(AguId::R0, 0, STREAM, 1)),
                (7, read(AguId::R1, STREAM, STREAM, 0)),
            ]
        }
    }
}

impl DirectedCross for Connections {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let Self { lane, input, .. } = self;
        let (column, other) = (self.column.0 as isize - 2, self.row.0 == 1);
        let connection = (3, connect(input, lane, column, other));
        let uses = match input {
            CellInput::Write0 => (8, read(AguId::W0, 32, 8, 2)),
            CellInput::Write1 => (8, read(AguId::W1, 32, 8, 2)),
            _ => (4, InstructionTemplate::dpu(DpuMode::Add)),
        };
        let words = (0..2 * STREAM).map(|k| (k, rng.random_range(1..100))).collect();
        let mut steps = vec![connection];
        if column == 0 && !other {
            // The cell is both source and destination. If the cell drives a DPU lane, its DPU already adds and uses its
            // inputs.
            steps.extend(drive(lane));
            if matches!(input, CellInput::Write0 | CellInput::Write1) || lane.index() < 2 {
                steps.push(uses);
            }
            return Some(DirectedSequence::of([DirectedCell::timed(steps).with_words(words)]));
        }
        steps.push(uses);
        let row = rng.random_range(0..2);
        let listener = DirectedCell::timed(steps).at(Some(row), 0);
        let source_row = if other { 1 - row } else { row };
        let source = DirectedCell::timed(drive(lane)).at(Some(source_row), column);
        let margin = [(-column).max(0) as usize, column.max(0) as usize];
        Some(DirectedSequence::of([listener, source.with_words(words)]).within(margin))
    }
}
