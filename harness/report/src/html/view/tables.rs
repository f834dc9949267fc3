// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that the script shows, as tables.

use drra_golden::Arrival;
use drra_isa::{
    CellId, CellInput,
    fabric::{AguId, CrossbarPort, CrossbarSource, MessageKind, Side},
    instructions::DpuMode,
    ports::Block,
};
use maud::{Markup, html};

use super::{flows, runs};
use crate::{
    text,
    view::{CellTracks, Recording, TileTracks, Track, sequencing},
};

/// A line of a table: what it is about, and what happens there.
type Row = (String, String);

/// A table: its title, what its values are, its rows.
type Table = (&'static str, &'static str, Vec<Row>);

/// All tables.
pub(super) fn tables(r: &Recording) -> Markup {
    html! {
        @for (title, meaning, rows) in all(r).iter().filter(|(.., rows)| !rows.is_empty()) {
            details {
                summary { (title) }
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
            }
        }
    }
}

fn all(r: &Recording) -> Vec<Table> {
    let of_cells = |rows: fn(&Recording, CellId, &CellTracks) -> Vec<Row>| -> Vec<Row> {
        r.cells().flat_map(|(cell, tracks)| rows(r, cell, tracks)).collect()
    };
    vec![
        (
            "What the sequencers did",
            "Loading, and the cycles in which a WAIT holds the program. Decodes are listed with the programs.",
            of_cells(sequencers),
        ),
        (
            "Words that were moved",
            "Per input of a cell: first cycle, then the hexadecimal value of each cycle.",
            of_cells(moved),
        ),
        (
            "Switchbox connections",
            "Per input of a cell: the lane that it listens to.",
            of_cells(connections),
        ),
        (
            "Addresses of the register files",
            "Per port: first cycle, then the address of each cycle; of wb and rb the number of a block of 16 \
                      words.",
            of_cells(addresses),
        ),
        (
            "Modes of the DPUs",
            "The mode in force, and the cycles in which data arrive at its operands.",
            of_cells(modes),
        ),
        (
            "Writes into register files",
            "Per word: the first cycle that has the value, and the hexadecimal value.",
            of_cells(words_written),
        ),
        (
            "Writes into the memories of the tiles",
            "Per row: the first cycle that has the contents, and the number of the block.",
            r.tiles().flat_map(|(tile, t)| rows_written(&tile.to_string(), t)).collect(),
        ),
        (
            "Paths of the NoC",
            "Per crossbar output of a tile: the source that it follows.",
            r.tiles().flat_map(|(tile, t)| paths(r, &tile.to_string(), t)).collect(),
        ),
        (
            "Blocks that were moved",
            "First cycle, then the number of the block of each cycle.",
            of_cells(cell_blocks).into_iter().chain(blocks(r)).collect(),
        ),
        (
            "Messages",
            "Messages that the cells send, and what arrives at the sides of the tiles.",
            messages(r),
        ),
        (
            "Blocks by number",
            "Words 0 to 15, hexadecimal.",
            (0..)
                .zip(&r.tracks.blocks.all)
                .map(|(k, b): (u32, _)| (k.to_string(), block(b)))
                .collect(),
        ),
    ]
}

