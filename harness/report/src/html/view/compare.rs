// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of two runs.

use std::collections::BTreeMap;

use drra_isa::CellId;
use maud::{Markup, html};

use super::{figures::figures, footer, lanes};
use crate::{
    html::document,
    view::{
        CellStatistics, Comparison,
        table::{change, share},
    },
};

/// A figure of a cell with its name.
type Figure = (&'static str, fn(&CellStatistics) -> u64);

/// Names of the runs.
const SIDES: [&str; 2] = ["A", "B"];

impl Comparison<'_> {
    /// The page: figures side by side, where the writes part, both timelines.
    pub fn page(&self) -> String {
        let [a, b] = self.runs;
        let title = format!("{} and {}", a.name, b.name);
        let axes = lanes::Axis::common(self.runs.map(|run| (run, run.begin())));
        let body = html! {
            a.skip href="#main" { "To the figures" }
            header {
                p.kind { "Two programs on the golden model" }
                h1 { "A: " (a.name) ", B: " (b.name) }
                p.lead { (self.first_sentence()) " " (self.end_sentence()) }
                @for (side, run) in SIDES.iter().zip(self.runs).filter(|(_, run)| run.is_cut()) {
                    p.status { "Of " (side) " only cycles " (run.from) " to " (run.to) " are compared." }
                }
            }
            main id="main" {
                section aria-labelledby="h-figures" {
                    h2 id="h-figures" { "Figures" }
                    (self.figures_table())
                    h3 { "Cells" }
                    (self.cells())
                }
                section aria-labelledby="h-timeline" {
                    h2 id="h-timeline" { "What the units do" }
                    (lanes::legend())
                    p.muted { "Both begin to decode at the same place." }
                    @for ((side, run), axis) in SIDES.iter().zip(self.runs).zip(axes) {
                        h3 { (side) ": " (run.name) }
                        (lanes::lanes_picture(run, &format!("lanes-{}", side.to_lowercase()), axis))
                    }
                }
                @for (side, run) in SIDES.iter().zip(self.runs) {
                    section {
                        h2 { "Utilisation of " (side) }
                        (figures(&run.statistics))
                    }
                }
            }
            (footer(a))
        };
        document(&title, &body, None)
    }

    fn figures_table(&self) -> Markup {
        html! {
            div.wide {
                table {
                    thead { tr { th scope="col" { "figure" } @for side in SIDES { th scope="col" { (side) } } th scope="col" { "B - A" } } }
                    tbody {
                        @for (name, [a, b]) in self.figures() {
                            tr { th scope="row" { (name) } td.number { (a) } td.number { (b) } td.number { (change(a, b)) } }
                        }
                    }
                }
            }
        }
    }

    /// Utilisation of each cell that does anything in one of the runs.
    fn cells(&self) -> Markup {
        let mut cells: BTreeMap<CellId, [Option<&CellStatistics>; 2]> = BTreeMap::new();
        for (side, run) in self.runs.iter().enumerate() {
            for cell in &run.statistics.cells {
                cells.entry(cell.cell).or_default()[side] = Some(cell);
            }
        }
        let figures: [Figure; 4] = [
            ("busy", |c| c.busy),
            ("WAIT", |c| c.waiting),
            ("DPU with data", CellStatistics::all_operations),
            ("instructions", CellStatistics::all_instructions),
        ];
        html! {
            div.wide {
                table {
                    thead {
                        tr {
                            th scope="col" { "cell" }
                            @for (name, _) in figures { @for side in SIDES { th scope="col" { (name) " " (side) } } }
                        }
                    }
                    tbody {
                        @for (cell, sides) in &cells {
                            tr {
                                th scope="row" { (cell) }
                                @for (name, figure) in figures {
                                    @for (side, run) in sides.iter().zip(self.runs) {
                                        @let count = side.map_or(0, figure);
                                        td.number {
                                            (count)
                                            @if name != "instructions" { " (" (share(count, run.statistics.program_cycles())) ")" }
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
}
