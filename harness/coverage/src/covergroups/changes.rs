// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings that replace others: connections of an input, settings of a DPU, permutations; and results that are used.

use std::sync::LazyLock;

use drra_fabric::{Lane, images::DpuInstr};
use drra_isa::{
    CellId,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode},
};

use super::{
    connections::{Column, Row},
    settings::Permutation,
};
use crate::cross::{DirectedCross, cross, numbered};

cross! {
    /// Cells to which an input was connected before and is connected now.
    Reconnections "connections that change" {
        from: SourcePosition = "old connection" "from {from}",
        to: SourcePosition = "new connection" "to {to}",
    }
}

numbered! {
    /// No source, or the position of the source cell relative to the cell of the input.
    SourcePosition, 1 + 5 * 2, |k| match k.checked_sub(1) {
        None => "nothing".to_owned(),
        Some(k) => format!("{}, {}", Column::of(k / 2).label(), Row::of(k % 2).label()),
    }
}

impl Reconnections {
    /// The bin of an input of a cell with these sources, one after the other.
    pub(crate) fn new(cell: CellId, sources: [Option<(CellId, Lane)>; 2]) -> Self {
        let [from, to] = sources.map(|source| {
            let number = source.map_or(0, |(at, _)| {
                1 + 2 * (at.col() + 2 - cell.col()) + usize::from(at.row() != cell.row())
            });
            SourcePosition(number)
        });
        Self { from, to }
    }
}

impl DirectedCross for Reconnections {}

cross! {
    /// Control and change of a DPU instruction that replaces another one.
    DpuSettings "DPU settings that change" {
        from: DpuControl = "old control" "{from}",
        to: DpuControl = "new control" "then {to}",
        change: DpuIoChange = "old change",
        next: DpuIoChange = "new change" "then {next}",
    }
}

impl DpuSettings {
    /// The bin of an instruction that is launched after another one.
    pub(crate) fn new(old: &DpuInstr, new: &DpuInstr) -> Self {
        Self { from: old.control, to: new.control, change: old.io, next: new.io }
    }
}

impl DirectedCross for DpuSettings {}

cross! {
    /// Modes of two PERMs that a cell decodes one after the other.
    Permutations "permutations that follow each other" {
        from: Permutation = "first mode" "mode {from}",
        to: Permutation = "second mode" "then mode {to}",
    }
}

impl DirectedCross for Permutations {}

/// Modes with results, in the order of their codes.
static RESULTING: LazyLock<Vec<DpuMode>> = LazyLock::new(|| {
    let shows = |mode: &&DpuMode| mode.info().outputs != [false; 2];
    DpuMode::ALL.iter().filter(shows).copied().collect()
});

cross! {
    /// A mode and a width whose nonzero results a write port or a DPU uses.
    Results "results that are used" {
        mode: Resulting = "mode",
        width: BwConfig = "width",
    }
}

numbered! {
    /// A mode with results, as an index into [`RESULTING`].
    Resulting, RESULTING.len(), |k| RESULTING[k].to_string()
}

impl Results {
    /// The bin of a mode whose result is on an input.
    pub(crate) fn new(mode: DpuMode, width: BwConfig) -> Option<Self> {
        let mode = RESULTING.binary_search_by_key(&mode.code(), |m| m.code()).ok()?;
        Some(Self { mode: Resulting(mode), width })
    }
}

impl DirectedCross for Results {}