/// Rows with something in them.
fn rows(rows: impl IntoIterator<Item = Row>) -> Vec<Row> {
    rows.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn hex(value: i64) -> String {
    format!("{value:04x}")
}

/// The words of a block, word 0 first.
pub(super) fn block(block: &Block) -> String {
    let words = drra_case::stimulus::words(block);
    words.map(|word| format!("{word:04x}")).join(" ")
}

fn sequencers(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let mut shown = Track::default();
    for &(cycle, value) in t.sequencer.changes() {
        shown.change(cycle, if value < sequencing::LOAD { -1 } else { value });
    }
    let text = |value| match value {
        sequencing::LOAD => "LOAD".to_owned(),
        value => format!("WAIT at {}", value - sequencing::HOLD),
    };
    rows([(text::cell(cell), runs::states(&shown, r.to, text))])
}

fn moved(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let row = |(input, track): (&CellInput, &Track)| {
        let name = format!("{} {}", text::cell(cell), text::input_name(*input));
        (name, runs::values(track, r.to, hex))
    };
    rows(CellInput::ALL.iter().zip(&t.taken).map(row))
}

fn connections(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let source = |number| match flows::lane(r, number) {
        Some((from, lane)) => format!("{} of {}", text::lane_name(lane), text::cell(from)),
        None => String::new(),
    };
    let row = |(input, track): (&CellInput, &Track)| {
        let name = format!("{} {}", text::cell(cell), text::input_name(*input));
        (name, runs::states(track, r.to, source))
    };
    rows(CellInput::ALL.iter().zip(&t.sources).map(row))
}

fn addresses(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let row = |(agu, track): (&AguId, &Track)| {
        let name = format!("{} {agu}", text::cell(cell));
        (name, runs::values(track, r.to, |value| value.to_string()))
    };
    rows(AguId::ALL.iter().zip(&t.addresses).map(row))
}

fn modes(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let name = text::cell(cell);
    rows([
        (format!("{name} mode"), runs::states(&t.mode, r.to, mode)),
        (format!("{name} works"), runs::states(&t.operates, r.to, |_| "data".to_owned())),
    ])
}

/// Name of a mode by its code.
pub(super) fn mode(code: i64) -> String {
    let found = DpuMode::ALL.iter().find(|mode| i64::from(mode.code()) == code);
    found.map_or_else(|| code.to_string(), |mode| mode.name().to_owned())
}

fn words_written(_: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let row =
        |(word, track)| (format!("{} word {word}", text::cell(cell)), runs::writes(track, hex));
    rows(t.words.iter().map(row))
}

fn rows_written(tile: &str, t: &TileTracks) -> Vec<Row> {
    let row = |(row, track)| (format!("{tile} row {row}"), runs::writes(track, |n| n.to_string()));
    rows(t.rows.iter().map(row))
}

fn paths(r: &Recording, tile: &str, t: &TileTracks) -> Vec<Row> {
    let source = |value: i64| {
        let source = u64::try_from(value).ok().and_then(CrossbarSource::from_value);
        source.map_or_else(String::new, |source| source.to_string())
    };
    let row = |(output, track): (&CrossbarPort, &Track)| {
        (format!("{tile} output {output}"), runs::states(track, r.to, source))
    };
    rows(CrossbarPort::ALL.iter().zip(&t.crossbar).map(row))
}

fn number(value: i64) -> String {
    value.to_string()
}

fn cell_blocks(r: &Recording, cell: CellId, t: &CellTracks) -> Vec<Row> {
    let name = text::cell(cell);
    rows([
        (format!("{name} to its column"), runs::values(&t.block_read, r.to, number)),
        (format!("{name} from its column"), runs::values(&t.block_taken, r.to, number)),
    ])
}

/// Blocks in columns and tiles.
fn blocks(r: &Recording) -> Vec<Row> {
    let mut all = Vec::new();
    for (col, t) in r.tracks.columns.iter().enumerate() {
        all.push((format!("column {col} up"), runs::values(&t.up, r.to, number)));
        for (what, track) in [
            ("input buffer, addresses", &t.buffer_reads),
            ("output buffer, addresses", &t.buffer_writes),
            ("output buffer, blocks", &t.buffer_blocks),
        ] {
            all.push((format!("column {col} {what}"), runs::values(track, r.to, number)));
        }
    }
    for (tile, t) in r.tiles() {
        for (output, track) in CrossbarPort::ALL.iter().zip(&t.entering) {
            all.push((format!("{tile} to output {output}"), runs::values(track, r.to, number)));
        }
        all.push((format!("{tile} rows read"), runs::values(&t.row_reads, r.to, number)));
        all.push((format!("{tile} rows stored"), runs::values(&t.row_writes, r.to, number)));
    }
    rows(all)
}

fn messages(r: &Recording) -> Vec<Row> {
    let kind = |value: i64| {
        let kind = u64::try_from(value).ok().and_then(MessageKind::from_value);
        kind.map_or_else(String::new, |kind| kind.to_string())
    };
    let arrival = |value: i64| {
        let found = usize::try_from(value).ok().and_then(|k| Arrival::ALL.get(k));
        found.map_or_else(String::new, |arrival| arrival.name().to_owned())
    };
    let sent = r.cells().map(|(cell, t)| {
        (format!("{} sends", text::cell(cell)), runs::values(&t.messages, r.to, kind))
    });
    let arrived = r.tiles().flat_map(|(tile, t)| {
        let sides = Side::ALL.iter().zip(&t.arrivals);
        sides.map(move |(side, track)| {
            (format!("{tile} side {side}"), runs::values(track, r.to, arrival))
        })
    });
    rows(sent.chain(arrived))
}
