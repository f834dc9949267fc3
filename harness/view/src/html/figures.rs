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
            @if let Some(busiest) = busiest(s) { p { (busiest) } }
            (captioned(&caption, &["cell", "sequencer", "DPU with data", "address generators"], &html! {
                @for cell in &s.cells {
                    tr {
                        th scope="row" { (cell.cell) }
                        td { (sequencer_bar(s, cell)) }
                        td { (bar(&[("works", cell.all_operations())], 1, s.program_cycles())) }
                        td {
                            @for a in &cell.agus {
                                div.agu {
                                    (a.agu) " "
                                    (bar(&[("works", a.addresses), ("waits", a.delays)], 2, s.program_cycles()))
                                }
                            }
                        }
                    }
                }
            }))
            ul.legend {
                li { span.line.span-works {} "busy: decodes, or works on data" }
                li { span.line.span-waits {} "held by a WAIT, or counts a delay" }
                li { span.line.span-loads {} "stores its program" }
                li { "rest: idle" }
            }
        }
        @for figures in s.tables() { (numbers(&figures)) }
        (details(s))
    }
}

/// The part that is active in most cycles, which limits the program unless its order can be changed.
fn busiest(s: &Statistics) -> Option<String> {
    let parts = |c: &CellStatistics| {
        let agus = c.agus.iter().map(|a| (a.addresses + a.delays, a.agu.to_string()));
        let others = [(c.busy, "sequencer".to_owned()), (c.all_operations(), "DPU".to_owned())];
        agus.chain(others).map(|(cycles, part)| (cycles, part, c.cell)).collect::<Vec<_>>()
    };
    let (cycles, part, cell) = s.cells.iter().flat_map(parts).max_by_key(|part| part.0)?;
    let all = s.program_cycles();
    Some(format!(
        "Busiest part: {part} of {cell}, in {cycles} of {all} cycles (address generators with their delays)."
    ))
}

fn sequencer_bar(s: &Statistics, c: &CellStatistics) -> Markup {
    let parts = [("works", c.busy), ("waits", c.waiting), ("loads", c.loading)];
    bar(&parts, 1, s.program_cycles())
}

/// A stacked bar, with the percentage of its first parts as text.
fn bar(parts: &[(&str, u64)], counted: usize, of: u64) -> Markup {
    let share = |count: u64| if of == 0 { 0.0 } else { 100.0 * count as f64 / of as f64 };
    html! {
        span.bar.stacked {
            @for (class, count) in parts {
                i class=(format!("span-{class}")) style=(format!("width:{:.1}%", share(*count))) {}
            }
        }
        " " (format!("{:.0} %", share(parts[..counted].iter().map(|part| part.1).sum())))
    }
}

fn numbers(of: &UnitTable) -> Markup {
    html! {
        @if !of.rows.is_empty() {
            (captioned(&html! { (of.title) }, of.names, &html! {
                @for row in &of.rows {
                    tr { th scope="row" { (row[0]) } @for text in &row[1..] { td.number { (text) } } }
                }
            }))
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
