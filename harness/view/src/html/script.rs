// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data for the script of the page: tracks as changes, and blocks as digits, with nothing stored twice.

use std::collections::BTreeMap;

use drra_fabric::MessageKind;
use drra_golden::Arrival;
use drra_isa::{CellId, Geometry, OperandSet, Unit, instructions::DpuMode};
use drra_lint::Finding;
use serde::Serialize;

use super::tables;
use crate::{CellTracks, ColumnTracks, Part, RecordedRun, Span, TileTracks, Track};

/// The data of a page.
#[derive(Serialize)]
struct PageData<'a> {
    from: u64,
    to: u64,
    /// The cycle that the page shows when it opens.
    first: u64,
    columns: usize,
    rf_words: usize,
    cells: &'a [CellTracks],
    column: &'a [ColumnTracks],
    tiles: &'a [TileTracks],
    /// Words 0 to 15 of each block, four digits each.
    blocks: Vec<String>,
    patterns: &'a [[i64; 8]],
    modes: BTreeMap<i64, String>,
    /// Per mode: 1 if it counts its operands, and the operands of both channels.
    #[serde(rename = "modeInfo")]
    mode_info: BTreeMap<i64, (u8, Vec<String>, Vec<String>)>,
    kinds: Vec<&'static str>,
    arrivals: Vec<&'static str>,
    /// The instructions of each cell, by address.
    code: Vec<BTreeMap<usize, CodeLine<'a>>>,
    lost: &'a BTreeMap<Unit, Track>,
    spans: Vec<PartData>,
    marks: &'a [Finding],
}

/// An instruction in a few words, and its line (0: unknown).
type CodeLine<'a> = (&'a str, usize);

/// The spans of a part, with five numbers for each span: cell and address of the instruction, cycles from the previous
/// decode to its decode, from there to its first cycle in force, and number of cycles in force.
#[derive(Serialize)]
struct PartData {
    unit: Unit,
    part: String,
    spans: Vec<i64>,
}

impl PartData {
    fn new(unit: Unit, part: Part, all: &[Span], geometry: &Geometry) -> Self {
        let (mut before, mut spans) = (0, Vec::new());
        for &Span { cell, address, decode, from, to } in all {
            let (cell, address) = (cell.index(geometry) as i64, address as i64);
            let step = decode as i64 - std::mem::replace(&mut before, decode as i64);
            spans.extend([cell, address, step, (from - decode) as i64, (to - from + 1) as i64]);
        }
        Self { unit, part: part.name(), spans }
    }
}

/// The data as JSON. `<` is escaped so that no text can end the element.
pub(super) fn json(r: &RecordedRun) -> String {
    let modes = r.tracks.cells.iter().flat_map(|cell| cell.mode.changes());
    let modes: BTreeMap<i64, String> = modes
        .filter(|(_, code)| *code >= 0)
        .map(|(_, code)| (*code, tables::mode(*code)))
        .collect();
    let names = |set: OperandSet| set.iter().map(|o| o.name().to_owned()).collect();
    let info = |code: i64| {
        let info = DpuMode::from_bits(code as u64).info();
        (info.counts.into(), names(info.operands[0]), names(info.operands[1]))
    };
    let spans = r.tracks.spans.0.iter();
    let data = PageData {
        from: r.from,
        to: r.to,
        first: first(r),
        columns: r.geometry.columns,
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
        patterns: &r.tracks.patterns.all,
        mode_info: modes.keys().map(|code| (*code, info(*code))).collect(),
        modes,
        kinds: MessageKind::ALL.iter().map(|kind| kind.name()).collect(),
        arrivals: Arrival::ALL.iter().map(|arrival| arrival.name()).collect(),
        code: CellId::all(&r.geometry).map(|cell| code(r, cell)).collect(),
        lost: &r.tracks.lost,
        spans: spans
            .map(|((unit, part), all)| PartData::new(*unit, *part, all, &r.geometry))
            .collect(),
        marks: &r.marks,
    };
    serde_json::to_string(&data).expect("plain data").replace('<', "\\u003c")
}

fn code(r: &RecordedRun, cell: CellId) -> BTreeMap<usize, CodeLine<'_>> {
    let of_cell = r.instructions.range((cell, 0)..=(cell, usize::MAX));
    of_cell.map(|((_, address), i)| (*address, (i.short.as_str(), i.line.unwrap_or(0)))).collect()
}

/// The first cycle shown in which data move, or else the first decode.
fn first(r: &RecordedRun) -> u64 {
    let cells =
        r.tracks.cells.iter().flat_map(|t| t.taken.iter().chain([&t.block_read, &t.block_taken]));
    let tiles = r.tracks.tiles.iter().flat_map(|t| &t.entering);
    let moves = |track: &Track| track.changes().first().map(|(cycle, _)| *cycle);
    let first = cells.chain(tiles).filter_map(moves).min();
    first.unwrap_or_else(|| r.begin()).clamp(r.from, r.to)
}
