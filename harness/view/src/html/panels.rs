// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controls of the page: buttons, slider, and the selection of units. Without a script, only the programs are
//! shown.

use drra_isa::CellId;
use drra_report::{
    data::CellProgram,
    html::{cycles, document::head},
    text,
};
use maud::{Markup, html};

use crate::RecordedRun;

/// Keys and their functions.
const KEYS: [(&str, &str); 9] = [
    ("Left, Right", "one cycle back or forward; ten with Shift"),
    ("Home, End", "first or last cycle"),
    ("Space", "play or stop"),
    ("w, W", "next or previous write of the selected word"),
    ("d, D", "next or previous decode of the selected instruction"),
    (
        "click",
        "on a line of the program: its next decode; on a bar, finding or cycle: that cycle; on a word: who wrote it",
    ),
    ("c, C", "next or previous cell with a program or data"),
    ("f", "fabric: units in use, or all"),
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
            label.quiet for="slider-cycle" { "Number of the cycle" }
            input id="slider-cycle" type="number" min=(r.from) max=(r.to) value=(r.from);
        }
    }
}

/// Controls that select a cell, jump to a write, and set the speed and the format of the values.
pub(super) fn jumps(r: &RecordedRun) -> Markup {
    html! {
        div.jumps.needs-script {
            span {
                label for="cell" { "Cell" } " "
                select id="cell" { @for cell in CellId::all(&r.geometry) { option { (cell) } } }
            }
            span {
                label for="word" { "Write of" } " "
                select id="word" {}
                button type="button" id="word-back" aria-label="Previous write of the word" { "\u{25c0}" }
                button type="button" id="word-on" aria-label="Next write of the word" { "\u{25b6}" }
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
                select id="format" { option value="decimal" { "signed decimal" } option value="hex" { "hexadecimal" } }
            }
        }
    }
}

/// The events of the cycle, and the programs; the script shows the program of the selected cell.
pub(super) fn now(r: &RecordedRun) -> Markup {
    html! {
        div.now {
            section.card.needs-script aria-labelledby="h-happens" {
                h3 id="h-happens" { "In this cycle" }
                ul id="happens" aria-live="polite" {}
            }
            section.card aria-labelledby="h-program" {
                h3 id="h-program" { "Program" }
                div.scrolls id="programs" {
                    @if r.programs.is_empty() { p { "No cell has a program." } }
                    @for program in &r.programs { (table(r, program)) }
                    p id="no-program" hidden { "This cell has no program." }
                }
            }
        }
    }
}

/// The legend of the fabric, and the state of the selected cell.
pub(super) fn state() -> Markup {
    html! {
        ul.legend {
            li { span.line.noc {} "NoC path, block port, message" }
            li { span.line.switchbox {} "switchbox connection" }
            li { span.key.program {} "has a program" }
            li.needs-script { button type="button" id="whole" hidden aria-pressed="false" { "Whole fabric" } }
        }
        section.card.state.needs-script aria-labelledby="h-state" {
            h3 id="h-state" { "State of the cell" }
            table.plain id="registers" aria-labelledby="h-state" {}
            table.plain id="ports" aria-labelledby="h-state" {}
            ul.across id="operands" aria-label="Operands" {}
        }
    }
}

/// The register file of the selected cell, the memory of the selected tile, and the keys.
pub(super) fn memories(r: &RecordedRun) -> Markup {
    html! {
        div.panels.needs-script {
            section.card aria-labelledby="h-words" {
                h3 id="h-words" { "Register file" }
                div.wide { table.memory id="words" aria-labelledby="h-words" {} }
                ul.origin id="origin" aria-label="Origin of the selected word" {}
            }
            section.card.broad aria-labelledby="h-rows" {
                h3 {
                    span id="h-rows" { "Memory of " }
                    label.quiet for="tile" { "tile" } " "
                    select id="tile" { @for (tile, _) in r.tiles() { option { (tile) } } }
                }
                div.wide.rows { table.memory id="rows" aria-labelledby="h-rows" {} }
            }
        }
        details.needs-script id="keys" {
            summary { "Keys" }
            dl { @for (keys, what) in KEYS { dt { kbd { (keys) } } dd { (what) } } }
        }
    }
}

/// The findings, with buttons that lead to their cycles and instructions.
pub(super) fn findings(r: &RecordedRun) -> Markup {
    html! {
        ul.findings {
            @for finding in &r.marks {
                li {
                    @let (cell, address) = finding.instruction.unzip();
                    @let cell = cell.map(|cell| cell.index(&r.geometry));
                    @if let Some(cycle) = finding.cycle {
                        button type="button" data-cycle=(cycle) data-cell=[cell] data-address=[address] { "cycle " (cycle) }
                        " "
                    }
                    b { (finding.kind.level().name()) ": " (finding.kind.name()) ": " } (finding.sentence())
                    @if let Some(i) = finding.instruction.and_then(|place| r.instructions.get(&place)) {
                        "; the instruction: " code { (i.short) } @if let Some(line) = i.line { ", line " (line) }
                    }
                }
            }
        }
    }
}

/// The program of a cell: short instructions, with all fields on demand.
fn table(r: &RecordedRun, program: &CellProgram) -> Markup {
    let of = |address| r.instructions.get(&(program.cell, address));
    let all = || program.lines.iter().filter_map(|line| of(line.address));
    let (lines, planned) = (all().any(|i| i.line.is_some()), all().any(|i| i.planned.is_some()));
    let names = [lines.then_some("line"), Some("addr."), Some("instruction")];
    let names = names.into_iter().chain([planned.then_some("planned"), Some("decoded in cycle")]);
    let names: Vec<&str> = names.flatten().collect();
    html! {
        div.listing data-cell=(program.cell) {
            p { strong { (text::cell(program.cell)) } @if program.io { ", I/O cell" } }
            table.program {
                (head(&names))
                tbody {
                    @for line in &program.lines {
                        @let known = of(line.address);
                        tr data-address=(line.address) {
                            @if lines { td.number { (known.and_then(|i| i.line).map_or_else(String::new, |n| n.to_string())) } }
                            td.number { (line.address) }
                            td {
                                @if let Some(known) = known {
                                    @if !known.label.is_empty() { b { (known.label) ":" } " " }
                                    code { (known.short) }
                                    @if let Some(source) = &known.source { code.fields { (source) } }
                                }
                                code.fields { (line.text()) }
                            }
                            @if planned {
                                @let cycle = known.and_then(|i| i.planned);
                                // The decodes before the first cycle shown are not known.
                                @let late = cycle.is_some_and(|cycle| cycle >= r.from && line.decoded.first() != Some(&cycle));
                                td.late[late] { @if let Some(cycle) = cycle { (cycle) } }
                            }
                            td { (cycles(&line.decoded)) }
                        }
                    }
                }
            }
        }
    }
}
