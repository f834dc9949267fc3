// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens, as tables, for readers without a script.

use std::fmt::Display;

use drra_fabric::{CellInput, ports::Block};
use drra_isa::{Unit, instructions::DpuMode};
use drra_report::{html::document::closed, text};
use maud::{Markup, html};

use super::runs;
use crate::{CellTracks, Part, RecordedRun, Span, Track};

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

fn all(r: &RecordedRun) -> [TableText; 4] {
    let limit = limit(r);
    let values = |track: &Track| runs::values(track, r.to, limit, hex);
    let writes = |track: &Track| runs::writes(track, limit, hex);
    let inputs = || CellInput::ALL.iter().map(|input| text::input_name(*input));
    [
        (
            "Instructions in force",
            "Per part of a unit: the cycles in which an instruction is in force. WAITs and jumps are in the programs.",
            r.tracks.spans.0.iter().map(|(part, spans)| in_force(r, part, spans)).collect(),
        ),
        (
            "Words that were moved",
            "Per input of a cell: first cycle, then the hexadecimal value in each cycle.",
            of_cells(r, |cell, t| rows(cell, inputs(), &t.taken, values)),
        ),
        (
            "Writes to register files",
            "Per word: the first cycle with the value, which is the one after the write, and the hexadecimal value.",
            of_cells(r, |cell, t| {
                rows(&format!("{cell} word"), t.words.keys(), t.words.values(), writes)
            }),
        ),
        (
            "Writes to the tile memories",
            "Per row: the first cycle with the contents, which is the one after the write, and words 0 to 15.",
            r.tiles()
                .flat_map(|(tile, t)| {
                    let rows_of = |number| block(&r.tracks.blocks.all[number as usize]);
                    rows(&format!("{tile} row"), t.rows.keys(), t.rows.values(), |track| {
                        runs::writes(track, limit, rows_of)
                    })
                })
                .collect(),
        ),
    ]
}

/// The instructions in force in a part: `12 to 40: REFI w0 from 48, 12 words`.
fn in_force(r: &RecordedRun, (unit, part): &(Unit, Part), spans: &[Span]) -> TableRow {
    let text = |span: &Span| {
        let found = r.instructions.get(&(span.cell, span.address));
        let short = found.map_or("", |instruction| instruction.short.as_str());
        format!("{} to {}: {short}", span.from, span.to)
    };
    let shown: Vec<String> = spans.iter().take(limit(r)).map(text).collect();
    (format!("{unit} {}", part.name()), shown.join("; ") + &runs::more(spans.len(), limit(r)))
}

/// Maximum number of items in a row. The tables serve readers without a script, who look at a few cycles, and must not
/// make the page of a long run large.
fn limit(r: &RecordedRun) -> usize {
    let cells = r.tracks.cells.iter().map(|t| t.words.len() + t.taken.len());
    25_000 / (cells.sum::<usize>() + r.tracks.tiles.iter().map(|t| t.rows.len()).sum::<usize>())
}

fn of_cells(r: &RecordedRun, rows: impl Fn(&str, &CellTracks) -> Vec<TableRow>) -> Vec<TableRow> {
    r.cells().flat_map(|(cell, tracks)| rows(&text::cell(cell), tracks)).collect()
}

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

fn hex(value: i64) -> String {
    format!("{value:04x}")
}

/// The words of a block, word 0 first.
pub(super) fn block(block: &Block) -> String {
    let words = drra_case::stimulus::words(block);
    words.map(|word| format!("{word:04x}")).join(" ")
}

/// Name of the mode with this code.
pub(crate) fn mode(code: i64) -> String {
    DpuMode::from_code(code as u64).map_or_else(|| code.to_string(), |m| m.name().to_owned())
}
