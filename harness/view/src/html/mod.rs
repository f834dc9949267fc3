// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a program that runs. All information is text in the page itself; the script steps through the cycles.

mod figures;
mod flows;
mod panels;
mod picture;
mod runs;
mod script;
pub(crate) mod tables;
mod timeline;

use drra_report::html::document::{document, section};
use maud::{PreEscaped, html};

use crate::RecordedRun;

const SCRIPT: &str =
    concat!(include_str!("tracks.js"), include_str!("moves.js"), include_str!("view.js"));

impl RecordedRun {
    pub fn page(&self) -> String {
        let title = format!("{}: {} cycles", self.name, self.statistics.program_cycles());
        let body = html! {
            a.skip href="#main" { "To the fabric" }
            header {
                p.kind { "Program on the golden model" }
                h1 { (self.name) }
                p.lead { (self.statistics.sentence()) "." }
                @if self.is_cut() {
                    p.status { "Cycles " (self.from) " to " (self.to) " of " (self.statistics.cycles) " are shown; the figures cover the whole run." }
                }
            }
            main id="main" {
                @if !self.marks.is_empty() {
                    (section("findings", "Findings", &html! {
                        ul { @for mark in &self.marks { li { (mark.sentence()) } } }
                    }))
                }
                (panels::player(self))
                (section("fabric", "What moves", &html! {
                    (panels::jumps(self))
                    div.wide { (picture::picture(self)) }
                    ul.legend {
                        li { span.line.noc {} "NoC path, block port, message" }
                        li { span.line.switchbox {} "switchbox connection" }
                        li { span.key.program {} "has a program" }
                    }
                    (panels::state(self))
                }))
                (section("timeline", "What the units do", &timeline::timeline(self)))
                (section("figures", "Utilisation", &figures::figures(&self.statistics)))
                (section("tables", "Cycle by cycle, as tables", &tables::tables(self)))
            }
            footer {
                "drra " (env!("CARGO_PKG_VERSION")) ", golden model, fabric of " (self.geometry.columns)
                " columns and " (self.geometry.tile_rows) " tile rows"
            }
            script type="application/json" id="view-data" { (PreEscaped(script::json(self))) }
        };
        document(&title, &body, Some(SCRIPT))
    }
}
