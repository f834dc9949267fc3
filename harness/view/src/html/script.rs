// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data for the script of the page: tracks as changes, and blocks as digits, with nothing stored twice.

use std::collections::BTreeMap;

use drra_fabric::MessageKind;
use drra_golden::Arrival;
use drra_isa::Geometry;
use serde::Serialize;

use super::tables;
use crate::{CellTracks, ColumnTracks, RecordedRun, TileTracks};

/// The data of a page.
#[derive(Serialize)]
struct PageData<'a> {
    from: u64,
    to: u64,
    /// The cycle that the page shows when it opens.
    first: u64,
    columns: usize,
    rows: usize,
    rf_words: usize,
    cells: &'a [CellTracks],
    column: &'a [ColumnTracks],
    tiles: &'a [TileTracks],
    /// Words 0 to 15 of each block, four digits each.
    blocks: Vec<String>,
    modes: BTreeMap<i64, String>,
    kinds: Vec<&'static str>,
    arrivals: Vec<&'static str>,
}

/// The data as JSON. `<` is escaped so that no text can end the element.
pub(super) fn json(r: &RecordedRun) -> String {
    let modes = r.tracks.cells.iter().flat_map(|cell| cell.mode.changes());
    let data = PageData {
        from: r.from,
        to: r.to,
        first: r.begin().clamp(r.from, r.to),
        columns: r.geometry.columns,
        rows: Geometry::ROWS,
        rf_words: r.geometry.rf_words,
        cells: &r.tracks.cells,
        column: &r.tracks.columns,
        tiles: &r.tracks.tiles,
        blocks: r
            .tracks
            .blocks
            .all
            .iter()
            .map(|block| tables::block(block).replace(' ', ""))
            .collect(),
        modes: modes
            .filter(|(_, code)| *code >= 0)
            .map(|(_, code)| (*code, tables::mode(*code)))
            .collect(),
        kinds: MessageKind::ALL.iter().map(|kind| kind.name()).collect(),
        arrivals: Arrival::ALL.iter().map(|arrival| arrival.name()).collect(),
    };
    serde_json::to_string(&data).expect("plain data").replace('<', "\\u003c")
}
