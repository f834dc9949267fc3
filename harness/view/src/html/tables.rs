// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that the script shows, as tables.

use std::fmt::Display;

use drra_fabric::{
    AguId, CellInput, CrossbarPort, CrossbarSource, MessageKind, Side, ports::Block,
};
use drra_golden::Arrival;
use drra_isa::{CellId, instructions::DpuMode};
use drra_report::{html::document::closed, text};
use maud::{Markup, html};

use super::{flows, runs};
use crate::{CellTracks, RecordedRun, TileTracks, Track, sequencing};

/// A row of a table: its subject, and the text shown for it.
type TableRow = (String, String);

/// A table: its title, a description of its values, and its rows.
type TableText = (&'static str, &'static str, Vec<TableRow>);

/// All tables.
pub(super) fn tables(r: &RecordedRun) -> Markup {
    html! {
        @for (title, meaning, rows) in all(r).iter().filter(|(.., rows)| !rows.is_empty()) {
            (closed(title, &html! {
                p.muted { (meaning) }
                div.wide {
                    table.facts {
                        tbody {
                            @for (name, text) in rows {
                                tr { th scope="row" { (name) } td { (text) } }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn all(r: &RecordedRun) -> [TableText; 11] {
    let limit = limit(r);
    let values =
        |text: fn(i64) -> String| move |track: &Track| runs::values(track, r.to, limit, text);
    let states =
        |text: fn(i64) -> String| move |track: &Track| runs::states(track, r.to, limit, text);
    let writes = |text: fn(i64) -> String| move |track: &Track| runs::writes(track, limit, text);
    let lanes = |track: &Track| {
        let name = |(from, lane)| format!("{} of {}", text::lane_name(lane), text::cell(from));
        let text = |number| flows::lane(r, number).map_or_else(String::new, name);
        runs::states(track, r.to, limit, text)
    };
    let inputs = || CellInput::ALL.iter().map(|input| text::input_name(*input));
    [
        (
            "What the sequencers did",
            "Loading, and the cycles in which a WAIT holds the program. Decodes are listed with the programs.",
            r.cells().flat_map(|(cell, t)| sequencer(r, cell, t)).collect(),
        ),
        (
            "Words that were moved",
            "Per input of a cell: first cycle, then the hexadecimal value in each cycle.",
            of_cells(r, |cell, t| rows(cell, inputs(), &t.taken, values(hex))),
        ),
        (
            "Switchbox connections",
            "Per input of a cell: the lane that it reads.",
            of_cells(r, |cell, t| rows(cell, inputs(), &t.sources, lanes)),
        ),
        (
            "Addresses of the register files",
            "Per port: first cycle, then the address in each cycle; for wb and rb, the number of a block of 16 words.",
            of_cells(r, |cell, t| rows(cell, AguId::ALL, &t.addresses, values(number))),
        ),
        (
            "Modes of the DPUs",
            "The mode in force, and the cycles in which data arrive at its operands.",
            of_cells(r, |cell, t| {
                let works = rows(cell, ["works"], [&t.operates], states(|_| "data".to_owned()));
                [rows(cell, ["mode"], [&t.mode], states(mode)), works].concat()
            }),
        ),
        (
            "Writes to register files",
            "Per word: the first cycle with the value, and the hexadecimal value.",
            of_cells(r, |cell, t| {
                rows(&format!("{cell} word"), t.words.keys(), t.words.values(), writes(hex))
            }),
        ),
        (
            "Writes to the tile memories",
            "Per row: the first cycle with the contents, and the block number.",
            of_tiles(r, |tile, t| {
                rows(&format!("{tile} row"), t.rows.keys(), t.rows.values(), writes(number))
            }),
        ),
        (
            "Paths of the NoC",
            "Per crossbar output of a tile: the source that it follows.",
            of_tiles(r, |tile, t| {
                rows(&format!("{tile} output"), CrossbarPort::ALL, &t.crossbar, states(source))
            }),
        ),
        (
            "Blocks that were moved",
            "First cycle, then the block number, address or row in each cycle.",
            blocks(r),
        ),
        (
            "Messages",
            "Messages sent by the cells, and messages that arrive at the sides of the tiles.",
            [
                of_cells(r, |cell, t| rows(cell, ["sends"], [&t.messages], values(kind))),
                of_tiles(r, |tile, t| {
                    rows(&format!("{tile} side"), Side::ALL, &t.arrivals, values(arrival))
                }),
            ]
            .concat(),
        ),
        (
            "Blocks by number",
            "Words 0 to 15, hexadecimal.",
            (0..)
                .zip(&r.tracks.blocks.all)
                .take(limit)
                .map(|(k, b)| (number(k), block(b)))
                .collect(),
        ),
    ]
}

/// Maximum number of items in a row. The tables serve readers without a script, who look at a few cycles, and must not
/// make the page of a long run large.
fn limit(r: &RecordedRun) -> usize {
    20_000 / r.used().len().max(1)
}

fn of_cells(r: &RecordedRun, rows: impl Fn(&str, &CellTracks) -> Vec<TableRow>) -> Vec<TableRow> {
    r.cells().flat_map(|(cell, tracks)| rows(&text::cell(cell), tracks)).collect()
}

fn of_tiles(r: &RecordedRun, rows: impl Fn(&str, &TileTracks) -> Vec<TableRow>) -> Vec<TableRow> {
    r.tiles().flat_map(|(tile, tracks)| rows(&tile.to_string(), tracks)).collect()
}

/// Blocks between the cells, their columns and the tiles.
fn blocks(r: &RecordedRun) -> Vec<TableRow> {
    let values = |track: &Track| runs::values(track, r.to, limit(r), number);
    let cells = of_cells(r, |cell, t| {
        rows(cell, ["to its column", "from its column"], [&t.block_read, &t.block_taken], values)
    });
    let columns = r.tracks.columns.iter().enumerate().flat_map(|(col, t)| {
        let tracks = [&t.up, &t.buffer_reads, &t.buffer_writes, &t.buffer_blocks];
        rows(&format!("column {col}"), OF_COLUMNS, tracks, values)
    });
    let tiles = of_tiles(r, |tile, t| {
        let (entering, memory) = (format!("{tile} to output"), [&t.row_reads, &t.row_writes]);
        let entering = rows(&entering, CrossbarPort::ALL, &t.entering, values);
        [entering, rows(tile, ["rows read", "rows stored"], memory, values)].concat()
    });
    cells.into_iter().chain(columns).chain(tiles).collect()
}

/// The names of a column's tracks.
const OF_COLUMNS: [&str; 4] =
    ["up", "input buffer, addresses", "output buffer, addresses", "output buffer, blocks"];

/// Rows for the tracks of a unit, with their names; empty tracks are left out.
fn rows<'a>(
    unit: &str,
    keys: impl IntoIterator<Item = impl Display>,
    tracks: impl IntoIterator<Item = &'a Track>,
    text: impl Fn(&Track) -> String,
) -> Vec<TableRow> {
    let rows = keys.into_iter().zip(tracks);
    let rows = rows.map(|(key, track)| (format!("{unit} {key}"), text(track)));
    rows.filter(|(_, text)| !text.is_empty()).collect()
}

fn number(value: i64) -> String {
    value.to_string()
}

fn hex(value: i64) -> String {
    format!("{value:04x}")
}

/// The words of a block, word 0 first.
pub(super) fn block(block: &Block) -> String {
    let words = drra_case::stimulus::words(block);
    words.map(|word| format!("{word:04x}")).join(" ")
}

fn sequencer(r: &RecordedRun, cell: CellId, t: &CellTracks) -> Option<TableRow> {
    let mut shown = Track::default();
    for &(cycle, value) in t.sequencer.changes() {
        shown.change(cycle, if value < sequencing::LOAD { -1 } else { value });
    }
    let text = runs::states(&shown, r.to, limit(r), |value| match value {
        sequencing::LOAD => "LOAD".to_owned(),
        value => format!("WAIT at {}", value - sequencing::HOLD),
    });
    Some((text::cell(cell), text)).filter(|(_, text)| !text.is_empty())
}

/// Name of the mode with this code.
pub(super) fn mode(code: i64) -> String {
    let found = DpuMode::ALL.iter().find(|mode| i64::from(mode.code()) == code);
    found.map_or_else(|| code.to_string(), |mode| mode.name().to_owned())
}

/// The name of the value with this code; empty if there is no such value.
fn named<T: Display>(value: i64, found: impl Fn(u64) -> Option<T>) -> String {
    let found = u64::try_from(value).ok().and_then(found);
    found.map_or_else(String::new, |found| found.to_string())
}

fn source(value: i64) -> String {
    named(value, CrossbarSource::from_value)
}

fn kind(value: i64) -> String {
    named(value, MessageKind::from_value)
}

fn arrival(position: i64) -> String {
    named(position, |position| Some(Arrival::ALL.get(position as usize)?.name()))
}
