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

const SCRIPT: &str = concat!(
    include_str!("tracks.js"),
    include_str!("moves.js"),
    include_str!("state.js"),
    include_str!("timeline.js"),
    include_str!("view.js")
);

impl RecordedRun {
    pub fn page(&self) -> String {
        let title = format!("{}: {} cycles", self.name, self.statistics.program_cycles());
        let body = html! {
            a.skip href="#main" { "To the fabric" }
            header {
                h1 { (self.name) } " "
                p.lead { (self.statistics.sentence()) "." }
                @if self.is_cut() {
                    p.status { "Cycles " (self.from) " to " (self.to) " of " (self.statistics.cycles) " are shown; the figures cover the whole run." }
                    @if let Some(command) = &self.rest { p { "For the rest: " code { (command) } } }
                }
            }
            main id="main" {
                (panels::player(self))
                (panels::jumps(self))
                (section("fabric", "Fabric", &html! {
                    div.stage {
                        div.left {
                            div id="pictures" { (picture::pictures(self)) }
                            (panels::state())
                        }
                        (panels::now(self))
                    }
                    (panels::memories(self))
                }))
                @if !self.marks.is_empty() { (section("findings", "Findings", &panels::findings(self))) }
                (section("timeline", "Timeline", &timeline::timeline(self)))
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
