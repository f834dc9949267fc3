// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timeline: for every block, a bar for the golden model above a bar for the RTL.

use maud::{Markup, html};

use super::document::{closed, table};
use crate::data::{Activity, ActivitySpan, Timeline};

const LABEL: u64 = 176;
const CYCLE: u64 = 30;
const BAR: u64 = 17;
const ROW: u64 = 2 * BAR + 10;
const TOP: u64 = 26;
/// Width of a character in a label.
const CHARACTER: u64 = 7;

pub(super) fn timeline(t: &Timeline, mismatch: u64) -> Markup {
    let count = t.to - t.from + 1;
    let width = LABEL + count * CYCLE + 8;
    let height = TOP + t.rows.len() as u64 * ROW + 6;
    let x = |cycle: u64| LABEL + (cycle - t.from) * CYCLE;
    html! {
        div.wide {
            svg.timeline viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" aria-labelledby="timeline-title timeline-desc" {
                title id="timeline-title" { "What the units did in cycles " (t.from) " to " (t.to) }
                desc id="timeline-desc" { "Upper bar of each block: golden model. Lower bar: RTL. The table below gives the same information." }
                rect.now x=(x(mismatch)) y=(TOP - 4) width=(CYCLE) height=(height - TOP) {}
                @for cycle in t.from..=t.to {
                    @if cycle % 4 == 0 || cycle == mismatch {
                        text.tick.now[cycle == mismatch] x=(x(cycle) + CYCLE / 2) y="14" { (cycle) }
                    }
                    line.grid x1=(x(cycle)) x2=(x(cycle)) y1=(TOP - 6) y2=(height - 6) {}
                }
                @for (i, row) in t.rows.iter().enumerate() {
                    @let y = TOP + i as u64 * ROW;
                    text.label x="4" y=(y + BAR + 4) { (row.name()) }
                    (bar(&row.golden, &row.rtl, &x, y, "golden"))
                    (bar(&row.rtl, &row.golden, &x, y + BAR + 2, "rtl"))
                }
            }
        }
        ul.legend {
            li { span.key.bar-golden {} "golden model" }
            li { span.key.bar-rtl {} "RTL" }
            li { span.key.bar-differs {} "only on one side" }
        }
        (closed("The timeline as a table", &table(&["block", "golden", "RTL"], &html! {
            @for row in &t.rows {
                tr {
                    th scope="row" { (row.name()) }
                    td { (list(&row.golden)) }
                    td { @if row.golden == row.rtl { "the same" } @else { (list(&row.rtl)) } }
                }
            }
        })))
    }
}

fn bar(
    own: &[ActivitySpan],
    other: &[ActivitySpan],
    x: &dyn Fn(u64) -> u64,
    y: u64,
    side: &str,
) -> Markup {
    html! {
        @for span in own {
            @let width = (span.to - span.from + 1) * CYCLE;
            @let class = if other.contains(span) { format!("span {side}") } else { format!("span {side} differs") };
            g class=(class) {
                title { (side) ", cycles " (span.from) " to " (span.to) ": " (span.activity.text()) }
                rect x=(x(span.from) + 1) y=(y) width=(width - 2) height=(BAR) rx="3" {}
                text x=(x(span.from) + 4) y=(y + BAR - 5) { (fitting(&span.activity, width - 6)) }
            }
        }
    }
}

/// The part of a label that fits; for an instruction, the name is more useful than the address.
fn fitting(activity: &Activity, width: u64) -> String {
    let room = usize::try_from(width / CHARACTER).unwrap_or(0);
    let label = activity.text();
    if label.chars().count() <= room {
        return label;
    }
    activity.short().chars().take(room).collect()
}

fn list(spans: &[ActivitySpan]) -> Markup {
    html! {
        @for s in spans {
            div {
                @if s.from == s.to { (s.from) } @else { (s.from) " to " (s.to) }
                ": " (s.activity.text())
            }
        }
    }
}
