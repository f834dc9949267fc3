// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of the value, and the last changes of the unit.

use maud::{Markup, html};

use super::{
    document::{UNLINKED, head, prose, section},
    sentence,
};
use crate::{
    data::{PathStep, RegisterReading, Report},
    terminal::NO_PROVENANCE,
    text,
};

impl Report {
    pub(super) fn provenance_section(&self) -> Markup {
        let body = html! {
            @if self.path.is_empty() {
                p { (sentence(NO_PROVENANCE)) }
            } @else {
                p { "Golden model; both sides agree on everything compared before cycle " (self.mismatch.cycle) "." }
                (steps(&self.path))
            }
        };
        section("provenance", "Provenance of the value", &body)
    }

    pub(super) fn changes_section(&self) -> Markup {
        if self.changes.is_empty() {
            return html! {};
        }
        let unit = self.mismatch.unit().map_or_else(String::new, text::unit);
        let heading = html! { "Last changes of " code { (unit) } (self.left_out()) };
        let body = html! {
            div.wide {
                table.events {
                    (head(&["cycle", "golden", "RTL"]))
                    tbody {
                        @for e in &self.changes {
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
        };
        section("changes", heading, &body)
    }
}

/// Changes; changes that the other side does not have are marked.
fn change_list(own: &[RegisterReading], other: &[RegisterReading]) -> Markup {
    html! {
        @for change in own {
            div {
                @if other.contains(change) { code { (prose(&change.text(), UNLINKED)) } }
                @else { code.only { (prose(&change.text(), UNLINKED)) } }
            }
        }
    }
}

/// Steps as nested lists.
fn steps(path: &[PathStep]) -> Markup {
    let mut rest = path;
    let mut items = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        let own = after.iter().take_while(|s| s.depth > first.depth).count();
        items.push((first, &after[..own]));
        rest = &after[own..];
    }
    html! {
        ul.steps {
            @for (step, below) in items {
                li {
                    span.cycle { "cycle " (step.cycle) } " "
                    code { (text::unit(step.unit)) } " " (step.step.text())
                    @if let Some(value) = step.value_text() { ": " code { (prose(&value, UNLINKED)) } }
                    @if let Some(by) = &step.by { " " span.by { (by.text()) } }
                    @if !below.is_empty() { (steps(below)) }
                }
            }
        }
    }
}
