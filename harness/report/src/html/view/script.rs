// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the script of the page works with: tracks as changes, blocks as digits, nothing twice.

use std::collections::BTreeMap;

use drra_golden::Arrival;
use drra_isa::{Geometry, fabric::MessageKind};
use serde::Serialize;

use super::tables;
use crate::view::{CellTracks, ColumnTracks, Recording, TileTracks, Track};

/// The data of a page.
#[derive(Serialize)]
struct Data<'a> {
    from: u64,
    to: u64,
    /// Where the page opens.
    first: u64,
    columns: usize,
    rows: usize,
    rf_words: usize,
    cells: Vec<Cell<'a>>,
    column: Vec<Column<'a>>,
    tiles: Vec<Tile<'a>>,
    /// Words 0 to 15 of each block, four digits each.
    blocks: Vec<String>,
    modes: BTreeMap<i64, String>,
    kinds: Vec<&'static str>,
    arrivals: Vec<&'static str>,
}

#[derive(Serialize)]
struct Cell<'a> {
    sequencer: &'a Track,
    mode: &'a Track,
    operates: &'a Track,
    addresses: &'a [Track; 6],
    sources: &'a [Track; 6],
    taken: &'a [Track; 6],
    read: &'a Track,
    took: &'a Track,
    messages: &'a Track,
    words: BTreeMap<usize, &'a Track>,
}

#[derive(Serialize)]
struct Column<'a> {
    up: &'a Track,
    reads: &'a Track,
    writes: &'a Track,
    block: &'a Track,
}

#[derive(Serialize)]
struct Tile<'a> {
    crossbar: &'a [Track; 5],
    entering: &'a [Track; 5],
    reads: &'a Track,
    writes: &'a Track,
    arrivals: &'a [Track; 4],
    rows: &'a BTreeMap<u8, Track>,
}

impl<'a> From<&'a CellTracks> for Cell<'a> {
    fn from(t: &'a CellTracks) -> Self {
        Self {
            sequencer: &t.sequencer,
            mode: &t.mode,
            operates: &t.operates,
            addresses: &t.addresses,
            sources: &t.sources,
            taken: &t.taken,
            read: &t.block_read,
            took: &t.block_taken,
            messages: &t.messages,
            words: t.words.iter().enumerate().filter(|(_, track)| !track.is_empty()).collect(),
        }
    }
}

impl<'a> From<&'a ColumnTracks> for Column<'a> {
    fn from(t: &'a ColumnTracks) -> Self {
        Self {
            up: &t.up,
            reads: &t.buffer_reads,
            writes: &t.buffer_writes,
            block: &t.buffer_blocks,
        }
    }
}

impl<'a> From<&'a TileTracks> for Tile<'a> {
    fn from(t: &'a TileTracks) -> Self {
        Self {
            crossbar: &t.crossbar,
            entering: &t.entering,
            reads: &t.row_reads,
            writes: &t.row_writes,
            arrivals: &t.arrivals,
            rows: &t.rows,
        }
    }
}

/// The data as JSON. `<` is escaped, so that no text can end the element.
pub(super) fn json(r: &Recording) -> String {
    let modes = r.cells.iter().flat_map(|cell| cell.mode.changes());
    let data = Data {
        from: r.from,
        to: r.to,
        first: r.begin().clamp(r.from, r.to),
        columns: r.geometry.columns,
        rows: Geometry::ROWS,
        rf_words: r.geometry.rf_words,
        cells: r.cells.iter().map(Cell::from).collect(),
        column: r.columns.iter().map(Column::from).collect(),
        tiles: r.tiles.iter().map(Tile::from).collect(),
        blocks: r.blocks.iter().map(|block| tables::block(block).replace(' ', "")).collect(),
        modes: modes
            .filter(|(_, code)| *code >= 0)
            .map(|(_, code)| (*code, tables::mode(*code)))
            .collect(),
        kinds: MessageKind::ALL.iter().map(|kind| kind.name()).collect(),
        arrivals: Arrival::ALL.iter().map(|arrival| arrival.name()).collect(),
    };
    serde_json::to_string(&data).expect("plain data").replace('<', "\\u003c")
}
