// SPDX-License-Identifier: MIT OR Apache-2.0
//! The statistics as tables of the page.

use std::collections::BTreeMap;

use drra_report::html::document::{captioned, closed, wide_table};
use maud::{Markup, html};

use crate::{CellStatistics, Statistics, UnitTable};

/// Utilisation of the units: bars, then numbers.
pub(super) fn figures(s: &Statistics) -> Markup {
    html! {
        @if !s.cells.is_empty() {
            @let caption = html! { "Share of the " (s.program_cycles()) " cycles from the first decode to the last activity" };
            div.wide {
                (captioned(&caption, &["cell", "sequencer", "DPU with data"], &html! {
                    @for cell in &s.cells {
                        tr {
                            th scope="row" { (cell.cell) }
                            td { (sequencer_bar(s, cell)) }
                            td { (bar(&[("works", cell.all_operations())], s.program_cycles())) }
                        }
                    }
                }))
            }
            ul.legend {
                li { span.line.span-works {} "busy: decodes, or works on data" }
                li { span.line.span-waits {} "held by a WAIT" }
                li { span.line.span-loads {} "stores its program" }
                li { "rest: idle" }
            }
        }
        @for figures in s.tables() { (numbers(&figures)) }
        (details(s))
    }
}

fn sequencer_bar(s: &Statistics, c: &CellStatistics) -> Markup {
    let parts = [("works", c.busy), ("waits", c.waiting), ("loads", c.loading)];
    bar(&parts, s.program_cycles())
}

/// A stacked bar, with the percentage of its first part as text.
fn bar(parts: &[(&str, u64)], of: u64) -> Markup {
    let share = |count: u64| if of == 0 { 0.0 } else { 100.0 * count as f64 / of as f64 };
    html! {
        span.bar.stacked {
            @for (class, count) in parts {
                i class=(format!("span-{class}")) style=(format!("width:{:.1}%", share(*count))) {}
            }
        }
        " " (format!("{:.0} %", share(parts[0].1)))
    }
}

fn numbers(of: &UnitTable) -> Markup {
    html! {
        @if !of.rows.is_empty() {
            div.wide {
                (captioned(&html! { (of.title) }, of.names, &html! {
                    @for row in &of.rows {
                        tr { th scope="row" { (row[0]) } @for text in &row[1..] { td.number { (text) } } }
                    }
                }))
            }
        }
    }
}

/// The components of the totals of each cell.
fn details(s: &Statistics) -> Markup {
    html! {
        @if !s.cells.is_empty() {
            @let rows = html! {
                @for c in &s.cells {
                    tr {
                        th scope="row" { (c.cell) }
                        td { (list(&c.instructions)) }
                        td { (list(&c.operations)) }
                        td.number { (c.dpu_without_data) }
                        td { @for a in &c.agus { div { (a.agu) ": " (a.addresses) ", " (a.delays) } } }
                        td { (c.words_from_itself) ", " (c.words_from_others) }
                        td.number { (c.words_unheard) }
                        td { (list(&c.messages)) }
                    }
                }
            };
            (closed("Instructions, operations, address generators and messages of the cells", &wide_table(&["cell", "instructions", "operations", "mode without data", "addresses and delays", "words taken from own lanes, other cells", "words read that nothing takes", "messages"], &rows)))
        }
    }
}

fn list(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
