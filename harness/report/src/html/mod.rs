// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a self-contained page, which needs neither a network nor a framework. All information is text in the
//! page itself; the script only steps the picture of the fabric through the cycles.

mod difference;
pub mod document;
pub mod fabric;
mod program;
mod provenance;
mod timeline;

use maud::{Markup, PreEscaped, html};

use crate::{data::Report, terminal::SMALLER, text::compared_from};

pub use difference::compared_section;
pub use program::{cycles, listing};

use document::{Links, UNLINKED, closed, document, prose, section, wide_table};

const SCRIPT: &str = include_str!("report.js");

/// Files of a failure that its page links to, with descriptions.
pub const FILES: [(&str, &str); 8] = [
    ("case.json", "the reduced case"),
    ("case.full.json", "the original case"),
    ("program.sasm", "the reduced programs"),
    ("report.txt", "this report as text"),
    ("report.json", "this report as data"),
    ("wave.fst", "waves around the mismatch"),
    ("wave.gtkw", "GTKWave save file"),
    ("wave.sucl", "Surfer command file"),
];

impl Report {
    /// The page of a failure. `index` is the page of its campaign, and `link` finds the files of the failure,
    /// by their names, and sources.
    pub fn page(&self, index: Option<&str>, link: Links<'_>) -> String {
        let m = &self.mismatch;
        let title = format!("{}: {} in cycle {}", self.heading(), self.place(), m.cycle);
        let body = html! {
            a.skip href="#main" { "To the report" }
            header {
                @if let Some(index) = index {
                    nav { a href=(index) { "All failures of this campaign" } }
                }
                p.kind { "Mismatch between golden model and RTL" }
                h1 { (self.heading()) }
                p.lead {
                    strong { code { (self.place()) } }
                    " " (self.verb()) @if self.is_explained() { ", first in " } @else { " in " }
                    strong { "cycle " (m.cycle) }
                    @if let Some(first) = m.first_program_cycle {
                        " (" (m.cycle.saturating_sub(first)) " cycles after the first program word)"
                    }
                    "."
                }
            }
            main id="main" {
                (self.overview(link))
                (self.first_difference())
                @if let Some(compared) = &self.compared { (difference::compared_section(compared)) }
                @if self.is_explained() { (self.rule_section(link)) }
                (self.picture())
                (section("timeline", "What the units did", &timeline::timeline(&self.timeline, m.cycle)))
                (self.provenance_section())
                (self.changes_section())
                (self.programs())
                (self.around())
                (self.repeat_section(link))
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

    /// The first screen: the difference, its place, the responsible instruction, and the command that reproduces the
    /// mismatch; below them, what the failing cases have in common.
    fn overview(&self, link: Links<'_>) -> Markup {
        let m = &self.mismatch;
        html! {
            section.cards.first-screen aria-label="Overview" {
                div.card {
                    h2 { "What" }
                    p.golden { span.side { "expected" } " " (prose(&self.expected(), UNLINKED)) }
                    p.rtl { span.side { "observed" } " " (prose(&self.observed(), UNLINKED)) }
                }
                div.card {
                    h2 { "Responsible instruction" }
                    @match &self.responsible {
                        Some(o) => {
                            p { code.instruction { (o.instruction.text()) } }
                            p { (o.place()) }
                        }
                        None => { p { (sentence(self.nobody())) } }
                    }
                }
                div.card {
                    h2 { "Where" }
                    @if self.is_explained() {
                        p { "Block " strong { (self.rule.block()) } ": " (prose(&self.rule.why_text(), UNLINKED)) "." }
                        p {
                            "Rule " a href="#h-rule" { (self.rule.named().info().name) } ", "
                            (prose(self.rule.cited().chapter_file(), link)) ", " (self.rule.cited().info().section)
                            "; files: " (prose(&self.files(), link))
                        }
                    } @else {
                        p { (self.rule.why_text()) "." }
                    }
                    @if let Some(moment) = &m.moment { p { "Sampled " (moment) "." } }
                }
                div.card {
                    h2 { "Repeat" }
                    pre.command { code { (self.repeat) } }
                    @if self.chapters.is_some() { p { "Which side is right: add " code.value { "--chapters" } "." } }
                    @if let Some(r) = &self.reduced {
                        p { (sentence(&r.text())) }
                    }
                }
                @let [separating, others] = self.in_common();
                @if !separating.is_empty() || !others.is_empty() {
                    div.card.common {
                        h2 { "In common" }
                        @for line in &separating { p { (prose(&sentence(line), UNLINKED)) } }
                        @if separating.is_empty() { p { "Nothing found separates failing from agreeing cases." } }
                        @if !others.is_empty() {
                            (closed("Further results", &html! { @for line in &others { p { (sentence(line)) } } }))
                        }
                    }
                }
            }
        }
    }

    fn around(&self) -> Markup {
        if self.neighbours.is_empty() {
            return html! {};
        }
        let rows = html! {
            @for n in &self.neighbours {
                tr { th scope="row" { (n.direction.text()) } td { code { (n.unit) } } td { (n.differing) } td { (prose(&n.state.text(), UNLINKED)) } }
            }
        };
        let names = ["position", "unit", "differing", "state, golden model"];
        let heading = format!("Neighbours in cycle {}", self.mismatch.cycle);
        section("around", heading, &wide_table(&names, &rows))
    }

    fn repeat_section(&self, link: Links<'_>) -> Markup {
        let body = html! {
            pre.command { code { (self.repeat) } }
            @if let Some(ask) = self.ask() {
                p { "Which side is right, by the code of the chapters:" }
                pre.command { code { (ask) } }
            }
            @if self.mismatch.moment.is_some() { p { (sentence(SMALLER)) } }
            dl {
                dt { "Case" } dd { (self.case.name) }
                dt { "State seed" } dd { (self.case.seed) }
                @if self.case.compare_from > 0 {
                    dt { "Compared from" } dd { (sentence(&compared_from(self.case.compare_from))) }
                }
                @if let Some(profile) = &self.case.profile { dt { "Profile" } dd { (profile) } }
                @if let Some(seed) = self.case.generator_seed { dt { "Generator seed" } dd { (seed) } }
            }
            @let there = |file: &str| link(file).as_deref() == Some(file);
            @if FILES.iter().any(|(f, _)| there(f)) {
                h3 { "Files" }
                ul {
                    @for (file, what) in FILES.iter().filter(|(f, _)| there(f)) {
                        li { a href=(file) { (file) } ": " (what) }
                    }
                }
                @if there("wave.gtkw") {
                    p { "Open the waves with " code { "gtkwave wave.fst wave.gtkw" } " or " code { "surfer wave.fst -c wave.sucl" } "." }
                }
            }
        };
        section("repeat", "Repeat", &body)
    }
}

/// The text with its first letter capitalised.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A sentence, with the first letter capitalised and a full stop at the end.
fn sentence(words: &str) -> String {
    capital(words) + "."
}
