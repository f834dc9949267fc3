// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a page that needs nothing else: no network, no framework. Everything is text in the
//! page itself; the script only moves the picture of the fabric through the cycles.

mod fabric;
mod index;
mod timeline;

use maud::DOCTYPE;
use maud::Markup;
use maud::PreEscaped;
use maud::html;

use super::Difference;
use super::PathStep;
use super::Report;
use super::text::released;

pub use index::Campaign;
pub use index::Entry;

/// Shared by all pages.
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("report.js");

/// Files of a failure that its page links to, with what they are.
pub(super) const FILES: [(&str, &str); 8] = [
    ("case.json", "the reduced case"),
    ("case.full.json", "the case as it was found"),
    ("program.sasm", "the reduced programs"),
    ("report.txt", "this report as text"),
    ("report.json", "this report as data"),
    ("wave.fst", "waves around the mismatch"),
    ("wave.gtkw", "GTKWave save file"),
    ("wave.sucl", "Surfer command file"),
];

/// A whole page.
fn document(title: &str, body: &Markup, script: Option<&str>) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // No request for an icon either.
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                @if let Some(script) = script {
                    script { (PreEscaped(script)) }
                }
            }
        }
    };
    page.into_string()
}

impl Report {
    /// The page of a failure. `index` is the page of its campaign, `files` the names of the files
    /// beside it.
    pub fn page(&self, index: Option<&str>, files: &[&str]) -> String {
        let m = &self.mismatch;
        let title = format!("{}: {} in cycle {}", self.signature, self.place(), m.cycle);
        let body = html! {
            a.skip href="#main" { "To the report" }
            header {
                @if let Some(index) = index {
                    nav { a href=(index) { "All failures of this campaign" } }
                }
                p.kind { "Mismatch between golden model and RTL" }
                h1 { (self.signature) }
                p.lead {
                    strong { code { (self.place()) } }
                    @if m.assertion.is_some() { " is violated in " } @else { " differs first, in " }
                    strong { "cycle " (m.cycle) }
                    @if let Some(first) = m.first_program_cycle {
                        " (" (m.cycle.saturating_sub(first)) " cycles behind the first program word)"
                    }
                    "."
                }
            }
            main id="main" {
                (self.overview())
                (self.first_difference())
                (self.rule())
                (self.picture())
                section aria-labelledby="h-timeline" {
                    h2 id="h-timeline" { "What the units did" }
                    (timeline::timeline(&self.timeline, m.cycle))
                }
                (self.way())
                (self.changes())
                (self.programs())
                (self.around())
                (self.repeat_section(files))
            }
            footer {
                "drra " (self.tool.version) ", " (self.tool.verilator) ", fabric of "
                (self.fabric.columns) " columns and " (self.fabric.tile_rows) " tile rows, report version "
                (self.version)
            }
            script type="application/json" id="spread-data" { (PreEscaped(self.spread_json())) }
        };
        document(&title, &body, Some(SCRIPT))
    }

    /// The answers in a few lines.
    fn overview(&self) -> Markup {
        let v = &self.verdict;
        html! {
            section.cards aria-label="Overview" {
                div.card {
                    h2 { "What" }
                    p.golden { span.side { "expected" } " " (v.expected) }
                    p.rtl { span.side { "observed" } " " (v.observed) }
                }
                div.card {
                    h2 { "Who" }
                    @match &self.owner {
                        Some(o) => {
                            p { code.instruction { (o.text) } }
                            p {
                                "address " (o.address) " of cell (" (o.cell[0]) "," (o.cell[1])
                                "), decoded in cycle " (o.decoded) ", "
                                (released(o.released, o.decoded, o.immediate))
                            }
                        }
                        None => { p { "No instruction was decoded for this unit." } }
                    }
                }
                div.card {
                    h2 { "Where" }
                    p { "Block " strong { (v.block) } ": " (v.why) "." }
                    p.files {
                        @for file in &v.rtl { code { (file) } " " }
                        "and " code { (v.golden) }
                    }
                }
                div.card {
                    h2 { "Repeat" }
                    pre.command { code { (self.repeat) } }
                    @if let Some(r) = &self.reduced {
                        p {
                            "Reduced from " (r.instructions[0]) " to " strong { (r.instructions[1]) }
                            " instructions, " (r.cells[0]) " to " (r.cells[1]) " cells, " (r.cycles[0])
                            " to " (r.cycles[1]) " cycles."
                        }
                    }
                }
            }
        }
    }

