// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controls of the page: buttons, slider, and the selection of units. Without a script, only the programs are
//! shown.

use drra_isa::CellId;
use drra_report::{data::CellProgram, html::listing, text};
use maud::{Markup, html};

use crate::RecordedRun;

/// Keys and their functions.
const KEYS: [(&str, &str); 7] = [
    ("Left, Right", "one cycle back or forward; ten with Shift"),
    ("Home, End", "first or last cycle"),
    ("Space", "play or stop"),
    ("w, W", "next or previous write of the selected word"),
    ("d, D", "next or previous decode of the selected instruction"),
    ("c, C", "next or previous cell"),
    ("x", "hexadecimal or decimal"),
];

/// Buttons that step through the cycles: name, symbol and description.
const STEPS: [(&str, &str, &str); 5] = [
    ("first", "|\u{25c0}", "First cycle"),
    ("back", "\u{25c0}", "One cycle back"),
    ("play", "\u{25b6} play", "Play or stop"),
    ("on", "\u{25b6}", "One cycle forward"),
    ("last", "\u{25b6}|", "Last cycle"),
];

/// Buttons and slider.
pub(super) fn player(r: &RecordedRun) -> Markup {
    html! {
        div.player.slider.needs-script id="player" {
            @for (name, sign, what) in STEPS {
                button type="button" id=(name) title=(what) aria-label=(what) { (sign) }
            }
            label for="slider" { "Cycle" }
            input id="slider" type="range" min=(r.from) max=(r.to) value=(r.from) step="1";
            output id="slider-cycle" for="slider" { (r.from) }
        }
    }
}

/// Controls that select a cell, jump to a write or a decode, and set the speed and the format of the values.
pub(super) fn jumps(r: &RecordedRun) -> Markup {
    html! {
        div.jumps.needs-script {
            span {
                label for="cell" { "Cell" } " "
                select id="cell" {
                    @for cell in CellId::all(&r.geometry) { option { (cell) } }
                }
            }
            span {
                label for="word" { "Write of" } " "
                select id="word" {}
                button type="button" id="word-back" aria-label="Previous write of the word" { "\u{25c0}" }
                button type="button" id="word-on" aria-label="Next write of the word" { "\u{25b6}" }
            }
            span {
                label for="instruction" { "Decode of" } " "
                select id="instruction" {}
                button type="button" id="decode-back" aria-label="Previous decode of the instruction" { "\u{25c0}" }
                button type="button" id="decode-on" aria-label="Next decode of the instruction" { "\u{25b6}" }
            }
            span {
                label for="speed" { "Speed" } " "
                select id="speed" {
                    @for (cycles, chosen) in [(1, false), (4, true), (15, false), (60, false)] {
                        option value=(cycles) selected[chosen] { (cycles) " cycles/s" }
                    }
                }
            }
            span {
                label for="format" { "Values" } " "
                select id="format" { option value="hex" { "hexadecimal" } option value="decimal" { "signed decimal" } }
            }
        }
    }
}

/// The events of the cycle; the inputs, program and register file of the selected cell; the memory of the selected
/// tile; and the keys.
pub(super) fn state(r: &RecordedRun) -> Markup {
    html! {
        div.panels {
            section.card.needs-script aria-labelledby="h-happens" {
                h3 id="h-happens" { "In this cycle" }
                ul id="happens" aria-live="polite" {}
                h3 id="h-inputs" { "Inputs of the cell" }
                table id="inputs" aria-labelledby="h-inputs" { tbody {} }
            }
            section.card aria-labelledby="h-program" {
                h3 id="h-program" { "Program" }
                div.scrolls id="programs" { (programs(r)) }
            }
            section.card.broad.needs-script aria-labelledby="h-words" {
                h3 id="h-words" { "Register file" }
                div.wide { table.memory id="words" { tbody {} } }
            }
            section.card.broad.needs-script aria-labelledby="h-rows" {
                h3 {
                    span id="h-rows" { "Memory of " }
                    label.quiet for="tile" { "tile" } " "
                    select id="tile" {
                        @for (tile, _) in r.tiles() { option { (tile) } }
                    }
                }
                div.wide.rows { table.memory id="rows" { tbody {} } }
            }
        }
        details.needs-script id="keys" {
            summary { "Keys" }
            dl { @for (keys, what) in KEYS { dt { kbd { (keys) } } dd { (what) } } }
        }
    }
}

/// The programs; the script shows the program of the selected cell.
fn programs(r: &RecordedRun) -> Markup {
    html! {
        @if r.programs.is_empty() { p { "No cell has a program." } }
        @for program in &r.programs { (table(program)) }
        p id="no-program" hidden { "This cell has no program." }
    }
}

fn table(program: &CellProgram) -> Markup {
    html! {
        div.listing data-cell=(program.cell) {
            p { strong { (text::cell(program.cell)) } @if program.io { ", I/O cell" } }
            (listing(program))
        }
    }
}