    fn first_difference(&self) -> Markup {
        let m = &self.mismatch;
        html! {
            section aria-labelledby="h-difference" {
                h2 id="h-difference" { "First difference" }
                @if let Some(d) = m.differences.first() {
                    table.values {
                        caption { code { (d.path) } ", " (d.width) " bit, in cycle " (m.cycle) }
                        thead {
                            tr { th scope="col" { "side" } th scope="col" { "value" } th scope="col" { "bits, highest first" } }
                        }
                        tbody {
                            @if let Some(before) = &d.before {
                                tr { th scope="row" { "both, a cycle before" } td { (digits(before, d, &[])) } td { (bits(before, d, &[])) } }
                            }
                            tr.golden { th scope="row" { "golden" } td { (digits(&d.golden, d, &d.bits)) } td { (bits(&d.golden, d, &d.bits)) } }
                            tr.rtl { th scope="row" { "RTL" } td { (digits(&d.rtl, d, &d.bits)) } td { (bits(&d.rtl, d, &d.bits)) } }
                        }
                    }
                    p { "Differing bits: " (bit_list(d)) }
                }
                @if let Some(p) = &m.port {
                    table.values {
                        caption { "Output port " code { (p.name) } ", in cycle " (m.cycle) }
                        tbody {
                            tr.golden { th scope="row" { "golden" } td { code { (p.golden) } } }
                            tr.rtl { th scope="row" { "RTL" } td { code { (p.rtl) } } }
                        }
                    }
                }
                @if let Some(a) = &m.assertion {
                    p { "The RTL violates an assertion at " code { "rtl/" (a.place) } "." }
                    ul { @for [name, scope] in &a.instances { li { code { (name) } " in " code { (scope) } } } }
                }
                @if m.differences.len() > 1 {
                    details {
                        summary { (m.total - 1) " more registers differ in this cycle" }
                        table {
                            thead { tr { th scope="col" { "register" } th scope="col" { "before" } th scope="col" { "golden" } th scope="col" { "RTL" } } }
                            tbody {
                                @for d in &m.differences[1..] {
                                    tr { td { code { (d.path) } } td { code { (d.before.as_deref().unwrap_or("-")) } } td { code { (d.golden) } } td { code { (d.rtl) } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn rule(&self) -> Markup {
        let v = &self.verdict;
        html! {
            section aria-labelledby="h-rule" {
                h2 id="h-rule" { "Which rule decides" }
                p {
                    code { (v.chapter) } ", section " strong { (v.section) } ": " (v.rule)
                }
                @if !v.inputs.is_empty() {
                    table {
                        caption {
                            "What the rule looks at, in cycle " (self.mismatch.cycle.saturating_sub(1))
                            " (both sides agree on all registers)"
                        }
                        thead { tr { th scope="col" { "register or signal" } th scope="col" { "value" } } }
                        tbody {
                            @for i in &v.inputs {
                                tr { th scope="row" { code { (i.name) } } td { code { (i.value) } } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn picture(&self) -> Markup {
        let first = self.spread.first().map_or(self.mismatch.cycle, |s| s.cycle);
        let last = self.spread.last().map_or(first, |s| s.cycle);
        html! {
            section aria-labelledby="h-fabric" {
                h2 id="h-fabric" { "Where it begins and how it spreads" }
                div.slider id="slider-box" hidden {
                    label for="slider" { "Cycle" }
                    input id="slider" type="range" min=(first) max=(last) value=(first) step="1";
                    output id="slider-cycle" for="slider" { (first) }
                }
                p id="spread-text" aria-live="polite" { (self.spread_sentence(0)) }
                div.wide { (fabric::fabric(self)) }
                ul.legend {
                    li { span.key.differs {} "differs, with the number of registers" }
                    li { span.key.first {} "differs first" }
                    li { span.key.program {} "has a program" }
                    li { span.line.way {} "the value came this way" }
                    li { span.line.noc {} "open NoC path" }
                    li { span.line.switchbox {} "switchbox connection" }
                }
                details {
                    summary { "The spread as a table" }
                    table {
                        thead { tr { th scope="col" { "cycles" } th scope="col" { "units that differ (registers)" } } }
                        tbody {
                            @for (from, to, units) in self.spread_steps() {
                                tr {
                                    th scope="row" { @if from == to { (from) } @else { (from) " to " (to) } }
                                    td { (units) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn way(&self) -> Markup {
        html! {
            section aria-labelledby="h-way" {
                h2 id="h-way" { "Where the value came from" }
                @if self.path.is_empty() {
                    p { "Nothing is known about the origin: no instruction and no data lead to this difference." }
                } @else {
                    p { "Golden model; both sides agree on everything before cycle " (self.mismatch.cycle) "." }
                    (steps(&self.path))
                }
            }
        }
    }

    fn changes(&self) -> Markup {
        let unit = self.mismatch.differences.first().map_or("", |d| &d.unit);
        html! {
            @if !self.events.is_empty() {
                section aria-labelledby="h-changes" {
                    h2 id="h-changes" { "Last changes of " code { (unit) } }
                    div.wide {
                        table.events {
                            thead { tr { th scope="col" { "cycle" } th scope="col" { "golden" } th scope="col" { "RTL" } } }
                            tbody {
                                @for e in &self.events {
                                    tr.differs[e.golden != e.rtl] {
                                        th scope="row" { (e.cycle) }
                                        td { (change_list(&e.golden, &e.rtl)) }
                                        td {
                                            @if e.golden == e.rtl { "the same" }
                                            @else { (change_list(&e.rtl, &e.golden)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn programs(&self) -> Markup {
        html! {
            section aria-labelledby="h-program" {
                h2 id="h-program" { "Program" }
                @if self.program.is_empty() {
                    p { "No cell has a program." }
                }
                @for cell in &self.program {
                    h3 { "Cell (" (cell.cell[0]) "," (cell.cell[1]) ")" @if cell.io { ", I/O cell" } }
                    div.wide {
                        table.program {
                            thead { tr { th scope="col" { "address" } th scope="col" { "instruction" } th scope="col" { "decoded in cycle" } } }
                            tbody {
                                @for line in &cell.lines {
                                    tr.owner[line.owner] {
                                        td { (line.address) }
                                        td {
                                            @if line.owner {
                                                mark { code { (line.text.trim()) } } " "
                                                strong.tag { "responsible" }
                                            } @else { code { (line.text.trim()) } }
                                        }
                                        td { (cycles(&line.decoded)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn around(&self) -> Markup {
        html! {
            @if !self.neighbours.is_empty() {
                section aria-labelledby="h-around" {
                    h2 id="h-around" { "Around it in cycle " (self.mismatch.cycle) }
                    table {
                        thead { tr { th scope="col" { "where" } th scope="col" { "unit" } th scope="col" { "differing" } th scope="col" { "state, golden model" } } }
                        tbody {
                            @for n in &self.neighbours {
                                tr { th scope="row" { (n.place) } td { code { (n.unit) } } td { (n.differing) } td { (n.state) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn repeat_section(&self, files: &[&str]) -> Markup {
        html! {
            section aria-labelledby="h-repeat" {
                h2 id="h-repeat" { "Repeat" }
                pre.command { code { (self.repeat) } }
                dl {
                    dt { "Case" } dd { (self.case.name) }
                    dt { "State seed" } dd { (self.case.seed) }
                    @if let Some(profile) = &self.case.profile { dt { "Profile" } dd { (profile) } }
                    @if let Some(seed) = self.case.generator_seed { dt { "Generator seed" } dd { (seed) } }
                }
                @if FILES.iter().any(|(f, _)| files.contains(f)) {
                    h3 { "Files" }
                    ul {
                        @for (file, what) in FILES.iter().filter(|(f, _)| files.contains(f)) {
                            li { a href=(file) { (file) } ": " (what) }
                        }
                    }
                    @if files.contains(&"wave.gtkw") {
                        p { "Open the waves with " code { "gtkwave wave.fst wave.gtkw" } " or " code { "surfer wave.fst -c wave.sucl" } "." }
                    }
                }
            }
        }
    }

    /// What differs in a cycle, in a sentence.
    fn spread_sentence(&self, step: usize) -> String {
        match self.spread.get(step) {
            None => "The RTL stopped with the mismatch.".to_owned(),
            Some(s) if s.units.is_empty() => format!("Cycle {}: nothing differs.", s.cycle),
            Some(s) => format!("Cycle {}: {}", s.cycle, units_text(&s.units)),
        }
    }

    /// The spread with successive equal cycles joined.
    fn spread_steps(&self) -> Vec<(u64, u64, String)> {
        let mut steps: Vec<(u64, u64, String)> = Vec::new();
        for s in &self.spread {
            let text = if s.units.is_empty() { "none".to_owned() } else { units_text(&s.units) };
            match steps.last_mut() {
                Some(last) if last.2 == text && last.1 + 1 == s.cycle => last.1 = s.cycle,
                _ => steps.push((s.cycle, s.cycle, text)),
            }
        }
        steps
    }

    /// Data of the script. `<` is escaped, so that no text can end the element.
    fn spread_json(&self) -> String {
        serde_json::to_string(&self.spread).expect("plain data").replace('<', "\\u003c")
    }
}

fn units_text(units: &[(String, usize)]) -> String {
    let all: Vec<String> = units.iter().map(|(unit, n)| format!("{unit} ({n})")).collect();
    all.join(", ")
}

/// The bits of a value, some of them marked.
fn bits(value: &str, d: &Difference, marked: &[u32]) -> Markup {
    let hex = value.trim_start_matches("0x").split(' ').next().unwrap_or_default();
    if d.width > 32 {
        return html! { span.muted { "differing digits are marked" } };
    }
    let number = u64::from_str_radix(hex, 16).unwrap_or(0);
    html! {
        code.bits {
            @for bit in (0..d.width).rev() {
                @let digit = number >> bit & 1;
                @if marked.contains(&bit) { b { (digit) } } @else { (digit) }
                @if bit > 0 && bit % 4 == 0 { " " }
            }
        }
    }
}

/// A value; of a wide one the digits with marked bits are marked.
fn digits(value: &str, d: &Difference, marked: &[u32]) -> Markup {
    let Some(hex) = value.strip_prefix("0x").filter(|_| d.width > 32) else {
        return html! { code { (value) } };
    };
    let count = hex.chars().count();
    html! {
        code.bits {
            "0x"
            @for (i, digit) in hex.chars().enumerate() {
                @let lsb = 4 * (count - 1 - i) as u32;
                @if marked.iter().any(|b| (lsb..lsb + 4).contains(b)) { b { (digit) } }
                @else { (digit) }
            }
        }
    }
}

/// Differing bits, successive ones as ranges.
fn bit_list(d: &Difference) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &bit in &d.bits {
        match ranges.last_mut() {
            Some((_, low)) if bit + 1 == *low => *low = bit,
            _ => ranges.push((bit, bit)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(high, low)| if high == low { high.to_string() } else { format!("{high} to {low}") })
        .collect();
    texts.join(", ")
}

/// Changes, with those marked that the other side lacks.
fn change_list(own: &[String], other: &[String]) -> Markup {
    html! {
        @for change in own {
            div {
                @if other.contains(change) { code { (change) } }
                @else { code.only { (change) } }
            }
        }
    }
}

fn cycles(decoded: &[u64]) -> String {
    let all: Vec<String> = decoded.iter().map(u64::to_string).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(", ") }
}

/// Steps as nested lists.
fn steps(path: &[PathStep]) -> Markup {
    let mut rest = path;
    let mut items = Vec::new();
    while let Some((first, behind)) = rest.split_first() {
        let own = behind.iter().take_while(|s| s.depth > first.depth).count();
        items.push((first, &behind[..own]));
        rest = &behind[own..];
    }
    html! {
        ul.steps {
            @for (step, below) in items {
                li {
                    span.cycle { "cycle " (step.cycle) } " "
                    code { (step.unit) } " " (step.text)
                    @if let Some(value) = &step.value { ": " code { (value) } }
                    @if let Some(by) = &step.by { " " span.by { (by) } }
                    @if !below.is_empty() { (steps(below)) }
                }
            }
        }
    }
}
